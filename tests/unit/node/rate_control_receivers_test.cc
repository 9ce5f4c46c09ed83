// SPDX-License-Identifier: BSD-3-Clause
// The stage with receivers that ask for repairs, lag or fall silent.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "node/rate_control_stage.h"
#include "test_node.h"

namespace lambdacast::node {
namespace rate_control_receivers_test {

using wire::Qos;

constexpr uint64_t kMs = 1'000'000;

class RepairsTest : public ::testing::TestWithParam<bool> {
 protected:
  // Does the port know the keep flag?
  static sim::NodeWild port() {
    sim::NodeWild wild;
    wild.port.keeps = GetParam();
    wild.port.late_free_ns = 10 * kMs;
    wild.port.until_ns = sim::kNever;
    return wild;
  }
};

// Without the flag the port has a reference of its own for a while, and with it repairs have.
TEST_P(RepairsTest, a_repair_is_asked_for_again_while_the_port_has_it__expect_it_to_wait) {
  TestNetwork network(2, test_config, port());
  network.join();
  uint64_t lost = 0;
  network.loses = [&](size_t from, size_t, const Bytes& frame) {
    return from == 0 && is_data(frame) && rel_seq_of(frame) == 2 && ++lost <= 2;
  };
  for (uint8_t i = 0; i < 5; ++i) ASSERT_TRUE(network[0].publish({i}, Qos::kSourceOrdered));
  network.run_us(100'000, 10);
  ASSERT_EQ(network[1].messages.size(), 5u);
  for (uint8_t i = 0; i < 5; ++i) EXPECT_EQ(network[1].messages[i].bytes[0], i);
  EXPECT_EQ(network.node(0).sender().counters().repairs, 2u);
  EXPECT_GT(network[0].env.transmitter.counts().late_frees, 0u);
  EXPECT_TRUE(network.node(0).rate_control().flushed());
  EXPECT_EQ(network.node(0).sender().window().size(), 0u);
}
INSTANTIATE_TEST_SUITE_P(KeepFlag, RepairsTest, ::testing::Bool());

// What is retained leaves retention while the port has yet to take it.
TEST_P(RepairsTest, cut_off_the_last_receiver_before_frames_are_sent__expect_them_unharmed) {
  sim::NodeWild wild = reluctant_port(0, 1, 1'000);
  wild.port.keeps = GetParam();
  TestNetwork network(2, test_config, wild);
  network.join();
  TestNode& sender = network[0];
  RateControlStage<SimEnv>& stage = sender.node->rate_control();
  for (uint8_t i = 0; i < 8; ++i) ASSERT_TRUE(sender.publish({i}, Qos::kSourceOrdered));
  sender.env.port_stands = true;
  sender.poll();
  EXPECT_EQ(stage.pending(), 8u);
  EXPECT_EQ(sender.node->sender().window().size(), 8u);
  // Its receiver is silent for so long that it retains for nobody any more.
  for (int step = 0; step < 500; ++step) {
    network.now_ns += 5 * kMs;
    sender.poll();
  }
  EXPECT_EQ(stage.receivers(), 0u);
  EXPECT_EQ(sender.node->sender().window().size(), 0u);
  // Whoever gets a packet now writes into it.
  std::vector<Loan<SimEnv>> loans(64);
  ASSERT_EQ(sender.node->publisher().loan(loans), loans.size());
  for (auto& loan : loans) loan.payload()[0] = 0xee;
  sender.node->publisher().give_back(loans);
  sender.env.port_stands = false;
  sender.poll();
  EXPECT_EQ(stage.pending(), 0u);
  network.run_us(100);
  ASSERT_EQ(network[1].messages.size(), 8u);
  for (uint8_t i = 0; i < 8; ++i) EXPECT_EQ(network[1].messages[i].bytes[0], i);
}

// Nobody lags behind what has not left yet, however long the port stands.
TEST(RateControlReceivers, the_port_stands_for_longer_than_a_lag__expect_nobody_cut_off) {
  const auto evicts = [](uint32_t number) {
    NodeConfig config = test_config(number);
    config.reliability.slow_receiver = reliability::SlowReceiver::kEvict;
    return config;
  };
  TestNetwork network(2, evicts, reluctant_port(0, 1, 1'000));
  network.join();
  TestNode& sender = network[0];
  for (uint8_t i = 0; i < 8; ++i) ASSERT_TRUE(sender.publish({i}, Qos::kSourceOrdered));
  sender.env.port_stands = true;
  for (int step = 0; step < 100; ++step) {  // ten lags, and a quarter of the silence
    network.now_ns += 5 * kMs;
    sender.poll();
  }
  EXPECT_EQ(sender.node->rate_control().pending(), 8u);
  EXPECT_EQ(sender.node->rate_control().receivers(), 1u);
  sender.env.port_stands = false;
  network.run_us(1'000, 10);
  EXPECT_EQ(network[1].messages.size(), 8u);
  EXPECT_EQ(sender.node->sender().counters().evicted_lag, 0u);
}

// Nobody is silent whose status stands in a link.
TEST(RateControlReceivers, a_status_waits_when_silence_ends__expect_its_receiver_to_stay) {
  TestNetwork network(2, test_config);
  network.join();
  sim::SimNode& sender = network.node(0);
  const uint64_t silence_ns = reliability::ReliabilityConfig{}.suspect_after_ns;
  for (uint64_t passed_ns = 0; passed_ns < silence_ns - 10 * kMs; passed_ns += 5 * kMs) {
    network.now_ns += 5 * kMs;
    (void)sender.rate_control().poll(network.now_ns);
  }
  ASSERT_EQ(sender.rate_control().receivers(), 1u);
  network[0].env.host.frames.clear();
  network[1].poll();
  network.carry();
  (void)sender.receive().poll(network.now_ns);
  (void)sender.reliability().poll(network.now_ns);
  ASSERT_FALSE(sender.link(LinkId::kHeard).empty());
  for (int step = 0; step < 4; ++step) {
    network.now_ns += 5 * kMs;
    (void)sender.rate_control().poll(network.now_ns);
  }
  EXPECT_EQ(sender.rate_control().receivers(), 1u);
  EXPECT_EQ(sender.sender().counters().evicted_silent, 0u);
}

TEST(RateControlReceivers, publish_across_the_24_bit_wrap__expect_a_receiver_to_see_no_gap) {
  TestNetwork network(2, [](uint32_t number) {
    NodeConfig config = test_config(number);
    config.first_frame_seq = 0xfffffa;
    return config;
  });
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(network[0].publish(counting_bytes(8), Qos::kUnreliable));
  network.run_us(10);
  const auto& messages = network[1].messages;
  ASSERT_EQ(messages.size(), 12u);
  EXPECT_EQ(messages.front().info.psn, 0xfffffau);
  EXPECT_EQ(messages[5].info.psn, 0xffffffu);
  EXPECT_EQ(messages[6].info.psn, 0u);
  EXPECT_EQ(messages.back().info.frame_seq, 0x1000005u);
  const auto report = network.node(1).frames().report(0);
  EXPECT_EQ(report.current.missing, 0u);
  EXPECT_EQ(report.psn_wraps, 1u);
  EXPECT_EQ(report.psn_mismatches, 0u);
}

}  // namespace rate_control_receivers_test
}  // namespace lambdacast::node
