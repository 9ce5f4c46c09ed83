// SPDX-License-Identifier: BSD-3-Clause
#include "rack/rack_account.h"

#include <gtest/gtest.h>
#include <rte_ethdev.h>

#include "support.h"

namespace lambdacast::rack {
namespace {

// Its lcores never run: the test polls the stages itself.
class RackAccountTest : public ::testing::Test {
 protected:
  RackAccountTest() {
    rack_ = std::move(*Rack::create(test::rack_config(spec_), {}));
    for (size_t i = 0; i < rack_->size(); ++i) EXPECT_TRUE(rack_->endpoint(i).port().start());
  }
  void publish(size_t node, int count, uint32_t group = 1) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(test::publish(rack_->endpoint(node), test::counting_bytes(10), group));
    }
    test::run_dry(rack_->endpoint(node));
  }
  // Twice: the first time, all say that they are there.
  void hear() {
    for (int round = 0; round < 2; ++round) {
      for (size_t i = 0; i < rack_->size(); ++i) test::run_dry(rack_->endpoint(i));
    }
  }

  static constexpr uint64_t kControl = 2;  // a heartbeat of each of the two others
  test::RackSpec spec_{
      .nodes = 3, .defaults = "lcore = 1", .extra = {"", "", "faults = { loss = 1.0 }"}};
  std::unique_ptr<Rack> rack_;
};

TEST_F(RackAccountTest, send_and_hear_all__expect_rest_and_every_loss_at_its_receiver) {
  publish(0, 10);
  publish(1, 5);
  hear();
  const RackAccount account = account_of(*rack_);
  EXPECT_TRUE(account.at_rest());
  EXPECT_EQ(account.transmitters[0].numbered, 10u);
  EXPECT_EQ(account.transmitters[0].control, 1u);
  EXPECT_EQ(account.transmitters[0].on_the_fabric, 11u);
  EXPECT_EQ(account.receivers[0].expected, 5u + kControl);
  EXPECT_EQ(account.receivers[1].expected, 10u + kControl);
  EXPECT_EQ(account.receivers[1].control_expected, kControl);
  EXPECT_EQ(account.receivers[1].control, kControl);
  EXPECT_EQ(account.receivers[1].control_lost(), 0u);
  EXPECT_EQ(account.receivers[1].delivered, 10u);
  EXPECT_TRUE(account.receivers[1].losses.empty());
  EXPECT_EQ(account.receivers[2].expected, 15u + kControl);
  EXPECT_EQ(account.receivers[2].control_lost(), kControl);
  EXPECT_EQ(account.receivers[2].losses, (LossesByReason{{"fault_lost", 15 + kControl}}));
  for (const ReceiverAccount& receiver : account.receivers) EXPECT_TRUE(receiver.balanced());
}

TEST_F(RackAccountTest, send_and_not_hear_yet__expect_no_rest_until_it_is_heard) {
  publish(0, 3);
  EXPECT_FALSE(account_of(*rack_).at_rest());
  hear();
  EXPECT_TRUE(account_of(*rack_).at_rest());
}

TEST_F(RackAccountTest, send_to_a_group_nobody_wants__expect_it_lost_as_not_subscribed) {
  publish(0, 4, 9);
  hear();
  const RackAccount account = account_of(*rack_);
  EXPECT_TRUE(account.at_rest());
  EXPECT_EQ(account.receivers[1].losses, (LossesByReason{{"not_subscribed", 4}}));
}

TEST_F(RackAccountTest, settle_at_rest__expect_the_account_at_once) {
  publish(0, 2);
  hear();
  dpdk::StopSignal stop;
  const uint64_t before_ns = rack_->clock().now_ns();
  const RackAccount account = settle(*rack_, stop);
  EXPECT_TRUE(account.at_rest());
  EXPECT_GE(account.now_ns, before_ns);
}

TEST_F(RackAccountTest, settle_what_nobody_hears__expect_it_to_give_up_and_say_so) {
  publish(0, 2);
  dpdk::StopSignal stop;
  const RackAccount account = settle(*rack_, stop);
  EXPECT_FALSE(account.at_rest());
  EXPECT_EQ(account.receivers[1].shortfall(), 2 + 1);  // and the heartbeat
  EXPECT_EQ(account.receivers[1].missing_data(), 2u);
  EXPECT_EQ(account.receivers[0].shortfall(), 0);
}

