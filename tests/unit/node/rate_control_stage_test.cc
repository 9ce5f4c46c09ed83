// SPDX-License-Identifier: BSD-3-Clause
// The stage without membership (rate_control_views_test.cc: with it) and without receivers
// (rate_control_receivers_test.cc).
#include "node/rate_control_stage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "test_node.h"

namespace lambdacast::node {
namespace rate_control_stage_test {

using wire::Qos;

constexpr uint64_t kMs = 1'000'000;

class RateControlStageTest : public ::testing::Test {
 protected:
  void create(NodeConfig config, const sim::NodeWild& wild = {}) {
    config.first_frame_seq = 0xfffffe;
    node_.emplace(config, now_ns_, wild);
    // The first heartbeat goes at once; the next one comes after heartbeat_max.
    ASSERT_EQ(poll(0), 1u);
    node_->env.host.frames.clear();
  }
  void create() { create(test_config(1)); }
  // At 1 000 000 packets a second, of which so many may be caught up with at once.
  void create_paced(uint64_t most) {
    NodeConfig config = test_config(1);
    config.pacer = {1'000'000, most};
    config.burst = 32;
    create(config);
  }
  uint32_t poll(uint64_t now_ns) {
    now_ns_ = now_ns;
    node_->env.pass_time(now_ns);
    return stage().poll(now_ns);
  }
  void publish(Qos qos, int count) {
    for (; count != 0; --count) ASSERT_TRUE(node_->publish(counting_bytes(8), qos));
  }
  std::vector<Bytes>& frames() { return node_->env.host.frames; }
  RateControlStage<SimEnv>& stage() { return node_->node->rate_control(); }

