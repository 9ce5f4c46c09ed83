// SPDX-License-Identifier: BSD-3-Clause
#include "console/traffic.h"

#include <gtest/gtest.h>

#include "console/grammar.h"
#include "fake_appliance.h"

namespace lambdacast::console {
namespace {

class TrafficTest : public ::testing::Test {
 protected:
  // What the line has done; its answer is in answer_.
  std::string done(const std::string& line) {
    answer_ = grammar_.run(line);
    return appliance_.done();
  }

  const config::Config config_ = lambdacast::test::rack_config({});
  test::FakeAppliance appliance_;
  Grammar grammar_{traffic_commands(appliance_, config_)};
  std::string answer_;
};

TEST_F(TrafficTest, start_and_stop__expect_all_endpoints_or_the_one_named) {
  EXPECT_EQ(done("start"), "start 0; start 1; ");
  EXPECT_EQ(done("stop node1"), "stop 1; ");
  EXPECT_EQ(done("stop node2"), "");
  EXPECT_NE(answer_.find("usage: stop [ENDPOINT]"), std::string::npos);
}

TEST_F(TrafficTest, set_a_rate__expect_packets_a_second) {
  EXPECT_EQ(done("set traffic 250k"), "rate 0 250000; rate 1 250000; ");
  EXPECT_EQ(done("set traffic 0 node0"), "rate 0 0; ");
  EXPECT_EQ(done("set traffic 2e9"), "");
  EXPECT_EQ(answer_,
            "PPS: 2e9 is not allowed; allowed: 0 to 1,000,000,000\n"
            "usage: set traffic PPS [ENDPOINT]\n");
}

TEST_F(TrafficTest, send_a_text__expect_it_from_the_first_or_the_endpoint_named) {
  EXPECT_EQ(done("send 7 hello,  world"), "send 0 7 hello,  world; ");
  EXPECT_EQ(done("send from node1 7 hello"), "send 1 7 hello; ");
  EXPECT_EQ(done("send 0 hello"), "");
  appliance_.refusal = "no room";
  EXPECT_EQ(done("send 7 x"), "send 0 7 x; ");
  EXPECT_EQ(answer_, "no room\nusage: send GROUP TEXT\n");
}

TEST_F(TrafficTest, listen__expect_the_group_everywhere_until_off) {
  EXPECT_EQ(done("listen 7"), "listen 0 7; listen 1 7; ");
  EXPECT_EQ(done("listen 7 node1"), "listen 1 7; ");
  EXPECT_EQ(done("listen off"), "off; ");
  EXPECT_EQ(done("listen on"), "listen 0 on; listen 1 on; ") << "a name";
  EXPECT_EQ(done("listen 0"), "");
}

TEST_F(TrafficTest, join_and_leave_by_name__expect_all_endpoints_or_the_one_named) {
  EXPECT_EQ(done("join orders"), "join 0 orders; join 1 orders; ");
  EXPECT_EQ(done("join orders node1"), "join 1 orders; ");
  EXPECT_EQ(done("leave orders node1"), "leave 1 orders; ");
  EXPECT_EQ(done("send to orders hello"), "send 0 orders hello; ");
  EXPECT_EQ(done("send from node1 orders hello"), "send 1 orders hello; ");
  EXPECT_EQ(done("listen orders node1"), "listen 1 orders; ");
  EXPECT_EQ(done("join"), "");
  appliance_.refusal = "no view";
  EXPECT_EQ(done("join orders node0"), "join 0 orders; ");
  EXPECT_EQ(answer_, "no view\nusage: join NAME [ENDPOINT]\n");
}

TEST_F(TrafficTest, acquire_and_release__expect_the_first_endpoint_or_the_one_named) {
  EXPECT_EQ(done("acquire orders 5"), "acquire 0 orders 5; ");
  EXPECT_EQ(done("acquire orders 5 node1"), "acquire 1 orders 5; ");
  EXPECT_EQ(done("release orders 4294967295 node1"), "release 1 orders 4294967295; ");
  EXPECT_EQ(done("acquire orders 4294967296"), "");
  EXPECT_EQ(done("acquire orders"), "");
  appliance_.refusal = "no member";
  EXPECT_EQ(done("release orders 5"), "release 0 orders 5; ");
  EXPECT_EQ(answer_, "no member\nusage: release NAME HANDLER [ENDPOINT]\n");
}

TEST_F(TrafficTest, call_a_group__expect_a_lock_s_holder_or_all_members_asked) {
  EXPECT_EQ(done("call orders 5 how much,  now"), "call 0 orders 5 how much,  now; ");
  EXPECT_EQ(done("call orders all hello"), "call 0 orders all hello; ");
  EXPECT_EQ(done("call from node1 orders 4294967295 hello"), "call 1 orders 4294967295 hello; ");
  EXPECT_EQ(done("call from node1 orders all hello"), "call 1 orders all hello; ");
  const std::string text(3990, 'x');
  EXPECT_EQ(done("call orders 5 " + text), "call 0 orders 5 " + text + "; ") << "fills two packets";
  EXPECT_EQ(done("call orders hello"), "");
  EXPECT_EQ(done("call from node1 orders nobody hello"), "");
  EXPECT_EQ(answer_,
            "HANDLER|all: nobody is not a number\n"
            "usage: call from ENDPOINT NAME HANDLER|all TEXT\n");
  appliance_.refusal = "no view";
  EXPECT_EQ(done("call orders 5 x"), "call 0 orders 5 x; ");
  EXPECT_EQ(answer_, "no view\nusage: call NAME HANDLER TEXT\n");
}

}  // namespace
}  // namespace lambdacast::console
