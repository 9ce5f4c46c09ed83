// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>

#include "node/receive_stage.h"
#include "support.h"

namespace lambdacast::dpdk {
namespace {

using counters::DropReason;
using rack::Endpoint;
using test::FrameSpec;
using test::Light;

class ReceiveStageTest : public ::testing::Test {
 protected:
  ReceiveStageTest() { light_ = std::make_unique<Light>(spec_.fabric, 3); }

  // Puts one frame on the fabric and lets the stage poll; how the endpoint counted it.
  void send_and_poll(const std::vector<uint8_t>& frame) {
    light_->send(frame);
    (void)node_->node().receive().poll(5000);
  }
  [[nodiscard]] uint64_t drops(DropReason reason) const {
    return node_->node().receive().counters().drops[reason];
  }
  [[nodiscard]] uint64_t forwarded() const { return node_->node().receive().counters().forwarded; }

  test::RackSpec spec_{.nodes = 1, .defaults = "max_peers = 2"};
  config::Config config_ = test::rack_config(spec_);
  std::unique_ptr<Endpoint> node_ = test::started(config_, 0);
  std::unique_ptr<Light> light_;
};

struct Refusal {
  const char* what;
  DropReason reason;
  std::function<void(FrameSpec&)> change;               // before the ICRC is made
  std::function<void(std::vector<uint8_t>&)> damage{};  // behind it
};

// Every frame is right but for one thing; without it, the same frame is forwarded.
const std::vector<Refusal>& refusals() {
  static const std::vector<Refusal> list = {
      {"a flipped bit of the message", DropReason::kBadIcrc, [](FrameSpec&) {},
       [](auto& frame) { frame[frame.size() - 10] ^= 1; }},
      {"a flipped bit of the ICRC", DropReason::kBadIcrc, [](FrameSpec&) {},
       [](auto& frame) { frame.back() ^= 0x80; }},
      {"an EtherType of ARP", DropReason::kNotIp, [](FrameSpec&) {},
       [](auto& frame) { frame[13] = 0x06; }},
      {"a tail cut off", DropReason::kTruncated, [](FrameSpec&) {},
       [](auto& frame) { frame.resize(frame.size() - 1); }},
      {"another UDP port", DropReason::kNotRocePort, [](FrameSpec&) {},
       [](auto& frame) { frame[37] ^= 1; }},
      {"another VLAN", DropReason::kWrongVlan,
       [](FrameSpec& s) {
         s.fields.has_vlan = true;
         s.fields.vlan_tci = 77;
       }},
      {"another Q_Key", DropReason::kQkeyMismatch, [](FrameSpec& s) { s.fields.qkey ^= 1; }},
      {"another P_Key", DropReason::kPkeyMismatch, [](FrameSpec& s) { s.fields.pkey = 0x8001; }},
      {"a group address with the same MAC", DropReason::kWrongDestinationGid,
       [](FrameSpec& s) { s.fields.destination_gid.bytes[13] ^= 0x80; }},
      {"a multicast address without the multicast queue pair", DropReason::kMulticastQpn,
       [](FrameSpec& s) { s.fields.destination_qpn = 0x11; }},
      {"our own source", DropReason::kOwnFrame,
       [](FrameSpec& s) { s.fields.source_gid = wire::gid_from_ipv4(0x0a4d0001); }},
      {"a payload beyond the path MTU", DropReason::kPayloadTooLong,
       [](FrameSpec& s) { s.message.resize(256 - 48 + 4); }},
      {"an unknown kind", DropReason::kTransportKind,
       [](FrameSpec& s) { s.header.kind = static_cast<wire::Kind>(99); }},
      {"a fragment", DropReason::kTransportFragment,
       [](FrameSpec& s) { s.header.fragment_offset = 8; }},
  };
  return list;
}

TEST_F(ReceiveStageTest, receive_frames_with_one_thing_wrong__expect_that_reason_and_no_other) {
  uint64_t total = 0;
  for (const Refusal& refusal : refusals()) {
    SCOPED_TRACE(refusal.what);
    const uint64_t before = drops(refusal.reason);
    FrameSpec spec = test::frame_for(*node_);
    refusal.change(spec);
    std::vector<uint8_t> frame = test::bytes_of(spec);
    if (refusal.damage) refusal.damage(frame);
    send_and_poll(frame);
    EXPECT_EQ(drops(refusal.reason), before + 1);
    EXPECT_EQ(node_->node().receive().counters().drops.total(), ++total);
    EXPECT_EQ(forwarded(), 0u);
  }
  send_and_poll(test::bytes_of(test::frame_for(*node_)));
  EXPECT_EQ(forwarded(), 1u);
  EXPECT_EQ(node_->node().receive().counters().received, total + 1);
}

TEST_F(ReceiveStageTest, drop_frames_by_the_hundred__expect_every_mbuf_back_in_the_pool) {
  FrameSpec wrong = test::frame_for(*node_);
  wrong.fields.qkey ^= 1;
  for (int i = 0; i < 2000; ++i) send_and_poll(test::bytes_of(wrong));  // four times the pool
  EXPECT_EQ(drops(DropReason::kQkeyMismatch), 2000u);
  EXPECT_EQ(node_->port().statistics().no_mbuf, 0u);
  node_->port().stop();
  EXPECT_EQ(rte_mempool_avail_count(node_->pool()), config_.endpoints[0].mbufs);
}

TEST_F(ReceiveStageTest, receive_a_third_transmitter_with_room_for_two__expect_peer_table_full) {
  for (uint8_t sender = 1; sender <= 3; ++sender) {
    FrameSpec spec = test::frame_for(*node_);
    spec.fields.source_gid.bytes[15] = static_cast<uint8_t>(200 + sender);
    send_and_poll(test::bytes_of(spec));
  }
  EXPECT_EQ(forwarded(), 2u);
  EXPECT_EQ(drops(DropReason::kPeerTableFull), 1u);
  EXPECT_EQ(node_->peers().size(), 2u);
}

TEST_F(ReceiveStageTest, receive_into_a_full_link__expect_the_pull_to_stop_and_nothing_dropped) {
  FrameSpec spec = test::frame_for(*node_);
  for (uint64_t i = 0; i < 100; ++i) {
    spec.header.frame_seq = i;
    light_->send(test::bytes_of(spec));
  }
  while (node_->node().receive().poll(1) != 0) {
  }
  EXPECT_EQ(forwarded(), 64u);  // link_slots: the other 36 wait in the fabric's ring
  EXPECT_EQ(node_->port().statistics().rx_packets, 64u);

  test::run_dry(*node_);  // deliveries hold 64, accepted and received the rest
  EXPECT_EQ(forwarded(), 100u);
  EXPECT_EQ(test::deliveries_of(*node_).size(), 64u);
  test::run_dry(*node_);
  EXPECT_EQ(test::deliveries_of(*node_).size(), 36u);
  EXPECT_EQ(node_->node().receive().counters().drops.total(), 0u);
  EXPECT_EQ(node_->port().statistics().missed, 0u);
}

TEST_F(ReceiveStageTest, receive_less_than_a_burst__expect_what_there_was_and_then_an_empty_poll) {
  FrameSpec spec = test::frame_for(*node_);
  for (uint64_t i = 0; i < 3; ++i) {
    spec.header.frame_seq = i;
    light_->send(test::bytes_of(spec));
  }
  EXPECT_EQ(node_->node().receive().poll(1), 3u);
  EXPECT_EQ(node_->node().receive().poll(1), 0u);
  EXPECT_STREQ(node_->node().receive().name(), "receive");
}

TEST_F(ReceiveStageTest, receive_frames_to_other_macs__expect_the_port_to_filter_them) {
  FrameSpec spec = test::frame_for(*node_);
  spec.fields.destination_mac.bytes[5] ^= 1;
  send_and_poll(test::bytes_of(spec));
  EXPECT_EQ(node_->node().receive().counters().received, 0u);
  EXPECT_EQ(node_->port().statistics().extended_or_zero("filtered"), 1u);
}

TEST_F(ReceiveStageTest, receive_a_corrupted_frame_unverified__expect_it_to_pass) {
  node_.reset();  // a device of the same name
  const test::RackSpec trusting{.nodes = 1, .defaults = "icrc = \"generate\""};
  const config::Config config = test::rack_config(trusting);
  const auto node = test::started(config, 0);
  Light light(trusting.fabric, 3);
  auto frame = test::bytes_of(test::frame_for(*node));
  frame[frame.size() - 10] ^= 1;
  light.send(frame);
  EXPECT_EQ(node->node().receive().poll(1), 1u);
  EXPECT_EQ(node->node().receive().counters().forwarded, 1u);
}

}  // namespace
}  // namespace lambdacast::dpdk
