// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <rte_ethdev.h>

#include "members.h"
#include "node/rate_control_stage.h"
#include "support.h"
#include "wire/control/control.h"

namespace lambdacast::dpdk {
namespace {

using rack::Endpoint;

// A port that takes only so many frames: a transmit callback withholds the rest.
uint16_t take_at_most(uint16_t, uint16_t, rte_mbuf**, uint16_t count, void* most) {
  return std::min(count, *static_cast<uint16_t*>(most));
}

class RateControlStageTest : public ::testing::Test {
 protected:
  std::unique_ptr<Endpoint> node(const std::string& keys = "") {
    const test::RackSpec spec{.nodes = 1, .defaults = keys};
    auto endpoint = test::started(test::rack_config(spec), 0, {1, 0xfffffe});
    introduce(*endpoint);
    return endpoint;
  }
  // The first heartbeat goes at once; the next one comes after heartbeat_us, 10 ms.
  static void introduce(Endpoint& node) { ASSERT_EQ(node.node().rate_control().poll(0), 1u); }
  static void publish(Endpoint& node, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) ASSERT_TRUE(test::publish(node, test::counting_bytes(8)));
  }
  static void publish_as(Endpoint& node, wire::Qos qos, int count) {
    for (; count != 0; --count) {
      Loan loan;
      ASSERT_EQ(node.loan({&loan, 1}), 1u);
      ASSERT_TRUE(loan.describe(8, 1, qos));
      ASSERT_EQ(node.publish({&loan, 1}), 1u);
    }
  }
};

TEST_F(RateControlStageTest, publish_ten__expect_ten_numbered_and_on_the_fabric) {
  const auto sender = node();
  publish(*sender, 10);
  node::RateControlStage<MbufEnv>& stage = sender->node().rate_control();
  EXPECT_EQ(stage.poll(0), 10u);
  EXPECT_EQ(stage.poll(0), 0u);
  EXPECT_EQ(stage.packets(), 10u);
  EXPECT_EQ(stage.application_bytes(), 80u);
  EXPECT_EQ(stage.control_packets(), 1u);  // numbered apart
  EXPECT_EQ(sender->port().statistics().tx_packets, 10u + 1);
  EXPECT_EQ(test::report_of(*sender).rate_control.next_frame_seq, 0xfffffeu + 10);
  EXPECT_EQ(test::report_of(*sender).rate_control.psn_wraps, 1u);
  EXPECT_STREQ(stage.name(), "rate_control");
}

TEST_F(RateControlStageTest, publish_over_the_rate__expect_what_is_due_and_the_rest_to_wait) {
  const auto sender = node("rate_pps = 1000000\nburst = 128");
  publish(*sender, 64);
  EXPECT_EQ(sender->node().rate_control().poll(0),
            64u);  // the burst that a paced endpoint may catch up
  publish(*sender, 20);
  EXPECT_EQ(sender->node().rate_control().poll(0), 0u);
  EXPECT_EQ(sender->node().rate_control().poll(999), 0u);
  EXPECT_EQ(sender->node().rate_control().poll(1000), 1u);
  EXPECT_EQ(sender->node().rate_control().poll(11'000), 10u);
  EXPECT_EQ(sender->node().rate_control().packets(), 75u);
  EXPECT_EQ(sender->node().rate_control().pending(), 0u);  // nothing is numbered before it may go
}

TEST_F(RateControlStageTest, publish_both_kinds_over_the_rate__expect_no_more_than_is_due) {
  const auto sender = node("rate_pps = 1000000\nburst = 32");
  node::RateControlStage<MbufEnv>& stage = sender->node().rate_control();
  publish_as(*sender, wire::Qos::kUnreliable, 40);
  publish_as(*sender, wire::Qos::kReliable, 32);
  (void)stage.poll(0);
  EXPECT_EQ(stage.packets(), 32u);
  (void)stage.poll(0);
  EXPECT_EQ(stage.packets(), 64u);  // the burst that a paced endpoint may catch up
  (void)stage.poll(1000);
  EXPECT_EQ(stage.packets(), 65u);
  (void)stage.poll(4000);
  EXPECT_EQ(stage.packets(), 68u);
}

TEST_F(RateControlStageTest, both_kinds_wait_and_one_goes_at_a_time__expect_them_by_turns) {
  const auto sender = node("rate_pps = 1000000\nburst = 32");
  node::RateControlStage<MbufEnv>& stage = sender->node().rate_control();
  publish_as(*sender, wire::Qos::kUnreliable, 64);
  (void)stage.poll(0);
  (void)stage.poll(0);  // the burst that a paced endpoint may catch up
  publish_as(*sender, wire::Qos::kUnreliable, 30);
  publish_as(*sender, wire::Qos::kReliable, 30);
  for (uint64_t now_ns = 1000; now_ns <= 20'000; now_ns += 500) (void)stage.poll(now_ns);
  EXPECT_EQ(stage.packets(), 64u + 20);
  EXPECT_EQ(test::report_of(*sender).rate_control.retention.last, 10u);
}

TEST_F(RateControlStageTest, find_more_than_a_burst_recoverable__expect_two_taken_and_no_more) {
  const auto sender = node("burst = 32");
  publish_as(*sender, wire::Qos::kReliable, 50);
  EXPECT_EQ(sender->node().rate_control().poll(0), 50u);
  publish_as(*sender, wire::Qos::kReliable, 32);
  EXPECT_EQ(sender->node().rate_control().poll(0), 32u);
}

TEST_F(RateControlStageTest, meet_a_port_that_takes_part__expect_the_rest_kept_and_sent_in_order) {
  const test::RackSpec spec;
  const config::Config config = test::rack_config(spec);
  const auto sender = test::started(config, 0);
  const auto receiver = test::started(config, 1);
  introduce(*sender);
  uint16_t most = 3;
  const auto* callback = rte_eth_add_tx_callback(sender->port().id(), 0, take_at_most, &most);
  ASSERT_NE(callback, nullptr);
  publish(*sender, 8);
  node::RateControlStage<MbufEnv>& stage = sender->node().rate_control();
  EXPECT_EQ(stage.poll(0), 3u);
  EXPECT_EQ(stage.pending(), 5u);
  most = 0;
  EXPECT_EQ(stage.poll(0), 0u);
  EXPECT_EQ(stage.pending(), 5u);
  publish(*sender, 1);
  most = 4;
  EXPECT_EQ(stage.poll(0), 4u);
  EXPECT_EQ(stage.poll(0), 1u);
  EXPECT_EQ(stage.poll(0), 1u);  // the ninth: pulled only now
  EXPECT_EQ(stage.packets(), 9u);
  rte_eth_remove_tx_callback(sender->port().id(), 0, callback);

  test::run_dry(*receiver);
  const auto deliveries = test::deliveries_of(*receiver);
  ASSERT_EQ(deliveries.size(), 9u);
  for (size_t i = 0; i < deliveries.size(); ++i) EXPECT_EQ(deliveries[i].info.frame_seq, i);
}

TEST_F(RateControlStageTest, destroy_it_with_pending_frames__expect_them_back_in_the_pool) {
  const auto sender = node();
  test::StageEnv env(sender->port().id());
  Link publications = std::move(*Link::create("test_publications", 64));
  uint16_t most = 2;
  const auto* callback = rte_eth_add_tx_callback(sender->port().id(), 0, take_at_most, &most);
  {
    const node::PeerTable peers(4);
    const node::RxBlocked rx_blocked;
    node::SendingHalf half({.identity = sender->identity()}, {.max_peers = 4});
    Link none = std::move(*Link::create("test_none", 64));
    Link heard = std::move(*Link::create("test_heard", 64));
    Link said = std::move(*Link::create("test_said", 64));
    node::RateWatch watch(8);
    node::RateShares rates({}, watch);
    node::PortDrain drain(64);
    const node::StageCounters reliability;
    node::RateControlStage<MbufEnv> stage(
        {half, peers, rx_blocked, nullptr, nullptr, rates, drain, reliability, nullptr}, {}, 32,
        env.env, {publications, none, heard, said, nullptr});
    const auto packets = env.pool.packets(10);
    publications.push(packets.data(), 10);
    EXPECT_EQ(stage.poll(0), 3u);  // the heartbeat, too
    EXPECT_EQ(stage.pending(), 8u);
    EXPECT_EQ(env.pool.away(), 8u);  // the fabric has copied the others
  }
  EXPECT_EQ(env.pool.away(), 0u);
  rte_eth_remove_tx_callback(sender->port().id(), 0, callback);
}

TEST_F(RateControlStageTest, leave_it_idle__expect_a_heartbeat_each_10_ms_and_no_number_used) {
  const auto sender = node();
  node::RateControlStage<MbufEnv>& stage = sender->node().rate_control();
  EXPECT_EQ(stage.poll(10'000'000), 0u);
  EXPECT_EQ(stage.poll(10'000'001), 1u);
  EXPECT_EQ(stage.poll(10'000'002), 0u);
  EXPECT_EQ(stage.poll(20'000'001), 1u);
  EXPECT_EQ(stage.control_packets(), 3u);
  EXPECT_EQ(stage.packets(), 0u);
  EXPECT_EQ(test::report_of(*sender).rate_control.next_frame_seq, 0xfffffeu);
  EXPECT_TRUE(stage.flushed());
}

TEST_F(RateControlStageTest, quiesce_it__expect_the_end_said_three_times_and_silence_then) {
  const auto sender = node();
  node::RateControlStage<MbufEnv>& stage = sender->node().rate_control();
  EXPECT_FALSE(stage.silent());
  stage.quiesce();
  for (uint64_t times = 1; times <= 3; ++times) {
    EXPECT_FALSE(stage.silent());
    EXPECT_EQ(stage.poll(times * 1'000'000), 1u);
  }
  EXPECT_TRUE(stage.silent());
  EXPECT_EQ(stage.poll(60'000'000'000), 0u);
}

TEST_F(RateControlStageTest, meet_a_port_that_takes_nothing__expect_control_kept_and_ahead) {
  const auto sender = node();
  node::RateControlStage<MbufEnv>& stage = sender->node().rate_control();
  uint16_t most = 0;
  const auto* callback = rte_eth_add_tx_callback(sender->port().id(), 0, take_at_most, &most);
  EXPECT_EQ(stage.poll(10'000'001), 0u);
  EXPECT_FALSE(stage.control_idle());
  publish(*sender, 3);
  most = 1;
  EXPECT_EQ(stage.poll(10'000'002), 1u + 1);  // the heartbeat, and one of the three
  EXPECT_TRUE(stage.control_idle());
  EXPECT_EQ(stage.control_packets(), 2u);
  EXPECT_EQ(stage.pending(), 2u);
  rte_eth_remove_tx_callback(sender->port().id(), 0, callback);
}

TEST_F(RateControlStageTest, publish_across_the_24_bit_wrap__expect_a_receiver_to_see_no_gap) {
  const test::RackSpec spec;
  const config::Config config = test::rack_config(spec);
  const auto sender = test::started(config, 0, {1, 0xfffffa});
  const auto receiver = test::started(config, 1);
  publish(*sender, 12);
  test::run_dry(*sender);
  test::run_dry(*receiver);
  const auto deliveries = test::deliveries_of(*receiver);
  ASSERT_EQ(deliveries.size(), 12u);
  EXPECT_EQ(deliveries.front().info.psn, 0xfffffau);
  EXPECT_EQ(deliveries[5].info.psn, 0xffffffu);
  EXPECT_EQ(deliveries[6].info.psn, 0u);
  EXPECT_EQ(deliveries.back().info.frame_seq, 0x1000005u);
  const auto report = receiver->node().frames().report(0);
  EXPECT_EQ(report.current.missing, 0u);
  EXPECT_EQ(report.psn_wraps, 1u);
  EXPECT_EQ(report.psn_mismatches, 0u);
}

// --- repairs, while data that may not go stands in the link ---------------------------------

class RepairsOfMemberTest : public MembersTest {
 protected:
  static constexpr uint32_t kMissed = 50;
  // As often they are asked for: more than repairs have saved up while there was nothing to repair.
  static constexpr uint32_t kTimes = 4;

  // Of node 0, which alone is polled from now on: into the link.
  void publish(wire::Qos qos, uint32_t count) {
    stopped_ = {false, true, true};
    for (; count != 0; --count) {
      Loan loan;
      ASSERT_EQ(nodes_[0]->loan({&loan, 1}), 1u);
      ASSERT_TRUE(loan.describe(8, 1, qos));
      ASSERT_EQ(nodes_[0]->publish({&loan, 1}), 1u);
    }
  }
  // Node 1 asks for the last kMissed positions.
  void ask() {
    now_ns_ += 10'000'000;  // the repair before has had its time
    // Written to as if the request had come by kHeard.
    auto& sender = const_cast<reliability::StreamSender&>(nodes_[0]->node().sender());
    const node::EndpointIdentity& asker = nodes_[1]->identity();
    const node::EndpointIdentity& us = nodes_[0]->identity();
    uint16_t peer = 0;
    while (nodes_[0]->peers().at(peer).gid != asker.gid) ++peer;
    wire::ControlHeader header;
    header.kind = wire::ControlKind::kNack;
    header.incarnation = asker.incarnation;
    header.data_qpn = asker.data_qpn;
    header.entries = 1;
    header.timestamp_ns = now_ns_;
    uint8_t payload[wire::kNackHeaderBytes + wire::kNackRunBytes] = {};
    wire::store_control_header(header, payload);
    wire::store_nack({us.gid, us.data_qpn, us.incarnation}, sender.window().last() + 1 - kMissed,
                     payload);
    wire::store_nack_run({0, kMissed}, payload + wire::kNackHeaderBytes);
    sender.accept_control(peer, payload, header, now_ns_, asker.gid);
  }
  void expect_repairs_at_once() {
    for (uint32_t times = 1; times <= kTimes; ++times) {
      ask();
      for (uint32_t turn = 0; turn <= kMissed / 32; ++turn) (void)stage().poll(now_ns_);
      EXPECT_EQ(repairs(), times * kMissed);
    }
  }
  [[nodiscard]] uint64_t repairs() { return nodes_[0]->node().sender().counters().repairs; }
  node::RateControlStage<MbufEnv>& stage() { return nodes_[0]->node().rate_control(); }
};

TEST_F(RepairsOfMemberTest, its_view_lets_nothing_go__expect_every_repair_at_once) {
  run_ms(50);
  publish(wire::Qos::kTotallyResilient, kMissed);
  run_ms(100);  // alone it finds no majority for another view
  ASSERT_EQ(nodes_[0]->node().view()->membership().state(), wire::MemberState::kRecovering);
  publish(wire::Qos::kTotallyResilient, 5);
  ASSERT_EQ(nodes_[0]->node().view()->allowance(), 0u);
  ASSERT_NE(nodes_[0]->node().sender().allowance(), 0u);
  expect_repairs_at_once();
  EXPECT_FALSE(stage().flushed());  // they still wait
}

TEST_F(RepairsOfMemberTest, no_buffer_for_what_comes_back_to_it__expect_every_repair_at_once) {
  run_ms(50);
  publish(wire::Qos::kTotallyResilient, kMissed);
  run_us(50);
  publish(wire::Qos::kTotallyResilient, 2);
  std::vector<rte_mbuf*> all;
  for (rte_mbuf* m; (m = rte_pktmbuf_alloc(nodes_[0]->pool())) != nullptr;) all.push_back(m);
  ASSERT_NE(nodes_[0]->node().view()->allowance(), 0u);
  expect_repairs_at_once();
  rte_pktmbuf_free_bulk(all.data(), static_cast<unsigned>(all.size()));
}

TEST_F(RepairsOfMemberTest, data_goes__expect_repairs_to_have_their_share_alone) {
  run_ms(50);
  publish(wire::Qos::kReliable, kMissed);
  run_us(50);
  for (uint32_t times = 1; times <= kTimes; ++times) {
    ask();
    for (uint32_t turn = 0; turn < 2; ++turn) {
      publish(wire::Qos::kUnreliable, 1);
      (void)stage().poll(now_ns_);
    }
  }
  EXPECT_LT(repairs(), kTimes * kMissed * 3 / 4);
}

}  // namespace
}  // namespace lambdacast::dpdk
