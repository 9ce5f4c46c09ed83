// SPDX-License-Identifier: BSD-3-Clause
// The stage without membership (ordered_delivery_test.cc: with it).
#include "node/ordering_stage.h"

#include <gtest/gtest.h>

#include "test_node.h"

namespace lambdacast::node {
namespace {

using counters::DropReason;
using wire::Kind;
using wire::Qos;

constexpr uint64_t kTimeoutNs = 100;
constexpr size_t kMemoryBytes = 16'384;

class OrderingStageTest : public ::testing::Test {
 protected:
  // Room for so many long messages at a time.
  explicit OrderingStageTest(uint16_t messages = 256)
      : filter_({.ordering = {.max_groups = 1},
                 .reassembly = {.max_message_bytes = 1'000,
                                .max_messages = messages,
                                .timeout_ns = kTimeoutNs,
                                .memory_bytes = kMemoryBytes},
                 .max_peers = 1}) {
    filter_.subscriptions().subscribe(1);
  }
  ~OrderingStageTest() override {
    while (SimPacket* packet = take()) env_.packets.free(packet);
    while (SimPacket* packet = TestEnv::pull(in_)) env_.packets.free(packet);
    EXPECT_EQ(env_.packets.live(), waiting_);
  }
  // A packet of 10 bytes; of a message of 20 in two fragments if `message_id` is not 0.
  void offer(uint32_t group, uint32_t message_id = 0, uint32_t offset = 0,
             Qos qos = Qos::kUnreliable) {
    SimPacket* packet = env_.packets.allocate();
    PacketInfo& info = packet->info;
    info = PacketInfo{};
    info.kind = message_id == 0 ? Kind::kData : Kind::kFragment;
    info.group = group;
    info.qos = qos;
    info.rel_seq = message_id * 100 + offset;
    info.payload_bytes = 10;
    info.message_bytes = 20;
    info.message_id = message_id;
    info.fragment_offset = offset;
    info.fragment_bytes = 10;
    in_.push(&packet, 1);
  }
  SimPacket* take() { return TestEnv::pull(out_); }
  // The application has done with it.
  void release(SimPacket* packet) {
    released_.push(packet->info.reassembly);
    env_.packets.free(packet);
  }