  uint64_t now_ns_ = 0;
  std::optional<TestNode> node_;
};

// --- numbers and rate ----------------------------------------------------------------------------

TEST_F(RateControlStageTest, publish_ten__expect_ten_numbered_and_on_the_fabric) {
  create();
  publish(Qos::kUnreliable, 10);
  EXPECT_EQ(poll(0), 10u);
  EXPECT_EQ(poll(0), 0u);
  EXPECT_EQ(stage().packets(), 10u);
  EXPECT_EQ(stage().messages(), 10u);
  EXPECT_EQ(stage().application_bytes(), 80u);
  EXPECT_EQ(stage().control_packets(), 1u) << "numbered apart";
  ASSERT_EQ(frames().size(), 10u);
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(frame_seq_of(frames()[i]), 0xfffffe + i);
  EXPECT_EQ(node_->node->builder().sequencer().psn_wraps(), 1u);
  EXPECT_STREQ(stage().name(), "rate_control");
  EXPECT_EQ(node_->env.packets.live(), 0u);
}

TEST_F(RateControlStageTest, publish_over_the_rate__expect_what_is_due_and_the_rest_to_wait) {
  NodeConfig config = test_config(1);
  config.pacer = {1'000'000, 64};
  config.burst = 128;
  create(config);
  publish(Qos::kUnreliable, 64);
  EXPECT_EQ(poll(0), 64u);
  publish(Qos::kUnreliable, 20);
  EXPECT_EQ(poll(0), 0u);
  EXPECT_EQ(stage().next_deadline_ns(), 1'000u);
  EXPECT_EQ(poll(999), 0u);
  EXPECT_EQ(poll(1'000), 1u);
  EXPECT_EQ(poll(11'000), 10u);
  EXPECT_EQ(stage().packets(), 75u);
  EXPECT_EQ(stage().pending(), 0u) << "nothing is numbered before it may go";
}

TEST_F(RateControlStageTest, publish_both_kinds_over_the_rate__expect_no_more_than_is_due) {
  create_paced(64);
  publish(Qos::kUnreliable, 40);
  publish(Qos::kReliable, 32);
  (void)poll(0);
  EXPECT_EQ(stage().packets(), 32u);
  (void)poll(0);
  EXPECT_EQ(stage().packets(), 64u);
  (void)poll(1'000);
  EXPECT_EQ(stage().packets(), 65u);
  (void)poll(4'000);
  EXPECT_EQ(stage().packets(), 68u);
}

TEST_F(RateControlStageTest, both_kinds_wait_and_one_goes_at_a_time__expect_them_by_turns) {
  create_paced(64);
  publish(Qos::kUnreliable, 64);
  (void)poll(0);
  (void)poll(0);
  publish(Qos::kUnreliable, 30);
  publish(Qos::kReliable, 30);
  for (uint64_t now_ns = 1'000; now_ns <= 20'000; now_ns += 500) (void)poll(now_ns);
  EXPECT_EQ(stage().packets(), 64u + 20);
  EXPECT_EQ(node_->node->sender().window().last(), 10u);
}

TEST_F(RateControlStageTest, both_kinds_wait_in_plenty__expect_half_of_a_burst_each) {
  create();
  publish(Qos::kUnreliable, 40);
  publish(Qos::kReliable, 30);
  EXPECT_EQ(poll(0), 32u);
  EXPECT_EQ(node_->on_link(LinkId::kUnreliable), 24u);
  EXPECT_EQ(node_->on_link(LinkId::kRecoverable), 14u);
}

TEST_F(RateControlStageTest, find_more_than_a_burst_recoverable__expect_two_taken_and_no_more) {
  create();
  publish(Qos::kReliable, 50);
  EXPECT_EQ(poll(0), 50u);
  publish(Qos::kReliable, 32);
  EXPECT_EQ(poll(0), 32u);
}

// --- a port that does not take everything --------------------------------------------------------

TEST_F(RateControlStageTest, meet_a_port_that_takes_part__expect_the_rest_kept_and_sent_in_order) {
  create(test_config(1), reluctant_port(1, 0, 1'000));
  publish(Qos::kUnreliable, 8);
  const uint32_t sent = poll(1);
  ASSERT_GT(sent, 0u);
  ASSERT_LT(sent, 8u);
  EXPECT_EQ(stage().pending(), 8 - sent);
  EXPECT_EQ(stage().next_deadline_ns(), 0u);
  publish(Qos::kUnreliable, 1);
  const uint32_t before = stage().pending();
  (void)poll(2);
  EXPECT_LE(stage().pending(), before);
  EXPECT_EQ(node_->on_link(LinkId::kUnreliable), 1u) << "the ninth is pulled when all are gone";
  (void)poll(1'000);
  (void)poll(1'000);
  EXPECT_EQ(stage().packets(), 9u);
  ASSERT_EQ(frames().size(), 9u);
  for (size_t i = 0; i < 9; ++i) EXPECT_EQ(frame_seq_of(frames()[i]), 0xfffffe + i);
}

TEST_F(RateControlStageTest, meet_a_port_that_takes_nothing__expect_control_kept_and_ahead) {
  node_.emplace(test_config(1), now_ns_, reluctant_port(0, 1, kMs));
  EXPECT_EQ(poll(0), 0u) << "its first heartbeat";
  EXPECT_FALSE(stage().control_idle());
  EXPECT_EQ(stage().next_deadline_ns(), 0u);
  publish(Qos::kUnreliable, 3);
  EXPECT_EQ(poll(kMs), 1u + 3);
  EXPECT_TRUE(stage().control_idle());
  ASSERT_EQ(frames().size(), 4u);
  EXPECT_FALSE(is_data(frames()[0]));
  EXPECT_TRUE(is_data(frames()[1]));
}

TEST_F(RateControlStageTest, destroy_it_with_pending_frames__expect_them_back_in_the_pool) {
  create(test_config(1), reluctant_port(1, 0, kMs));
  publish(Qos::kReliable, 10);
  (void)poll(1);
  EXPECT_NE(stage().pending(), 0u);
  // ~TestNode looks at the pool.
}

// --- control -------------------------------------------------------------------------------------

TEST_F(RateControlStageTest, leave_it_idle__expect_a_heartbeat_each_10_ms_and_no_number_used) {
  create();
  EXPECT_EQ(poll(10 * kMs), 0u);
  EXPECT_EQ(poll(10 * kMs + 1), 1u);
  EXPECT_EQ(poll(10 * kMs + 2), 0u);
  EXPECT_EQ(poll(20 * kMs + 1), 1u);
  EXPECT_EQ(stage().control_packets(), 3u);
  EXPECT_EQ(stage().packets(), 0u);
  EXPECT_EQ(node_->node->builder().sequencer().next_frame_seq(), 0xfffffeu);
  EXPECT_TRUE(stage().flushed());
}

TEST_F(RateControlStageTest, poll_at_its_deadlines_alone__expect_the_same_heartbeats) {
  create();
  uint64_t sent = 0;
  for (uint64_t now_ns = stage().next_deadline_ns(); now_ns < 100 * kMs;
       now_ns = std::max(now_ns + 1, stage().next_deadline_ns())) {
    sent += poll(now_ns);
  }
  EXPECT_EQ(sent, 9u);
}

TEST_F(RateControlStageTest, quiesce_it__expect_the_end_said_three_times_and_silence_then) {
  create();
  EXPECT_FALSE(stage().silent());
  stage().quiesce();
  for (uint64_t times = 1; times <= 3; ++times) {
    EXPECT_FALSE(stage().silent());
    EXPECT_EQ(poll(times * kMs), 1u);
  }
  EXPECT_TRUE(stage().silent());
  EXPECT_EQ(poll(60'000 * kMs), 0u);
}

TEST_F(RateControlStageTest, reliability_has_something_to_say__expect_it_ahead_of_data) {
  TestNetwork network(2);
  network.run_us(10);
  network.now_ns += 20 * kMs;
  (void)network.node(0).reliability().poll(network.now_ns);
  ASSERT_NE(network[0].on_link(LinkId::kSaid), 0u);
  ASSERT_TRUE(network[0].publish({1}, Qos::kUnreliable));
  EXPECT_FALSE(network.node(0).rate_control().said_all());
  (void)network.node(0).rate_control().poll(network.now_ns);
  EXPECT_TRUE(network.node(0).rate_control().said_all());
  const auto& frames = network[0].env.host.frames;
  ASSERT_GE(frames.size(), 2u);
  EXPECT_FALSE(is_data(frames.front()));
  EXPECT_TRUE(is_data(frames.back()));
}

TEST_F(RateControlStageTest, data_waits_for_its_rate__expect_control_not_to) {
  NodeConfig config = test_config(1);
  config.pacer = {1, 1};
  create(config);
  publish(Qos::kUnreliable, 2);
  EXPECT_EQ(poll(0), 1u);
  EXPECT_EQ(poll(20 * kMs), 1u) << "a heartbeat";
  EXPECT_EQ(node_->on_link(LinkId::kUnreliable), 1u);
  EXPECT_EQ(stage().control_packets(), 2u);
}

TEST_F(RateControlStageTest, neighbor_has_a_frame__expect_it_ahead_of_all_else) {
  NodeConfig config = test_config(1);
  config.neighbor.emplace();
  config.neighbor->mac = config.identity.mac;
  config.neighbor->gid = config.identity.gid;
  config.neighbor->groups = {config.identity.multicast_gid};
  node_.emplace(config, now_ns_);
  publish(Qos::kUnreliable, 1);
  EXPECT_EQ(node_->node->neighbor()->poll(0), 1u);
  EXPECT_EQ(node_->on_link(LinkId::kNeighbor), 1u);
  EXPECT_FALSE(stage().control_idle());
  EXPECT_EQ(poll(0), 3u);
  EXPECT_TRUE(stage().control_idle());
  ASSERT_EQ(frames().size(), 3u);
  constexpr size_t kProtocolAt = 14 + 9;
  constexpr uint8_t kIgmp = 2;
  EXPECT_EQ(frames()[0][kProtocolAt], kIgmp);
  EXPECT_FALSE(is_data(frames()[1]));
  EXPECT_TRUE(is_data(frames()[2]));
}

TEST_F(RateControlStageTest, no_packet_for_a_heartbeat__expect_it_when_there_is_one) {
  sim::NodeWild wild;
  wild.pool.packets = 8;
  create(test_config(1), wild);
  auto taken = node_->env.take_all();
  EXPECT_EQ(poll(20 * kMs), 0u);
  EXPECT_LE(stage().next_deadline_ns(), 20 * kMs);
  node_->env.give_back(taken);
  EXPECT_EQ(poll(20 * kMs), 1u);
}

}  // namespace rate_control_stage_test
}  // namespace lambdacast::node
