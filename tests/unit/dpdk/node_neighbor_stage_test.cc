// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "node/neighbor_stage.h"
#include "support.h"

namespace lambdacast::dpdk {
namespace {

using counters::DropReason;
using counters::NeighborEvent;

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint32_t kPackets = 127;
constexpr wire::MacAddress kMac{{2, 0, 0, 0, 0x10, 1}};
constexpr wire::MacAddress kPeerMac{{2, 0, 0, 0, 0, 2}};
const wire::Gid kPeer = wire::gid_from_ipv4(0x0a4d0002);

class NeighborStageTest : public ::testing::Test {
 protected:
  NeighborStageTest() {
    static int next = 0;
    const std::string number = std::to_string(next++);
    link_.emplace(std::move(*Link::create("neighbor_test_link" + number, 64)));
    neighbor::NeighborConfig config;
    config.mac = kMac;
    config.gid = wire::gid_from_ipv4(0x0a4d0001);
    config.groups = {wire::gid_from_ipv4(0xefff4d01)};
    config.table.max_neighbors = 8;
    stage_ = std::make_unique<node::NeighborStage<MbufEnv>>(config, env_.env, *link_);
  }
  ~NeighborStageTest() override {
    (void)sent();
    EXPECT_EQ(pool_.away(), 0u);
  }

  // All frames handed over for transmission.
  std::vector<std::vector<uint8_t>> sent() {
    std::vector<std::vector<uint8_t>> frames;
    rte_mbuf* m = nullptr;
    while (link_->pull(&m, 1) == 1) {
      frames.emplace_back(frame_of(m), frame_of(m) + rte_pktmbuf_data_len(m));
      EXPECT_EQ(rte_pktmbuf_pkt_len(m), rte_pktmbuf_data_len(m));
      rte_pktmbuf_free(m);
    }
    return frames;
  }

  static std::vector<uint8_t> arp(const wire::ArpMessage& message) {
    std::vector<uint8_t> frame(14 + wire::kArpBytes);
    wire::LinkHeader link;
    link.destination = wire::kBroadcastMac;
    link.source = message.sender_mac;
    link.ether_type = wire::kEtherTypeArp;
    wire::store_link(link, frame.data());
    wire::store_arp(message, frame.data() + 14);
    return frame;
  }
  DropReason take(const std::vector<uint8_t>& frame, uint64_t now_ns) {
    return stage_->take(frame.data(), frame.size(), DropReason::kNotIp, now_ns);
  }

  test::StageEnv env_{0, kPackets};
  test::Pool& pool_ = env_.pool;
  std::optional<Link> link_;
  std::unique_ptr<node::NeighborStage<MbufEnv>> stage_;
};

TEST_F(NeighborStageTest, first_poll__expect_the_groups_joined) {
  EXPECT_EQ(stage_->poll(kSecond), 1u);
  const auto frames = sent();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].size(), 14 + wire::igmp_report_bytes(1));
  EXPECT_EQ(stage_->poll(kSecond), 0u);
}

TEST_F(NeighborStageTest, take_a_request__expect_its_reason_and_the_reply_at_the_next_poll) {
  (void)stage_->poll(kSecond);
  (void)sent();
  EXPECT_EQ(take(arp({false, kPeerMac, 0x0a4d0002, {}, 0x0a4d0001}), kSecond),
            DropReason::kNeighborMessage);
  EXPECT_EQ(stage_->poll(kSecond), 1u);
  EXPECT_EQ(sent().size(), 1u);
  EXPECT_EQ(stage_->directory().find(kPeer), kPeerMac);
}

TEST_F(NeighborStageTest, take_other_traffic__expect_the_reason_it_had) {
  std::vector<uint8_t> frame(60);
  EXPECT_EQ(take(frame, 1), DropReason::kNotIp);
  frame = arp({false, kPeerMac, 0x0a4d0002, {}, 0x0a4d0001});
  const uint8_t tag[] = {0x81, 0, 0, 77};
  frame.insert(frame.begin() + 12, tag, tag + 4);
  EXPECT_EQ(take(frame, 1), DropReason::kWrongVlan);
}

TEST_F(NeighborStageTest, resolve_an_unknown_peer__expect_a_question_and_then_the_address) {
  (void)stage_->poll(1);
  (void)sent();
  EXPECT_NE(stage_->resolve(kPeer, 1).state, neighbor::NeighborState::kReachable);
  EXPECT_FALSE(stage_->directory().find(kPeer));
  EXPECT_EQ(stage_->poll(2), 1u);
  EXPECT_EQ(sent().size(), 1u);
  (void)take(arp({true, kPeerMac, 0x0a4d0002, kMac, 0x0a4d0001}), 3);
  EXPECT_EQ(stage_->directory().find(kPeer), kPeerMac);
  EXPECT_EQ(stage_->resolve(kPeer, 4).state, neighbor::NeighborState::kReachable);
}

TEST_F(NeighborStageTest, resolve_it_a_thousand_times__expect_one_question) {
  (void)stage_->poll(1);
  for (uint32_t i = 0; i < 1000; ++i) (void)stage_->resolve(kPeer, 1);
  (void)stage_->poll(2);
  EXPECT_EQ(stage_->protocol().counters()[NeighborEvent::kSolicitationSent], 1u);
}

TEST_F(NeighborStageTest, empty_pool__expect_the_report_later_and_counted) {
  auto packets = pool_.packets(kPackets);
  EXPECT_EQ(stage_->poll(kSecond), 0u);
  EXPECT_EQ(stage_->poll(kSecond), 0u);  // not asked again at once
  EXPECT_EQ(stage_->protocol().counters()[NeighborEvent::kNoMbuf], 1u);
  rte_pktmbuf_free_bulk(packets.data(), kPackets);
  EXPECT_EQ(stage_->poll(kSecond + 1'000'000), 1u);
}

TEST_F(NeighborStageTest, full_link__expect_nothing_lost) {
  (void)stage_->poll(1);
  for (uint8_t i = 2; i < 60; ++i) {
    (void)take(arp({false, kPeerMac, 0x0a4d0000u + i, {}, 0x0a4d0001}), 1);
    (void)stage_->poll(1);
  }
  for (uint8_t i = 0; i < 20; ++i) {
    (void)take(arp({false, kPeerMac, 0x0a4d0064u + i, {}, 0x0a4d0001}), kSecond);
  }
  EXPECT_EQ(stage_->poll(kSecond), 64u - 59u);
  EXPECT_EQ(sent().size(), 64u);
  // A probe of the address and the second report have come due as well.
  EXPECT_GE(stage_->poll(2 * kSecond), 15u);
  EXPECT_GE(sent().size(), 15u);
}

TEST_F(NeighborStageTest, leave__expect_it_said_twice_and_then_quiet) {
  (void)stage_->poll(1);
  (void)stage_->poll(kSecond);
  (void)sent();
  stage_->leave(kSecond);
  EXPECT_FALSE(stage_->quiet());
  (void)stage_->poll(kSecond);
  (void)stage_->poll(2 * kSecond);
  EXPECT_TRUE(stage_->quiet());
  EXPECT_EQ(sent().size(), 2u);
}

TEST(NeighborRefusals, refusals_that_may_be_control__expect_three) {
  size_t count = 0;
  for (size_t i = 0; i < counters::kDropReasons; ++i) {
    count += node::NeighborStage<MbufEnv>::may_be_control(static_cast<DropReason>(i)) ? 1 : 0;
  }
  EXPECT_EQ(count, 3u);
}

}  // namespace
}  // namespace lambdacast::dpdk
