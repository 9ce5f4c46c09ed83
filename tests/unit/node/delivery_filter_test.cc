// SPDX-License-Identifier: BSD-3-Clause
#include "node/delivery_filter.h"

#include <gtest/gtest.h>

#include <array>

namespace lambdacast::node {
namespace {

using counters::DropReason;
using Step = DeliveryFilter::Step;

DeliveryFilterConfig small_config(uint16_t max_messages) {
  return {.ordering = {4, false},
          .reassembly = {.max_message_bytes = 1000,
                         .max_messages = max_messages,
                         .timeout_ns = 1000,
                         .memory_bytes = 16384}};
}

class DeliveryFilterTest : public ::testing::Test {
 protected:
  DeliveryFilterTest() { core_.subscriptions().subscribe(1); }

  static PacketInfo packet(wire::Kind kind, uint32_t group = 1) {
    PacketInfo info{};
    info.kind = kind;
    info.group = group;
    info.payload_bytes = 50;
    return info;
  }
  static PacketInfo fragment(uint32_t offset, uint32_t message_id = 1) {
    PacketInfo info = packet(wire::Kind::kFragment);
    info.fragment_offset = offset;
    info.fragment_bytes = 50;
    info.message_bytes = 100;
    info.message_id = message_id;
    return info;
  }
  DeliveryFilter::Outcome accept(PacketInfo info, uint64_t now_ns = 0) {
    info_ = info;
    return core_.accept(info_, bytes_.data(), now_ns);
  }
  void expect_balance() const {
    const StageCounters& c = core_.counters();
    EXPECT_EQ(c.received, c.forwarded + c.drops.total() + core_.held());
  }

