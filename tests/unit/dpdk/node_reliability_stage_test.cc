// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <rte_ethdev.h>

#include <algorithm>

#include "node/reliability_stage.h"
#include "support.h"

namespace lambdacast::dpdk {
namespace node_reliability_stage_test {

using counters::DropReason;
using rack::Endpoint;

// Two endpoints of one fabric, polled by hand, and time as the test says.
class ReliabilityStageTest : public ::testing::Test {
 protected:
  ReliabilityStageTest() {
    const test::RackSpec spec;
    const config::Config config = test::rack_config(spec);
    a_ = test::started(config, 0);
    b_ = test::started(config, 1);
  }
  static void poll(Endpoint& node, uint64_t now_ns) {
    (void)node.node().receive().poll(now_ns);
    (void)node.node().reliability().poll(now_ns);
    (void)node.node().ordering().poll(now_ns);
    (void)node.node().rate_control().poll(now_ns);
  }
  void run_us(uint64_t us) {
    for (uint64_t i = 0; i < us; ++i) {
      now_ns_ += 1000;
      poll(*a_, now_ns_);
      poll(*b_, now_ns_);
    }
  }
  void join() {
    for (int i = 0; i < 100 && a_->receivers() + b_->receivers() != 2; ++i) run_us(1000);
    ASSERT_EQ(a_->receivers(), 1u);
    ASSERT_EQ(b_->receivers(), 1u);
  }
  static bool publish(Endpoint& node, uint8_t number, wire::Qos qos) {
    Loan loan;
    if (node.loan({&loan, 1}) == 0) return false;
    loan.payload()[0] = number;
    if (loan.describe(1, 1, qos) && node.publish({&loan, 1}) == 1) return true;
    node.give_back({&loan, 1});
    return false;
  }
  std::vector<int> take(Endpoint& node) {
    std::vector<int> numbers;
    node::MessageSink sink([&](const node::PacketInfo&, std::span<const uint8_t> message) {
      numbers.push_back(message[0]);
    });
    do {
      run_us(200);
    } while (node.take_deliveries(node::kMaxBurst, sink) != 0);
    return numbers;
  }

