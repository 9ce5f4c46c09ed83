// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "node/ordering_stage.h"
#include "support.h"

namespace lambdacast::dpdk {
namespace {

using counters::DropReason;

class OrderingStageTest : public ::testing::Test {
 protected:
  static std::string name(const char* what) {
    static int next = 0;
    return what + std::to_string(next++);
  }
  // A packet of 10 bytes; of a fragmented message of 20 if `message_id` is not 0.
  void offer(uint32_t group, uint32_t message_id = 0, uint32_t offset = 0,
             wire::Qos qos = wire::Qos::kUnreliable) {
    rte_mbuf* m = pool_.packet();
    node::PacketInfo& info = info_of(m);
    info.kind = message_id == 0 ? wire::Kind::kData : wire::Kind::kFragment;
    info.group = group;
    info.qos = qos;
    info.peer = 0;
    info.rel_seq = message_id * 100 + offset;
    info.payload_bytes = 10;
    info.payload_offset = 0;
    info.message_bytes = 20;
    info.message_id = message_id;
    info.fragment_offset = offset;
    info.fragment_bytes = 10;
    info.message = nullptr;
    in_.push(&m, 1);
  }
  rte_mbuf* take() {
    rte_mbuf* m = nullptr;
    return out_.pull(&m, 1) == 1 ? m : nullptr;
  }

  static node::DeliveryFilterConfig filter_config(uint16_t max_messages) {
    return {.ordering = {1, false},
            .reassembly = {.max_message_bytes = 1000,
                           .max_messages = max_messages,
                           .timeout_ns = 100,
                           .memory_bytes = 16384}};
  }

  // A stage over the test's links, with room for so many messages of several packets.
  struct Apart {
    Apart(OrderingStageTest& test, uint16_t messages)
        : filter(filter_config(messages)),
          stage({filter, rx_blocked, nullptr, false}, 32, test.env_.env,
                {test.in_, test.out_, test.released_}) {}
    node::DeliveryFilter filter;
    node::RxBlocked rx_blocked;
    node::OrderingStage<MbufEnv> stage;
  };