TEST_F(RackAccountTest, leave_control_unheard__expect_rest_but_no_balance) {
  test::run_dry(rack_->endpoint(0));
  const RackAccount account = account_of(*rack_);
  EXPECT_EQ(account.receivers[1].shortfall(), 1);
  EXPECT_EQ(account.receivers[1].missing_data(), 0u);
  EXPECT_FALSE(account.receivers[1].balanced());
  EXPECT_TRUE(account.at_rest());
}

TEST_F(RackAccountTest, hear_a_stranger__expect_his_packets_told_apart_and_a_balance) {
  test::Light stranger(spec_.fabric, 3);
  publish(0, 2);
  test::FrameSpec spec = test::frame_for(rack_->endpoint(1));
  stranger.send(test::bytes_of(spec));
  spec.fields.qkey ^= 1;
  stranger.send(test::bytes_of(spec));
  spec.fields.destination_mac.bytes[5] ^= 1;
  stranger.send(test::bytes_of(spec));
  hear();
  const RackAccount account = account_of(*rack_);
  EXPECT_TRUE(account.at_rest());
  EXPECT_EQ(account.receivers[1].expected, 2u + kControl);
  EXPECT_EQ(account.receivers[1].elsewhere, 3u);
  EXPECT_EQ(account.receivers[1].delivered, 3u);
  EXPECT_EQ(account.receivers[1].losses, (LossesByReason{{"qkey_mismatch", 1}}));
  EXPECT_EQ(account.receivers[1].foreign, 1u);  // filtered by its MAC address
  EXPECT_EQ(account.receivers[2].elsewhere, 3u);
  EXPECT_EQ(account.receivers[2].losses, (LossesByReason{{"fault_lost", 5 + kControl}}));
}

TEST_F(RackAccountTest, stop_with_packets_in_the_links__expect_them_told_as_inside) {
  publish(0, 7);
  Endpoint& receiver = rack_->endpoint(1);
  (void)receiver.node().receive().poll(0);
  RackAccount account = account_of(*rack_);
  EXPECT_EQ(account.receivers[1].inside, 7u + 1);  // and a heartbeat
  EXPECT_TRUE(account.receivers[1].balanced());
  (void)receiver.node().reliability().poll(0);
  EXPECT_EQ(account_of(*rack_).receivers[1].inside, 7u);
  EXPECT_FALSE(account_of(*rack_).at_rest());
  hear();
  account = account_of(*rack_);
  EXPECT_EQ(account.receivers[1].inside, 0u);
  EXPECT_TRUE(account.at_rest());
}

TEST_F(RackAccountTest, publish_what_rate_control_has_not_taken__expect_no_rest) {
  ASSERT_TRUE(test::publish(rack_->endpoint(0), test::counting_bytes(10)));
  EXPECT_EQ(account_of(*rack_).stages[0].rate_control.waiting, 1u);
  EXPECT_FALSE(account_of(*rack_).at_rest());
  hear();
  hear();
  EXPECT_TRUE(account_of(*rack_).at_rest());
}

TEST_F(RackAccountTest, number_a_frame_that_the_port_refuses__expect_it_lost_at_the_transmitter) {
  // A transmit callback makes every frame longer than the fabric takes.
  const auto lengthen = [](uint16_t, uint16_t, rte_mbuf** frames, uint16_t count, void*) {
    for (uint16_t i = 0; i < count; ++i) frames[i]->pkt_len = frames[i]->data_len = 2000;
    return count;
  };
  const uint16_t port = rack_->endpoint(0).port().id();
  hear();
  const auto* callback = rte_eth_add_tx_callback(port, 0, lengthen, nullptr);
  publish(0, 3);
  rte_eth_remove_tx_callback(port, 0, callback);
  hear();
  const RackAccount account = account_of(*rack_);
  EXPECT_EQ(account.transmitters[0].lost(), 3u);
  EXPECT_EQ(account.receivers[1].losses, (LossesByReason{{"transmitter", 3}}));
  EXPECT_TRUE(account.at_rest());
}

}  // namespace
}  // namespace lambdacast::rack
