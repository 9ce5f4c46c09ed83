// SPDX-License-Identifier: BSD-3-Clause
#include "node/receive_stage.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "test_node.h"
#include "wire/net/arp.h"
#include "wire/roce/icrc.h"

namespace lambdacast::node {
namespace {

using counters::DropReason;

// A stranger on the fabric, who sends what node 1 delivers.
EndpointIdentity stranger(uint32_t number = 200) { return test_config(number).identity; }

class ReceiveStageTest : public ::testing::Test {
 protected:
  ReceiveStageTest() : ReceiveStageTest(test_config(1)) {}
  explicit ReceiveStageTest(NodeConfig config) {
    config.max_peers = 2;
    node_.emplace(config, now_ns_);
  }
  static Bytes frame_of(const EndpointIdentity& identity, uint64_t frame_seq = 0) {
    FrameBuilder builder({.identity = identity, .first_frame_seq = frame_seq});
    return transmit(builder, counting_bytes(20));
  }
  ReceiveStage<SimEnv>& stage() { return node_->node->receive(); }
  [[nodiscard]] uint64_t drops(DropReason reason) { return stage().counters().drops[reason]; }

  uint64_t now_ns_ = 1'000;
  std::optional<TestNode> node_;
};

struct Refusal {
  const char* what;
  DropReason reason;
  std::function<void(EndpointIdentity&)> identity;  // of the sender, before the ICRC is made
  std::function<void(Bytes&)> damage;               // behind it
};

// Every frame is right but for one thing. Without that, the same frame goes on.
const std::vector<Refusal>& refusals() {
  const auto same = [](EndpointIdentity&) {};
  const auto whole = [](Bytes&) {};
  static const std::vector<Refusal> list = {
      {"a flipped bit of the message", DropReason::kBadIcrc, same,
       [](Bytes& frame) { frame[frame.size() - 10] ^= 1; }},
      {"a flipped bit of the ICRC", DropReason::kBadIcrc, same,
       [](Bytes& frame) { frame.back() ^= 0x80; }},
      {"an EtherType of ARP", DropReason::kNotIp, same, [](Bytes& frame) { frame[13] = 0x06; }},
      {"a tail cut off", DropReason::kTruncated, same,
       [](Bytes& frame) { frame.resize(frame.size() - 1); }},
      {"another UDP port", DropReason::kNotRocePort, same, [](Bytes& frame) { frame[37] ^= 1; }},
      {"another VLAN", DropReason::kWrongVlan, [](EndpointIdentity& i) { i.vlan_tci = 77; }, whole},
      {"another Q_Key", DropReason::kQkeyMismatch, [](EndpointIdentity& i) { i.qkey ^= 1; }, whole},
      {"another P_Key", DropReason::kPkeyMismatch, [](EndpointIdentity& i) { i.pkey = 0x8001; },
       whole},
      {"a group address with the same MAC", DropReason::kWrongDestinationGid,
       [](EndpointIdentity& i) { i.multicast_gid.bytes[13] ^= 0x80; }, whole},
      {"our own source", DropReason::kOwnFrame,
       [](EndpointIdentity& i) { i.gid = test_config(1).identity.gid; }, whole},
  };
  return list;
}

// A frame with its first payload byte replaced, and the ICRC that goes with it.
Bytes with_first_byte(Bytes frame, uint8_t byte) {
  constexpr size_t kPayloadAt = 14 + 20 + 8 + 12 + 8;  // Ethernet, IPv4, UDP, BTH, DETH
  frame[kPayloadAt] = byte;
  const size_t icrc_at = frame.size() - 4;
  wire::store_icrc(frame.data() + icrc_at, wire::icrc(frame.data(), 14, icrc_at));
  return frame;
}

TEST_F(ReceiveStageTest, receive_another_version__expect_it_dropped_and_its_speaker_told_once) {
  const Bytes frame = frame_of(stranger());
  for (int i = 0; i < 2; ++i) node_->env.arrive(with_first_byte(frame, 0x36));
  EXPECT_EQ(stage().poll(now_ns_), 2u);
  EXPECT_EQ(drops(DropReason::kTransportVersion), 2u);
  const auto event = stage().take_version();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->gid, stranger().gid);
  EXPECT_EQ(event->version, 3);
  EXPECT_FALSE(event->control);
  EXPECT_FALSE(stage().take_version());
}

TEST_F(ReceiveStageTest, receive_frames_with_one_thing_wrong__expect_that_reason_and_none_on_link) {
  uint64_t total = 0;
  for (const Refusal& refusal : refusals()) {
    SCOPED_TRACE(refusal.what);
    const uint64_t before = drops(refusal.reason);
    EndpointIdentity identity = stranger();
    refusal.identity(identity);
    Bytes frame = frame_of(identity);
    refusal.damage(frame);
    node_->env.arrive(frame);
    EXPECT_EQ(stage().poll(now_ns_), 1u);
    EXPECT_EQ(drops(refusal.reason), before + 1);
    EXPECT_EQ(stage().counters().drops.total(), ++total);
    EXPECT_EQ(node_->env.host.outcomes.back(), refusal.reason);
    EXPECT_EQ(node_->env.packets.live(), 0u);
  }
  node_->env.arrive(frame_of(stranger()));
  EXPECT_EQ(stage().poll(now_ns_), 1u);
  EXPECT_EQ(stage().counters().forwarded, 1u);
  EXPECT_EQ(stage().counters().received, total + 1);
  EXPECT_EQ(node_->on_link(LinkId::kReceived), 1u);
}

TEST_F(ReceiveStageTest, receive_a_payload_beyond_the_path_mtu__expect_payload_too_long) {
  EndpointIdentity longer = stranger();
  longer.path_mtu = 1024;
  FrameBuilder builder({.identity = longer});
  node_->env.arrive(transmit(builder, counting_bytes(256)));
  EXPECT_EQ(stage().poll(now_ns_), 1u);
  EXPECT_EQ(drops(DropReason::kPayloadTooLong), 1u);
}

TEST_F(ReceiveStageTest, receive_good_and_bad_ones__expect_the_good_on_the_link_in_their_order) {
  FrameBuilder builder({.identity = stranger()});
  for (uint32_t i = 0; i < 10; ++i) {
    Bytes frame = transmit(builder, counting_bytes(20 + i));
    if (i % 3 == 1) frame.back() ^= 1;
    node_->env.arrive(frame);
  }
  EXPECT_EQ(stage().poll(now_ns_), 10u);
  EXPECT_EQ(stage().counters().forwarded, 7u);
  EXPECT_EQ(node_->env.packets.live(), 7u);
  node_->node->reliability().poll(now_ns_);
  node_->node->ordering().poll(now_ns_);
  (void)node_->take();
  ASSERT_EQ(node_->messages.size(), 7u);
  for (size_t i = 0; i < 7; ++i)
    EXPECT_EQ(node_->messages[i].info.frame_seq, i / 2 * 3 + i % 2 * 2);
}

TEST_F(ReceiveStageTest, receive_a_third_transmitter_with_room_for_two__expect_peer_table_full) {
  for (uint32_t sender = 1; sender <= 3; ++sender) {
    node_->env.arrive(frame_of(stranger(200 + sender)));
    (void)stage().poll(now_ns_);
  }
  EXPECT_EQ(stage().counters().forwarded, 2u);
  EXPECT_EQ(drops(DropReason::kPeerTableFull), 1u);
  EXPECT_EQ(stage().peers().size(), 2u);
}

TEST_F(ReceiveStageTest, receive_into_a_full_link__expect_the_pull_to_stop_and_nothing_dropped) {
  FrameBuilder builder({.identity = stranger()});
  for (uint64_t i = 0; i < 100; ++i) node_->env.arrive(transmit(builder, counting_bytes(20)));
  while (stage().poll(now_ns_) != 0) {
  }
  EXPECT_EQ(stage().counters().forwarded, 64u);
  EXPECT_EQ(node_->env.receiver.waiting(), 36u);
  EXPECT_EQ(stage().next_deadline_ns(), Stage::kNever) << "it waits for room";
  for (int i = 0; i < 10; ++i) node_->poll();
  ASSERT_EQ(node_->messages.size(), 100u);
  for (size_t i = 0; i < 100; ++i) EXPECT_EQ(node_->messages[i].info.frame_seq, i);
  EXPECT_EQ(stage().counters().drops.total(), 0u);
}

TEST_F(ReceiveStageTest, receive_less_than_a_burst__expect_what_there_was_and_then_an_empty_poll) {
  for (uint64_t i = 0; i < 3; ++i) node_->env.arrive(frame_of(stranger(), i));
  EXPECT_EQ(stage().poll(now_ns_), 3u);
  EXPECT_EQ(stage().poll(now_ns_), 0u);
  EXPECT_STREQ(stage().name(), "receive");
}

TEST_F(ReceiveStageTest, receive_more_than_a_burst__expect_a_burst_a_poll) {
  FrameBuilder builder({.identity = stranger()});
  for (uint64_t i = 0; i < 40; ++i) node_->env.arrive(transmit(builder, counting_bytes(20)));
  EXPECT_EQ(stage().poll(now_ns_), 32u);
  EXPECT_EQ(stage().poll(now_ns_), 8u);
}

// What may be ARP or IGMP is not the neighbor stage's where there is none.
TEST_F(ReceiveStageTest, receive_arp_without_a_neighbor_stage__expect_not_ip_and_freed) {
  Bytes frame(60);
  frame[12] = 0x08;
  frame[13] = 0x06;
  node_->env.arrive(frame);
  EXPECT_EQ(stage().poll(now_ns_), 1u);
  EXPECT_EQ(drops(DropReason::kNotIp), 1u);
  EXPECT_EQ(node_->env.packets.live(), 0u);
}

// A port has packets of its own in its descriptors; then it needs those of the pool.
TEST_F(ReceiveStageTest, poll_with_no_packet_left__expect_frames_to_wait_in_the_port) {
  sim::NodeWild wild;
  wild.pool.packets = 4;
  TestNode node(test_config(1), now_ns_, wild);
  auto taken = node.env.take_all();
  FrameBuilder builder({.identity = stranger()});
  constexpr uint32_t kFrames = 60;
  for (uint32_t i = 0; i < kFrames; ++i) node.env.arrive(transmit(builder, counting_bytes(20)));
  while (node.node->receive().poll(now_ns_) != 0) {
  }
  const uint32_t before = node.on_link(LinkId::kReceived);
  ASSERT_LT(before, kFrames);
  EXPECT_EQ(node.env.receiver.waiting(), kFrames - before);
  node.env.give_back(taken);
  while (node.node->receive().poll(now_ns_) != 0) {
  }
  EXPECT_EQ(node.on_link(LinkId::kReceived), before + 4);
  EXPECT_EQ(node.node->receive().counters().drops.total(), 0u);
}

class TrustingStageTest : public ReceiveStageTest {
 protected:
  static NodeConfig config() {
    NodeConfig config = test_config(1);
    config.icrc = wire::IcrcMode::kGenerate;
    return config;
  }
  TrustingStageTest() : ReceiveStageTest(config()) {}
};

TEST_F(TrustingStageTest, receive_a_corrupted_frame_unverified__expect_it_to_pass) {
  Bytes frame = frame_of(stranger());
  frame[frame.size() - 10] ^= 1;
  node_->env.arrive(frame);
  EXPECT_EQ(stage().poll(now_ns_), 1u);
  EXPECT_EQ(stage().counters().forwarded, 1u);
}

class NetworkedStageTest : public ReceiveStageTest {
 protected:
  static NodeConfig config() {
    NodeConfig config = test_config(1);
    config.neighbor.emplace();
    config.neighbor->mac = config.identity.mac;
    config.neighbor->gid = config.identity.gid;
    return config;
  }
  NetworkedStageTest() : ReceiveStageTest(config()) {}
};

TEST_F(NetworkedStageTest, receive_arp__expect_it_with_the_neighbor_stage_and_freed) {
  wire::ArpMessage question;
  question.sender_mac.bytes = {2, 0, 0, 0, 0, 9};
  question.sender = 0x0a000009;
  question.target = 0x0a000001;
  Bytes frame(14 + wire::kArpBytes);
  wire::LinkHeader link;
  link.destination = wire::kBroadcastMac;
  link.source = question.sender_mac;
  link.ether_type = wire::kEtherTypeArp;
  wire::store_link(link, frame.data());
  wire::store_arp(question, frame.data() + 14);
  node_->env.arrive(frame);
  EXPECT_EQ(stage().poll(now_ns_), 1u);
  EXPECT_EQ(drops(DropReason::kNeighborMessage), 1u);
  EXPECT_EQ(node_->env.packets.live(), 0u);
  EXPECT_EQ(node_->node->neighbor()->directory().find(wire::gid_from_ipv4(0x0a000009)),
            question.sender_mac);
  // Other refusals are not its affair.
  EndpointIdentity other = stranger();
  other.qkey ^= 1;
  node_->env.arrive(frame_of(other));
  EXPECT_EQ(stage().poll(now_ns_), 1u);
  EXPECT_EQ(drops(DropReason::kQkeyMismatch), 1u);
}

}  // namespace
}  // namespace lambdacast::node
