#include "dataplane/rate_control_stage.h"

#include <gtest/gtest.h>
#include <rte_ethdev.h>

#include "support.h"

namespace lambdacast::dataplane {
namespace {

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
  static void introduce(Endpoint& node) { ASSERT_EQ(node.rate_control().poll(0), 1u); }
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
  RateControlStage& stage = sender->rate_control();
  EXPECT_EQ(stage.poll(0), 10u);
  EXPECT_EQ(stage.poll(0), 0u);
  EXPECT_EQ(stage.packets(), 10u);
  EXPECT_EQ(stage.application_bytes(), 80u);
  EXPECT_EQ(stage.control_packets(), 1u);  // numbered apart
  EXPECT_EQ(sender->port().statistics().tx_packets, 10u + 1);
  EXPECT_EQ(stage.core().sequencer().next_frame_seq(), 0xfffffeu + 10);
  EXPECT_EQ(stage.core().sequencer().psn_wraps(), 1u);
  EXPECT_STREQ(stage.name(), "rate_control");
}

TEST_F(RateControlStageTest, publish_over_the_rate__expect_what_is_due_and_the_rest_to_wait) {
  const auto sender = node("rate_pps = 1000000\nburst = 128");
  publish(*sender, 64);
  EXPECT_EQ(sender->rate_control().poll(0), 64u);  // the burst that a paced endpoint may catch up
  publish(*sender, 20);
  EXPECT_EQ(sender->rate_control().poll(0), 0u);
  EXPECT_EQ(sender->rate_control().poll(999), 0u);
  EXPECT_EQ(sender->rate_control().poll(1000), 1u);
  EXPECT_EQ(sender->rate_control().poll(11'000), 10u);
  EXPECT_EQ(sender->rate_control().packets(), 75u);
  EXPECT_EQ(sender->rate_control().pending(), 0u);  // nothing is numbered before it may go
}

TEST_F(RateControlStageTest, publish_both_kinds_over_the_rate__expect_no_more_than_is_due) {
  const auto sender = node("rate_pps = 1000000\nburst = 32");
  RateControlStage& stage = sender->rate_control();
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

TEST_F(RateControlStageTest, find_more_than_a_burst_recoverable__expect_two_taken_and_no_more) {
  const auto sender = node("burst = 32");
  publish_as(*sender, wire::Qos::kReliable, 50);
  EXPECT_EQ(sender->rate_control().poll(0), 50u);
  publish_as(*sender, wire::Qos::kReliable, 32);
  EXPECT_EQ(sender->rate_control().poll(0), 32u);
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
  RateControlStage& stage = sender->rate_control();
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
  test::Pool pool;
  Link publications = std::move(*Link::create("test_publications", 64));
  uint16_t most = 2;
  const auto* callback = rte_eth_add_tx_callback(sender->port().id(), 0, take_at_most, &most);
  {
    RateControlConfig config;
    config.repair.max_peers = 4;
    config.transmit.identity = sender->identity();
    config.port = sender->port().id();
    const endpoint::PeerTable peers(4);
    Link none = std::move(*Link::create("test_none", 64));
    Link heard = std::move(*Link::create("test_heard", 64));
    Link said = std::move(*Link::create("test_said", 64));
    RateControlStage stage(config, peers, pool.get(),
                           RateControlStage::Links{publications, none, heard, said});
    const auto packets = pool.packets(10);
    publications.push(packets.data(), 10);
    EXPECT_EQ(stage.poll(0), 3u);  // the heartbeat, too
    EXPECT_EQ(stage.pending(), 8u);
    EXPECT_EQ(pool.away(), 8u);  // the fabric has copied the others
  }
  EXPECT_EQ(pool.away(), 0u);
  rte_eth_remove_tx_callback(sender->port().id(), 0, callback);
}

TEST_F(RateControlStageTest, leave_it_idle__expect_a_heartbeat_each_10_ms_and_no_number_used) {
  const auto sender = node();
  RateControlStage& stage = sender->rate_control();
  EXPECT_EQ(stage.poll(10'000'000), 0u);
  EXPECT_EQ(stage.poll(10'000'001), 1u);
  EXPECT_EQ(stage.poll(10'000'002), 0u);
  EXPECT_EQ(stage.poll(20'000'001), 1u);
  EXPECT_EQ(stage.control_packets(), 3u);
  EXPECT_EQ(stage.packets(), 0u);
  EXPECT_EQ(stage.core().sequencer().next_frame_seq(), 0xfffffeu);
  EXPECT_TRUE(stage.flushed());
}

TEST_F(RateControlStageTest, quiesce_it__expect_the_end_said_three_times_and_silence_then) {
  const auto sender = node();
  RateControlStage& stage = sender->rate_control();
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
  RateControlStage& stage = sender->rate_control();
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
  const auto report = receiver->reliability().core().report(0);
  EXPECT_EQ(report.current.missing, 0u);
  EXPECT_EQ(report.psn_wraps, 1u);
  EXPECT_EQ(report.psn_mismatches, 0u);
}

}  // namespace
}  // namespace lambdacast::dataplane