  std::unique_ptr<Endpoint> a_;
  std::unique_ptr<Endpoint> b_;
  uint64_t now_ns_ = 1'000'000;
};

TEST_F(ReliabilityStageTest, publish_source_ordered__expect_delivery_and_every_mbuf_back) {
  join();
  for (uint8_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(publish(*a_, i, wire::Qos::kSourceOrdered));
    run_us(1);
  }
  run_us(500);
  std::vector<int> expected(100);
  for (int i = 0; i < 100; ++i) expected[static_cast<size_t>(i)] = i;
  EXPECT_EQ(take(*b_), expected);
  run_us(20'000);
  EXPECT_TRUE(a_->flushed());
  EXPECT_EQ(test::report_of(*a_).rate_control.retention.packets, 0u);
  EXPECT_GT(b_->node().reliability().counters().drops[DropReason::kControlTaken], 0u);
  EXPECT_STREQ(a_->node().reliability().name(), "reliability");
}

// A burst comes as runs of packets that follow each other: before the loss, and behind it.
TEST_F(ReliabilityStageTest, drop_frames_within_a_burst__expect_the_runs_around_them_in_order) {
  join();
  std::vector<int> expected;
  for (uint8_t i = 0; i < 60; ++i) {
    ASSERT_TRUE(publish(*a_, i, wire::Qos::kSourceOrdered));
    expected.push_back(i);
    if (i == 19 || i == 24) poll(*a_, now_ns_);  // so many in a burst
    if (i == 19) (void)b_->node().receive().poll(now_ns_);
    rte_mbuf* frame = nullptr;
    while (i == 24 && rte_eth_rx_burst(b_->port().id(), 0, &frame, 1) == 1) rte_pktmbuf_free(frame);
  }
  EXPECT_EQ(take(*b_), expected);
  EXPECT_EQ(b_->node().receiver().report(0).repaired, 5u);
  EXPECT_EQ(b_->node().frames().total().missing, 5u);
}

TEST_F(ReliabilityStageTest, drop_a_frame_on_its_way__expect_it_repaired_in_its_place) {
  join();
  for (uint8_t i = 0; i < 20; ++i) {
    ASSERT_TRUE(publish(*a_, i, wire::Qos::kSourceOrdered));
    now_ns_ += 1000;
    poll(*a_, now_ns_);
    if (i == 7) {  // the eighth never comes as far as the stage
      rte_mbuf* frame = nullptr;
      while (rte_eth_rx_burst(b_->port().id(), 0, &frame, 1) == 1) rte_pktmbuf_free(frame);
    }
    poll(*b_, now_ns_);
  }
  run_us(2000);
  const std::vector<int> numbers = take(*b_);
  ASSERT_EQ(numbers.size(), 20u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(numbers[static_cast<size_t>(i)], i);
  EXPECT_EQ(a_->node().sender().counters().repairs, 1u);
  EXPECT_EQ(b_->node().receiver().counters().nacks_sent, 1u);
  EXPECT_EQ(b_->repair_ns().count(), 1u);
}

TEST_F(ReliabilityStageTest, stop_a_receiver__expect_both_sides_told_once) {
  join();
  std::vector<reliability::ReceiverEvent> receivers;
  std::vector<node::GapEvent> gaps;
  const auto take_events = [&](Endpoint& node) {
    receivers.clear();
    gaps.clear();
    node.take_events([&](const auto& event) { receivers.push_back(event); },
                     [&](const auto& gap) { gaps.push_back(gap); });
  };
  using What = reliability::ReceiverEvent::What;
  take_events(*a_);
  ASSERT_EQ(receivers.size(), 1u);
  EXPECT_EQ(receivers[0].what, What::kJoined);

  // b is stopped for longer than suspect_after, 2 s; its port loses what comes meanwhile.
  for (uint8_t i = 0; i < 10; ++i) ASSERT_TRUE(publish(*a_, i, wire::Qos::kSourceOrdered));
  for (int i = 0; i < 500; ++i) poll(*a_, now_ns_ += 5'000'000);
  rte_mbuf* frame = nullptr;
  while (rte_eth_rx_burst(b_->port().id(), 0, &frame, 1) == 1) rte_pktmbuf_free(frame);
  EXPECT_EQ(a_->receivers(), 0u);
  take_events(*a_);
  ASSERT_EQ(receivers.size(), 1u);
  EXPECT_EQ(receivers[0].what, What::kEvictedSilent);
  EXPECT_EQ(receivers[0].position, 0u);
  EXPECT_EQ(a_->peers().at(receivers[0].peer).gid, b_->identity().gid);
  take_events(*b_);
  EXPECT_TRUE(gaps.empty());

  for (int i = 0; i < 100 && a_->receivers() == 0; ++i) run_us(1000);
  run_us(20'000);
  EXPECT_EQ(a_->receivers(), 1u);
  take_events(*b_);
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_EQ(gaps[0].reason, reliability::LossReason::kEvicted);
  EXPECT_EQ(gaps[0].count, 0u);  // that it was cut off
  EXPECT_EQ(gaps[1].reason, reliability::LossReason::kEvicted);
  EXPECT_EQ(gaps[1].first_rel_seq, 1u);
  EXPECT_EQ(gaps[1].count, 10u);
  EXPECT_EQ(b_->node().reliability().gap_events_dropped(), 0u);
  take_events(*b_);
  EXPECT_TRUE(gaps.empty());
  struct GapSink : node::DeliverySink {
    void gap(const node::GapEvent& gap) { told += gap.count; }
    uint64_t told = 0;
  } application;
  (void)b_->take_deliveries(node::kMaxBurst, application);
  EXPECT_EQ(application.told, 10u);
  ASSERT_TRUE(publish(*a_, 77, wire::Qos::kSourceOrdered));
  run_us(500);
  EXPECT_EQ(take(*b_), std::vector<int>{77});
}

// A port that takes only so many frames.
uint16_t take_at_most(uint16_t, uint16_t, rte_mbuf**, uint16_t count, void* most) {
  return std::min(count, *static_cast<uint16_t*>(most));
}

// What is retained leaves retention while the port has yet to take it.
TEST_F(ReliabilityStageTest,
       cut_off_the_last_receiver_before_frames_are_sent__expect_them_unharmed) {
  join();
  uint16_t most = 3;
  const auto* callback = rte_eth_add_tx_callback(a_->port().id(), 0, take_at_most, &most);
  for (uint8_t i = 0; i < 8; ++i) ASSERT_TRUE(publish(*a_, i, wire::Qos::kSourceOrdered));
  (void)a_->node().rate_control().poll(now_ns_ += 1000);
  EXPECT_EQ(a_->node().rate_control().pending(), 5u);
  EXPECT_EQ(test::report_of(*a_).rate_control.retention.packets, 8u);
  most = 0;
  for (int i = 0; i < 500; ++i) poll(*a_, now_ns_ += 5'000'000);
  EXPECT_EQ(a_->receivers(), 0u);
  EXPECT_EQ(test::report_of(*a_).rate_control.retention.packets, 0u);
  // Whoever gets a buffer now writes into it.
  std::vector<Loan> loans(64);
  ASSERT_EQ(a_->loan(loans), loans.size());
  for (Loan& loan : loans) loan.payload()[0] = 0xee;
  a_->give_back(loans);

  most = 64;
  (void)a_->node().rate_control().poll(now_ns_ += 1000);
  EXPECT_EQ(a_->node().rate_control().pending(), 0u);
  rte_eth_remove_tx_callback(a_->port().id(), 0, callback);
  EXPECT_EQ(take(*b_), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(ReliabilityStageTest, publish_before_anybody_joined__expect_nothing_retained) {
  ASSERT_TRUE(publish(*a_, 1, wire::Qos::kReliable));
  now_ns_ += 1000;
  poll(*a_, now_ns_);
  EXPECT_EQ(test::report_of(*a_).rate_control.retention.packets, 0u);
  poll(*b_, now_ns_);
  EXPECT_EQ(b_->node().reliability().counters().drops[DropReason::kNotJoined], 1u);
}

TEST_F(ReliabilityStageTest, fill_the_link_behind__expect_the_pull_to_stop_and_nothing_lost) {
  join();
  for (int i = 0; i < 200; ++i) {
    while (!publish(*a_, static_cast<uint8_t>(i), wire::Qos::kSourceOrdered)) run_us(10);
    now_ns_ += 1000;
    poll(*a_, now_ns_);
    (void)b_->node().receive().poll(now_ns_);
    (void)b_->node().reliability().poll(now_ns_);  // ordering does not take anything away
  }
  run_us(2000);
  EXPECT_EQ(take(*b_).size(), 200u);  // as room is made
}

TEST_F(ReliabilityStageTest, take_nothing_for_longer_than_suspicion__expect_it_waited_for) {
  join();
  int published = 0;
  const auto poll_deaf = [&](Endpoint& node) {  // its ordering stage takes nothing
    (void)node.node().receive().poll(now_ns_);
    (void)node.node().reliability().poll(now_ns_);
    (void)node.node().rate_control().poll(now_ns_);
  };
  for (int ms = 0; ms < 5000; ++ms) {  // suspect_after is 2000
    for (int i = 0; i < 10; ++i) {
      now_ns_ += 100'000;
      if (publish(*a_, static_cast<uint8_t>(published), wire::Qos::kSourceOrdered)) ++published;
      poll(*a_, now_ns_);
      poll_deaf(*b_);
    }
  }
  EXPECT_TRUE(b_->node().rx_blocked());
  EXPECT_EQ(a_->receivers(), 1u);
  EXPECT_EQ(b_->receivers(), 1u);
  const std::vector<int> numbers = take(*b_);
  ASSERT_EQ(numbers.size(), static_cast<size_t>(published));
  for (int i = 0; i < published; ++i) EXPECT_EQ(numbers[static_cast<size_t>(i)], i % 256);
  EXPECT_FALSE(b_->node().rx_blocked());
}

TEST_F(ReliabilityStageTest, repeat_a_frame__expect_a_duplicate_and_the_gap_told) {
  test::StageEnv env;
  Link in = std::move(*Link::create("stage_in", 64));
  Link out = std::move(*Link::create("stage_out", 4));
  Link heard = std::move(*Link::create("stage_heard", 64));
  Link said = std::move(*Link::create("stage_said", 64));
  Link deliveries = std::move(*Link::create("stage_deliveries", 64));
  node::PeerTable peers(1);
  ASSERT_EQ(peers.add(wire::gid_from_ipv4(0x0a000001), 0x11, "peer"), 0u);
  reliability::ReliabilityConfig config;
  config.max_peers = 1;
  node::ReceivingHalf half(config);
  node::RxBlocked rx_blocked;
  node::PlaceHandover places;
  node::RateWatch watch(1);
  node::ReliabilityStage<MbufEnv> stage({half, peers, rx_blocked, places, nullptr, nullptr, watch},
                                        66, 1024, 32, 1'000'000, env.env,
                                        {in, out, heard, said, deliveries});
  for (const uint64_t sequence : {100, 101, 101, 103}) {
    rte_mbuf* m = env.pool.packet(sequence);
    in.push(&m, 1);
  }
  EXPECT_EQ(stage.poll(1), 4u);
  EXPECT_EQ(out.size(), 3u);
  EXPECT_EQ(stage.counters().drops[DropReason::kDuplicate], 1u);
  EXPECT_EQ(half.frames.report(0).current.missing, 1u);
}

}  // namespace node_reliability_stage_test
}  // namespace lambdacast::dpdk
