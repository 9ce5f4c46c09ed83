#include "node/endpoint_core.h"

#include <gtest/gtest.h>

#include "test_identity.h"

namespace lambdacast::node {
namespace {

using counters::DropReason;

EndpointConfig config(uint32_t number) {
  EndpointConfig config;
  config.identity = test_identity(number);
  return config;
}

class EndpointCoreTest : public ::testing::Test {
 protected:
  std::vector<uint8_t> publish(EndpointCore& from, size_t bytes, uint32_t group) {
    std::vector<uint8_t> frame(from.frame_builder().buffer_bytes(bytes));
    frame.resize(from.prepare(frame.data(), bytes, group, wire::Qos::kUnreliable, 0));
    return frame;
  }
  DropReason receive(const std::vector<uint8_t>& frame) {
    return receiver_.receive(frame.data(), frame.size(), 0, info_);
  }

  EndpointCore sender_{config(1)};
  EndpointCore receiver_{config(2)};
  PacketInfo info_{};
};

TEST_F(EndpointCoreTest, receive_a_subscribed_message__expect_all_three_stages_to_forward) {
  receiver_.subscriptions().subscribe(5);
  EXPECT_EQ(receive(publish(sender_, 10, 5)), DropReason::kNone);
  const EndpointCounters& counters = receiver_.counters();
  EXPECT_EQ(counters.receive.forwarded, 1u);
  EXPECT_EQ(counters.reliability.forwarded, 1u);
  EXPECT_EQ(counters.ordering.forwarded, 1u);
  EXPECT_EQ(receiver_.subscriptions().report(5).delivered.bytes, 10u);
}

TEST_F(EndpointCoreTest, receive_a_foreign_group__expect_it_to_fill_its_place_in_the_stream) {
  receiver_.subscriptions().subscribe(5);
  EXPECT_EQ(receive(publish(sender_, 10, 5)), DropReason::kNone);
  EXPECT_EQ(receive(publish(sender_, 10, 6)), DropReason::kNotSubscribed);
  EXPECT_EQ(receive(publish(sender_, 10, 5)), DropReason::kNone);
  EXPECT_EQ(receiver_.frame_account().report(0).current.missing, 0u);
  EXPECT_EQ(receiver_.counters().ordering.drops[DropReason::kNotSubscribed], 1u);
}

TEST_F(EndpointCoreTest, receive_twice__expect_the_drop_in_reliability) {
  receiver_.subscriptions().subscribe(5);
  const auto frame = publish(sender_, 10, 5);
  EXPECT_EQ(receive(frame), DropReason::kNone);
  EXPECT_EQ(receive(frame), DropReason::kDuplicate);
  EXPECT_EQ(receiver_.counters().reliability.drops[DropReason::kDuplicate], 1u);
  EXPECT_EQ(receiver_.counters().ordering.received, 1u);
}

TEST_F(EndpointCoreTest, receive_a_damaged_frame__expect_the_drop_in_receive_alone) {
  auto frame = publish(sender_, 10, 5);
  frame[frame.size() - 6] ^= 1;
  EXPECT_EQ(receive(frame), DropReason::kBadIcrc);
  EXPECT_EQ(receiver_.counters().receive.drops[DropReason::kBadIcrc], 1u);
  EXPECT_EQ(receiver_.counters().receive.forwarded, 0u);
  EXPECT_EQ(receiver_.counters().reliability.received, 0u);
}

TEST_F(EndpointCoreTest, receive_the_own_frame__expect_own_frame) {
  const auto frame = publish(receiver_, 10, 5);
  EXPECT_EQ(receive(frame), DropReason::kOwnFrame);
}

TEST_F(EndpointCoreTest, publish_too_much__expect_it_counted_and_nothing_sent) {
  const size_t bytes = sender_.frame_builder().room_bytes() + 1;
  EXPECT_TRUE(publish(sender_, bytes, 5).empty());
  EXPECT_EQ(sender_.counters().refused_too_long, 1u);
  EXPECT_EQ(sender_.counters().transmitted_packets, 0u);
}

TEST_F(EndpointCoreTest, publish_at_a_rate__expect_the_allowance_used_up) {
  EndpointConfig paced = config(3);
  paced.pacer = {1000, 2};
  EndpointCore core(paced);
  EXPECT_EQ(core.allowance(0), 2u);
  (void)publish(core, 1, 5);
  (void)publish(core, 1, 5);
  EXPECT_EQ(core.allowance(0), 0u);
  EXPECT_EQ(core.next_deadline_ns(), 1'000'000u);
  EXPECT_EQ(core.counters().transmitted_packets, 2u);
  EXPECT_EQ(core.counters().transmitted_bytes, 2u);
}

TEST(StageCounters, count__expect_received_to_be_forwarded_plus_dropped) {
  StageCounters counters;
  EXPECT_EQ(counters.count(DropReason::kNone), DropReason::kNone);
  EXPECT_EQ(counters.count(DropReason::kTooOld), DropReason::kTooOld);
  EXPECT_EQ(counters.received, 2u);
  EXPECT_EQ(counters.forwarded, 1u);
  EXPECT_EQ(counters.drops.total(), 1u);
}

// Fragment `place` of the first message of `from`: 250 bytes in fragments of 100, 100 and 50.
std::vector<uint8_t> fragment(EndpointCore& from, uint32_t place, uint32_t group) {
  PacketInfo info{};
  info.kind = wire::Kind::kFragment;
  info.group = group;
  info.message_id = 1;
  info.message_bytes = 250;
  info.fragment_bytes = 100;
  info.fragment_offset = place * 100;
  info.payload_bytes = place == 2 ? 50 : 100;
  std::vector<uint8_t> frame(from.frame_builder().buffer_bytes(200));
  const size_t at = from.frame_builder().payload_offset(info.kind);
  for (size_t i = 0; i < info.payload_bytes; ++i) {
    frame[at + i] = static_cast<uint8_t>(info.fragment_offset + i);
  }
  frame.resize(from.prepare(frame.data(), info, 0));
  return frame;
}

TEST_F(EndpointCoreTest, receive_fragments__expect_the_message_with_the_last_of_them) {
  receiver_.subscriptions().subscribe(5);
  for (const uint32_t place : {2u, 0u}) {
    EXPECT_EQ(receive(fragment(sender_, place, 5)), DropReason::kNone);
    EXPECT_EQ(info_.message, nullptr);
  }
  EXPECT_EQ(receiver_.counters().ordering.forwarded, 0u);
  EXPECT_EQ(receiver_.delivery_filter().held(), 2u);
  EXPECT_EQ(receive(fragment(sender_, 1, 5)), DropReason::kNone);
  ASSERT_NE(info_.message, nullptr);
  for (size_t i = 0; i < 250; ++i) ASSERT_EQ(info_.message[i], static_cast<uint8_t>(i));
  EXPECT_EQ(receiver_.counters().ordering.forwarded, 3u);
  const auto delivered = receiver_.subscriptions().report(5).delivered;
  EXPECT_EQ(delivered.packets, 3u);
  EXPECT_EQ(delivered.messages, 1u);
  EXPECT_EQ(delivered.bytes, 250u);
  receiver_.release(info_.reassembly);
  EXPECT_EQ(sender_.counters().transmitted_bytes, 250u);
}

TEST_F(EndpointCoreTest, miss_a_fragment__expect_the_others_counted_as_incomplete_in_time) {
  receiver_.subscriptions().subscribe(5);
  EXPECT_EQ(receive(fragment(sender_, 0, 5)), DropReason::kNone);
  EXPECT_EQ(receive(fragment(sender_, 1, 5)), DropReason::kNone);
  receiver_.expire(100'000'001);
  const StageCounters ordering = receiver_.counters().ordering;
  EXPECT_EQ(ordering.received, 2u);
  EXPECT_EQ(ordering.drops[DropReason::kMessageIncomplete], 2u);
  EXPECT_EQ(receiver_.delivery_filter().held(), 0u);
}

}  // namespace
}  // namespace lambdacast::node
