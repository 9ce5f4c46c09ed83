// SPDX-License-Identifier: BSD-3-Clause
#include "rack/application.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "support.h"

namespace lambdacast::rack {
namespace {

class Counting final : public Application, private group::Handlers {
 public:
  using Application::Application;
  group::Result join() { return groups().join("count", *this); }
  int views = 0, messages = 0, with_number = 0, node_views = 0, ticks = 0;

 private:
  uint32_t tick(uint64_t) override {
    ++ticks;
    return 0;
  }
  void delivered(const group::Delivery&, std::span<const uint8_t>) override { ++messages; }
  void numbered(const node::PacketInfo&, std::span<const uint8_t>) override { ++with_number; }
  void view(const group::GroupView&) override { ++views; }
  void node_view(const node::ViewEvent&) override { ++node_views; }
};

TEST(ApplicationTest, run_one_on_an_endpoint__expect_its_calls_and_its_ticks) {
  test::RackSpec spec;
  spec.nodes = 1;
  spec.defaults = "membership = { enabled = true, initial_nodes = 1 }";
  const config::Config config = test::rack_config(spec);
  auto node = test::started(config, 0);
  Counting counting(*node);
  EXPECT_EQ(counting.join(), group::Result::kOk);
  const auto run = [&] {
    static uint64_t now_ns = 1'000'000;
    for (int i = 0; i < 5000; ++i, now_ns += 10'000) {
      node->node().for_each_stage([&](node::StageId id, auto& stage) {
        (void)stage.poll(now_ns);
        if (id == node::StageId::kOrdering) (void)counting.poll(now_ns);
      });
    }
  };
  run();
  EXPECT_EQ(counting.node_views, 1);
  EXPECT_EQ(counting.views, 1);
  const std::vector<uint8_t> message(20);
  for (const uint32_t group : {*counting.groups().layer().number_of("count"), 1u}) {
    EXPECT_EQ(counting.groups().publish(group, message, wire::Qos::kTotallyOrdered),
              group::Result::kOk);
  }
  run();
  EXPECT_EQ(counting.messages, 1);
  EXPECT_EQ(counting.with_number, 1);
  EXPECT_EQ(counting.ticks, 10000);
}

class RuntimeTest : public ::testing::Test {
 protected:
  std::string file(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  ~RuntimeTest() override { std::remove(path_.c_str()); }
  const std::string path_ = ::testing::TempDir() + "runtime_test.toml";
};

TEST_F(RuntimeTest, open_what_is_no_configuration__expect_the_problems_of_the_file) {
  const auto opened = Runtime::open(file("[[endpoint]]\nnam = \"a\"\n"), "test");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find(":2: endpoint.nam"), std::string::npos)
      << opened.error().message;
}

TEST_F(RuntimeTest, open_without_membership__expect_the_key_that_is_missing) {
  const auto opened = Runtime::open(
      file("[fabric]\nname = \"a\"\n[[endpoint]]\nname = \"node0\"\naddress = \"10.77.0.1\"\n"
           "wavelength = \"C21\"\n"),
      "test");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message,
            "endpoint node0 takes part in no groups: enabled = true in its [endpoint.membership] "
            "lets it");
}

}  // namespace
}  // namespace lambdacast::rack