  test::StageEnv env_;
  test::Pool& pool_ = env_.pool;
  Link in_ = std::move(*Link::create(name("ordering_in"), 64));
  Link out_ = std::move(*Link::create(name("ordering_out"), 4));
  ReleaseRing released_ = std::move(*ReleaseRing::create(name("ordering_released"), 256));
  Apart apart_{*this, 256};
  node::DeliveryFilter& filter_ = apart_.filter;
  node::OrderingStage<MbufEnv>& stage_ = apart_.stage;
};

TEST_F(OrderingStageTest, receive_a_foreign_group__expect_not_subscribed) {
  offer(1);
  EXPECT_EQ(stage_.poll(0), 1u);
  EXPECT_EQ(stage_.counters().drops[DropReason::kNotSubscribed], 1u);
  EXPECT_EQ(take(), nullptr);
  EXPECT_EQ(pool_.away(), 0u);
  EXPECT_STREQ(stage_.name(), "ordering");
}

TEST_F(OrderingStageTest, receive_fragments__expect_their_packets_back_at_once_but_the_last) {
  filter_.subscriptions().subscribe(1);
  offer(1, 5, 0);
  EXPECT_EQ(stage_.poll(0), 1u);
  EXPECT_EQ(pool_.away(), 0u);
  EXPECT_EQ(take(), nullptr);
  offer(1, 5, 10);
  EXPECT_EQ(stage_.poll(0), 1u);
  rte_mbuf* m = take();
  ASSERT_NE(m, nullptr);
  EXPECT_NE(info_of(m).message, nullptr);
  EXPECT_LT(filter_.reassembly().free_bytes(), 16384u);
  released_.push(info_of(m).reassembly);
  rte_pktmbuf_free(m);
  EXPECT_EQ(stage_.poll(0), 0u);
  EXPECT_EQ(filter_.reassembly().free_bytes(), 16384u);
}

TEST_F(OrderingStageTest, poll_with_nothing_to_do__expect_silent_messages_given_up) {
  filter_.subscriptions().subscribe(1);
  offer(1, 5, 0);
  EXPECT_EQ(stage_.poll(1000), 1u);
  for (uint64_t now_ns = 1025; now_ns <= 1101; now_ns += 19) EXPECT_EQ(stage_.poll(now_ns), 0u);
  EXPECT_EQ(stage_.counters().drops[DropReason::kMessageIncomplete], 1u);
}

TEST_F(OrderingStageTest, meet_a_full_link__expect_the_pull_to_stop_and_nothing_dropped) {
  filter_.subscriptions().subscribe(1);
  for (int i = 0; i < 6; ++i) offer(1);
  EXPECT_EQ(stage_.poll(0), 4u);
  EXPECT_EQ(stage_.poll(0), 0u);
  EXPECT_EQ(in_.size(), 2u);
}

// The stage has room for two messages, and the application takes none for a while.
TEST_F(OrderingStageTest, an_application_keeps_long_messages__expect_the_next_to_wait_in_order) {
  Apart apart(*this, 2);
  node::OrderingStage<MbufEnv>& stage = apart.stage;
  apart.filter.subscriptions().subscribe(1);
  constexpr auto kQos = wire::Qos::kSourceOrdered;
  for (uint32_t id = 1; id <= 3; ++id) {
    offer(1, id, 0, kQos);
    offer(1, id, 10, kQos);
  }
  offer(1, 0, 0, kQos);
  (void)stage.poll(0);
  std::vector<rte_mbuf*> kept = {take(), take()};
  EXPECT_EQ(stage.poll(0), 0u);
  for (int polls = 0; polls < 3; ++polls) {
    EXPECT_EQ(stage.poll(0), 0u);
    EXPECT_EQ(take(), nullptr);
  }
  for (rte_mbuf* m : kept) {
    ASSERT_NE(m, nullptr);
    released_.push(info_of(m).reassembly);
    rte_pktmbuf_free(m);
  }
  for (int polls = 0; polls < 3; ++polls) (void)stage.poll(0);
  for (const uint32_t id : {3, 0}) {
    rte_mbuf* m = take();
    ASSERT_NE(m, nullptr);
    EXPECT_EQ(info_of(m).message_id, id);
    if (id == 3) released_.push(info_of(m).reassembly);
    rte_pktmbuf_free(m);
  }
  EXPECT_EQ(stage.counters().drops.total(), 0u);
  EXPECT_EQ(stage.counters().received, 7u);
  EXPECT_EQ(pool_.away(), 0u);
}

TEST_F(OrderingStageTest, a_recoverable_message_cannot_be_kept__expect_gaps_in_its_place) {
  Apart apart(*this, 1);
  node::OrderingStage<MbufEnv>& stage = apart.stage;
  apart.filter.subscriptions().subscribe(1);
  constexpr auto kQos = wire::Qos::kSourceOrdered;
  offer(1, 1, 0, kQos);
  offer(1, 2, 0, kQos);
  offer(1, 2, 10, kQos);
  offer(1, 1, 10, kQos);
  EXPECT_EQ(stage.poll(0), 4u);
  for (const uint64_t rel_seq : {200, 210}) {
    rte_mbuf* gap = take();
    ASSERT_NE(gap, nullptr);
    EXPECT_EQ(info_of(gap).kind, wire::Kind::kGap);
    EXPECT_EQ(info_of(gap).rel_seq, rel_seq);
    EXPECT_EQ(info_of(gap).gap.positions, 1u);
    EXPECT_EQ(info_of(gap).gap.reason, reliability::LossReason::kReassembly);
    rte_pktmbuf_free(gap);
  }
  rte_mbuf* whole = take();
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(info_of(whole).message_id, 1u);
  rte_pktmbuf_free(whole);
}

}  // namespace
}  // namespace lambdacast::dpdk