  std::array<uint8_t, 64> bytes_{};
  PacketInfo info_{};
  DeliveryFilter core_{small_config(8)};
};

TEST_F(DeliveryFilterTest, receive_whole_and_shared_messages__expect_them_delivered_and_counted) {
  EXPECT_EQ(accept(packet(wire::Kind::kData)).step, Step::kDeliver);
  PacketInfo shared = packet(wire::Kind::kMessages);
  shared.fragment_offset = 5;
  EXPECT_EQ(accept(shared).step, Step::kDeliver);
  EXPECT_EQ(core_.subscriptions().total().packets, 2u);
  EXPECT_EQ(core_.subscriptions().total().messages, 6u);
  EXPECT_EQ(core_.subscriptions().total().bytes, 50u + 40u);
  expect_balance();
}

TEST_F(DeliveryFilterTest, receive_of_a_foreign_group__expect_dropped_before_reassembly) {
  PacketInfo foreign = fragment(0);
  foreign.group = 2;
  EXPECT_EQ(accept(foreign).step, Step::kDrop);
  EXPECT_EQ(core_.counters().drops[DropReason::kNotSubscribed], 1u);
  EXPECT_EQ(core_.held(), 0u);
  expect_balance();
}

TEST_F(DeliveryFilterTest, receive_of_the_group_layer__expect_as_any_other_of_its_group) {
  EXPECT_EQ(accept(packet(wire::Kind::kGroup)).step, Step::kDeliver);
  EXPECT_EQ(accept(packet(wire::Kind::kGroup, 2)).reason, DropReason::kNotSubscribed);
  EXPECT_EQ(core_.subscriptions().report(1).delivered.messages, 1u);
  EXPECT_EQ(core_.subscriptions().total().messages, 1u);
  expect_balance();
}

TEST(DeliveryCoreOfAMember, receive_of_the_group_layer__expect_it_whatever_is_subscribed) {
  DeliveryFilterConfig config = small_config(8);
  config.all_group_messages = true;
  DeliveryFilter core(config);
  core.subscriptions().subscribe(1);
  PacketInfo info{};
  info.payload_bytes = 50;
  for (const wire::Kind kind : {wire::Kind::kGroup, wire::Kind::kData}) {
    for (info.group = 1; info.group <= 2; ++info.group) {
      info.kind = kind;
      const bool taken = kind == wire::Kind::kGroup || info.group == 1;
      EXPECT_EQ(core.accept(info, nullptr, 0).step, taken ? Step::kDeliver : Step::kDrop);
    }
  }
  EXPECT_EQ(core.subscriptions().total().messages, 3u);
  EXPECT_EQ(core.subscriptions().report(1).delivered.messages, 2u);
  EXPECT_EQ(core.subscriptions().report(2).delivered.messages, 0u);
  EXPECT_EQ(core.counters().forwarded, 3u);
}

TEST(DeliveryCoreOfACaller, receive_of_the_request_layer__expect_its_own_and_answers_to_it) {
  constexpr uint32_t kPersonal = 0xffff0007;
  DeliveryFilterConfig config = small_config(8);
  config.personal_group = kPersonal;
  DeliveryFilter core(config);
  core.subscriptions().subscribe(1);
  PacketInfo info{};
  info.payload_bytes = 90;
  struct Case {
    wire::Kind kind;
    uint32_t group;
    uint16_t peer;
    bool taken;
  };
  for (const Case& each : {Case{wire::Kind::kRequest, 1, 0, true},          // to its group
                           Case{wire::Kind::kRequest, 2, 0, false},         // to another one
                           Case{wire::Kind::kRequest, 2, kNoPeer, true},    // its own
                           Case{wire::Kind::kRequest, kPersonal, 0, true},  // to it
                           Case{wire::Kind::kRequest, kPersonal + 1, 0, false},
                           Case{wire::Kind::kRequestMessages, kPersonal, 0, true},
                           Case{wire::Kind::kRequestMessages, kPersonal + 1, 0, false},
                           Case{wire::Kind::kData, kPersonal, 0, false}}) {
    info.kind = each.kind;
    info.group = each.group;
    info.peer = each.peer;
    EXPECT_EQ(core.accept(info, nullptr, 0).step, each.taken ? Step::kDeliver : Step::kDrop)
        << each.group << " from " << each.peer;
  }
  for (const uint32_t group : {kPersonal, kPersonal + 1}) {
    const bool taken = group == kPersonal;
    info = PacketInfo{};
    info.kind = wire::Kind::kRequestFragment;
    info.qos = wire::Qos::kReliable;
    info.group = group;
    info.message_id = group;
    info.message_bytes = 100;
    info.fragment_bytes = info.payload_bytes = 50;
    const std::vector<uint8_t> bytes(50);
    EXPECT_EQ(core.accept(info, bytes.data(), 0).step, taken ? Step::kHold : Step::kDrop);
    info.fragment_offset = 50;
    EXPECT_EQ(core.accept(info, bytes.data(), 0).step, taken ? Step::kDeliver : Step::kDrop);
  }
}

TEST_F(DeliveryFilterTest, receive_both_fragments__expect_hold_then_delivery_of_all) {
  EXPECT_EQ(accept(fragment(0)).step, Step::kHold);
  expect_balance();
  EXPECT_EQ(accept(fragment(50)).step, Step::kDeliver);
  EXPECT_NE(info_.message, nullptr);
  EXPECT_EQ(core_.counters().forwarded, 2u);
  EXPECT_EQ(core_.subscriptions().total().messages, 1u);
  core_.release(info_.reassembly);
  expect_balance();
}

TEST_F(DeliveryFilterTest, receive_a_fragment_again__expect_it_dropped_with_its_reason) {
  EXPECT_EQ(accept(fragment(0)).step, Step::kHold);
  const auto again = accept(fragment(0));
  EXPECT_EQ(again.step, Step::kDrop);
  EXPECT_EQ(again.reason, DropReason::kDuplicate);
  expect_balance();
}

TEST_F(DeliveryFilterTest, make_room_for_a_message__expect_the_one_given_up_counted) {
  for (uint32_t id = 1; id <= 9; ++id) EXPECT_EQ(accept(fragment(0, id), id).step, Step::kHold);
  EXPECT_EQ(core_.counters().drops[DropReason::kMessageIncomplete], 1u);
  EXPECT_EQ(core_.held(), 8u);
  for (uint64_t now_ns = 0; now_ns <= 2'000; now_ns += 100) core_.expire(now_ns);
  EXPECT_EQ(core_.counters().drops[DropReason::kMessageIncomplete], 9u);
  expect_balance();
}

// What it may have heard meanwhile waits in its port.
TEST_F(DeliveryFilterTest, stop_for_longer_than_the_timeout__expect_the_message_not_given_up) {
  EXPECT_EQ(accept(fragment(0), 100).step, Step::kHold);
  core_.expire(100'000);
  EXPECT_EQ(core_.held(), 1u);
  EXPECT_EQ(accept(fragment(50), 100'010).step, Step::kDeliver);
  EXPECT_EQ(core_.counters().drops.total(), 0u);
  core_.release(info_.reassembly);
}

TEST_F(DeliveryFilterTest, wake_at_each_deadline__expect_the_message_given_up_after_its_timeout) {
  EXPECT_EQ(accept(fragment(0), 100).step, Step::kHold);
  uint64_t now_ns = 100;
  while (core_.held() != 0 && now_ns < 10'000) {
    now_ns = core_.next_expiry_ns();
    core_.expire(now_ns);
  }
  EXPECT_EQ(now_ns, 1'101u);
  EXPECT_EQ(core_.next_expiry_ns(), ~uint64_t{0});
}

TEST_F(DeliveryFilterTest,
       a_recoverable_message_finds_no_memory__expect_wait_while_any_comes_back) {
  const auto source_ordered = [](uint32_t offset, uint32_t id) {
    PacketInfo info = fragment(offset, id);
    info.qos = wire::Qos::kSourceOrdered;
    info.peer = 2;
    return info;
  };
  DeliveryFilterConfig config = small_config(2);
  config.max_peers = 3;
  DeliveryFilter core(config);
  core.subscriptions().subscribe(1);
  const auto take = [&](PacketInfo info) {
    info_ = info;
    return core.accept(info_, bytes_.data(), 0);
  };
  EXPECT_EQ(take(source_ordered(0, 1)).step, Step::kHold);
  EXPECT_EQ(take(source_ordered(50, 1)).step, Step::kDeliver);
  const uint16_t kept = info_.reassembly;
  EXPECT_EQ(take(source_ordered(0, 2)).step, Step::kHold);
  EXPECT_EQ(take(source_ordered(0, 3)).step, Step::kWait);
  EXPECT_EQ(core.counters().received, 3u);
  EXPECT_EQ(take(fragment(0, 4)).step, Step::kDrop) << "an unreliable one does not wait";
  core.release(kept);
  EXPECT_EQ(take(source_ordered(0, 3)).step, Step::kHold);
  const auto lost = take(source_ordered(0, 5));
  EXPECT_EQ(lost.step, Step::kLost) << "two are begun, and nothing comes back";
  EXPECT_EQ(lost.reason, DropReason::kReassemblyMemory);
  EXPECT_EQ(take(source_ordered(50, 5)).reason, DropReason::kMessageIncomplete);
  EXPECT_EQ(core.lost(2), 2u);
  EXPECT_EQ(core.lost(0), 0u);
  const StageCounters& c = core.counters();
  EXPECT_EQ(c.received, c.forwarded + c.drops.total() + core.held());
}

}  // namespace
}  // namespace lambdacast::node