  TestEnv env_;
  sim::SimQueue in_ = env_.queue(64);
  sim::SimQueue out_ = env_.queue(4);
  sim::SimHandleQueue released_{nullptr};
  DeliveryFilter filter_;
  RxBlocked rx_blocked_;
  size_t waiting_ = 0;  // packets that the stage has at the end of the test
  OrderingStage<SimEnv> stage_{
      {filter_, rx_blocked_, nullptr, true}, 32, env_.env, {in_, out_, released_}};
};

// Room for one or two messages.
class OneMessageTest : public OrderingStageTest {
 protected:
  OneMessageTest() : OrderingStageTest(1) {}
};
class TwoMessagesTest : public OrderingStageTest {
 protected:
  TwoMessagesTest() : OrderingStageTest(2) {}
};

// --- where each outcome goes ---------------------------------------------------------------------

TEST_F(OrderingStageTest, receive_a_subscribed_group__expect_deliveries_in_the_order_of_arrival) {
  for (const uint32_t group : {1, 2, 1, 1}) offer(group, 0, group);
  EXPECT_EQ(stage_.poll(0), 4u);
  EXPECT_EQ(out_.size(), 3u);
  EXPECT_EQ(stage_.counters().forwarded, 3u);
  EXPECT_EQ(stage_.counters().drops[DropReason::kNotSubscribed], 1u);
  EXPECT_STREQ(stage_.name(), "ordering");
}

TEST_F(OrderingStageTest, receive_a_foreign_group__expect_not_subscribed_and_freed) {
  offer(2);
  EXPECT_EQ(stage_.poll(0), 1u);
  EXPECT_EQ(stage_.counters().drops[DropReason::kNotSubscribed], 1u);
  EXPECT_EQ(env_.packets.live(), 0u);
}

TEST_F(OrderingStageTest, receive_a_gap__expect_it_on_deliveries_whatever_the_group) {
  offer(2);
  SimPacket* gap = env_.packets.allocate();
  gap->info = PacketInfo{};
  become_gap(gap->info, 3, reliability::LossReason::kNone);
  in_.push(&gap, 1);
  EXPECT_EQ(stage_.poll(0), 2u);
  SimPacket* told = take();
  ASSERT_EQ(told, gap);
  EXPECT_EQ(told->info.gap.positions, 3u);
  env_.packets.free(told);
}

TEST_F(OrderingStageTest, receive_fragments__expect_their_packets_back_at_once_but_the_last) {
  offer(1, 5, 0);
  EXPECT_EQ(stage_.poll(0), 1u);
  EXPECT_EQ(env_.packets.live(), 0u);
  EXPECT_EQ(take(), nullptr);
  EXPECT_EQ(filter_.held(), 1u);
  offer(1, 5, 10);
  EXPECT_EQ(stage_.poll(0), 1u);
  SimPacket* whole = take();
  ASSERT_NE(whole, nullptr);
  EXPECT_NE(whole->info.message, nullptr);
  EXPECT_LT(filter_.reassembly().free_bytes(), kMemoryBytes);
  release(whole);
  EXPECT_EQ(stage_.poll(0), 0u);
  EXPECT_EQ(filter_.reassembly().free_bytes(), kMemoryBytes);
}

TEST_F(TwoMessagesTest, an_application_keeps_long_messages__expect_the_next_to_wait_in_order) {
  for (uint32_t id = 1; id <= 3; ++id) {
    offer(1, id, 0, Qos::kSourceOrdered);
    offer(1, id, 10, Qos::kSourceOrdered);
  }
  offer(1, 0, 0, Qos::kSourceOrdered);
  (void)stage_.poll(0);
  std::vector<SimPacket*> kept = {take(), take()};
  for (int polls = 0; polls < 3; ++polls) {
    EXPECT_EQ(stage_.poll(0), 0u);
    EXPECT_EQ(take(), nullptr);
  }
  EXPECT_GE(stage_.next_deadline_ns(), 1u) << "it waits for the application";
  for (SimPacket* packet : kept) {
    ASSERT_NE(packet, nullptr);
    release(packet);
  }
  for (int polls = 0; polls < 3; ++polls) (void)stage_.poll(0);
  for (const uint32_t id : {3, 0}) {
    SimPacket* packet = take();
    ASSERT_NE(packet, nullptr);
    EXPECT_EQ(packet->info.message_id, id);
    id == 3 ? release(packet) : env_.packets.free(packet);
  }
  EXPECT_EQ(stage_.counters().drops.total(), 0u);
  EXPECT_EQ(stage_.counters().received, 7u);
}

TEST_F(OneMessageTest, end_while_packets_wait_for_memory__expect_them_with_the_stage) {
  for (uint32_t id = 1; id <= 2; ++id) {
    offer(1, id, 0, Qos::kSourceOrdered);
    offer(1, id, 10, Qos::kSourceOrdered);
  }
  (void)stage_.poll(0);
  EXPECT_EQ(out_.size(), 1u);
  EXPECT_EQ(in_.size(), 0u);
  waiting_ = 2;
}

TEST_F(OneMessageTest, a_recoverable_message_cannot_be_kept__expect_gaps_in_its_place) {
  offer(1, 1, 0, Qos::kSourceOrdered);
  offer(1, 2, 0, Qos::kSourceOrdered);
  offer(1, 2, 10, Qos::kSourceOrdered);
  offer(1, 1, 10, Qos::kSourceOrdered);
  EXPECT_EQ(stage_.poll(0), 4u);
  for (const uint64_t rel_seq : {200, 210}) {
    SimPacket* gap = take();
    ASSERT_NE(gap, nullptr);
    EXPECT_EQ(gap->info.kind, Kind::kGap);
    EXPECT_EQ(gap->info.rel_seq, rel_seq);
    EXPECT_EQ(gap->info.gap.positions, 1u);
    EXPECT_EQ(gap->info.gap.reason, reliability::LossReason::kReassembly);
    env_.packets.free(gap);
  }
  SimPacket* whole = take();
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(whole->info.message_id, 1u);
  env_.packets.free(whole);
}

TEST_F(OneMessageTest, an_unreliable_message_cannot_be_kept__expect_it_dropped_and_no_gap) {
  offer(1, 1, 0);
  offer(1, 2, 0);
  EXPECT_EQ(stage_.poll(0), 2u);
  EXPECT_EQ(take(), nullptr);
  EXPECT_EQ(stage_.counters().drops.total(), 1u);
  EXPECT_EQ(env_.packets.live(), 0u);
}

// --- full links and deadlines --------------------------------------------------------------------

TEST_F(OrderingStageTest, meet_a_full_link__expect_the_pull_to_stop_and_nothing_dropped) {
  for (int i = 0; i < 6; ++i) offer(1);
  EXPECT_EQ(stage_.poll(0), 4u);
  EXPECT_EQ(stage_.poll(0), 0u);
  EXPECT_EQ(in_.size(), 2u);
  EXPECT_EQ(stage_.next_deadline_ns(), Stage::kNever);
  env_.packets.free(take());
  EXPECT_EQ(stage_.poll(0), 1u);
}

TEST_F(OrderingStageTest,
       poll_with_nothing_to_do__expect_silent_messages_given_up_at_the_deadline) {
  EXPECT_EQ(stage_.next_deadline_ns(), Stage::kNever);
  offer(1, 5, 0);
  EXPECT_EQ(stage_.poll(1'000), 1u);
  uint64_t due_ns = 0;
  while ((due_ns = stage_.next_deadline_ns()) <= 1'000 + kTimeoutNs)
    EXPECT_EQ(stage_.poll(due_ns), 0u);
  EXPECT_LE(due_ns, 1'000 + kTimeoutNs + 1);
  EXPECT_EQ(stage_.poll(due_ns - 1), 0u);
  EXPECT_EQ(stage_.counters().drops.total(), 0u);
  EXPECT_EQ(stage_.poll(due_ns), 0u);
  EXPECT_EQ(stage_.counters().drops[DropReason::kMessageIncomplete], 1u);
  EXPECT_EQ(stage_.next_deadline_ns(), Stage::kNever);
}

}  // namespace
}  // namespace lambdacast::node
