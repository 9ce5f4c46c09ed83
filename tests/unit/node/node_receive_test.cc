// SPDX-License-Identifier: BSD-3-Clause
// The way of a frame through the stages of a node, and where each stage counts what it drops.
#include <gtest/gtest.h>

#include "test_node.h"

namespace lambdacast::node {
namespace {

using counters::DropReason;
using wire::Qos;

class NodeReceiveTest : public ::testing::Test {
 protected:
  static NodeConfig config(uint32_t number) {
    NodeConfig config = test_config(number);
    config.delivery.ordering = {.max_groups = 4, .subscribe_all = false};
    return config;
  }
  NodeReceiveTest() { (void)receiver_.node->subscriptions().subscribe(5); }

  DropReason receive(const Bytes& frame) {
    receiver_.env.arrive(frame);
    receiver_.poll();
    return receiver_.env.host.outcomes.back();
  }
  Bytes publish(size_t bytes, uint32_t group) {
    return transmit(sender_, counting_bytes(bytes), group);
  }
  // Fragment `place` of the first message: 250 bytes in fragments of 100, 100 and 50.
  Bytes fragment(uint32_t place, uint32_t group) {
    const LongMessage message{group, Qos::kUnreliable, 1, 250, 100};
    const PacketInfo info = fragment_info(message, place * 100);
    Bytes frame(sender_.buffer_bytes(200));
    const size_t at = sender_.payload_offset(info.kind);
    for (size_t i = 0; i < info.payload_bytes; ++i)
      frame[at + i] = static_cast<uint8_t>(info.fragment_offset + i);
    frame.resize(sender_.lay(frame.data(), info, now_ns_));
    sender_.seal(frame.data(), frame.size());
    return frame;
  }
  [[nodiscard]] const StageCounters& in_receive() { return receiver_.node->receive().counters(); }
  [[nodiscard]] const StageCounters& in_reliability() {
    return receiver_.node->reliability().counters();
  }
  [[nodiscard]] const StageCounters& in_ordering() { return receiver_.node->filter().counters(); }

  uint64_t now_ns_ = 1'000;
  FrameBuilder sender_{{.identity = config(1).identity}};
  TestNode receiver_{config(2), now_ns_};
};

TEST_F(NodeReceiveTest, receive_a_subscribed_message__expect_all_three_stages_to_forward) {
  EXPECT_EQ(receive(publish(10, 5)), DropReason::kNone);
  EXPECT_EQ(in_receive().forwarded, 1u);
  EXPECT_EQ(in_reliability().forwarded, 1u);
  EXPECT_EQ(in_ordering().forwarded, 1u);
  EXPECT_EQ(receiver_.node->subscriptions().report(5).delivered.bytes, 10u);
  ASSERT_EQ(receiver_.messages.size(), 1u);
  EXPECT_EQ(receiver_.messages[0].bytes, counting_bytes(10));
}

TEST_F(NodeReceiveTest, receive_a_foreign_group__expect_it_to_fill_its_place_in_the_stream) {
  for (const uint32_t group : {5u, 6u, 5u})
    EXPECT_EQ(receive(publish(10, group)), DropReason::kNone);
  EXPECT_EQ(receiver_.node->frames().report(0).current.missing, 0u);
  EXPECT_EQ(in_ordering().drops[DropReason::kNotSubscribed], 1u);
  EXPECT_EQ(receiver_.messages.size(), 2u);
}

TEST_F(NodeReceiveTest, receive_twice__expect_the_drop_in_reliability) {
  const auto frame = publish(10, 5);
  EXPECT_EQ(receive(frame), DropReason::kNone);
  EXPECT_EQ(receive(frame), DropReason::kDuplicate);
  EXPECT_EQ(in_reliability().drops[DropReason::kDuplicate], 1u);
  EXPECT_EQ(in_ordering().received, 1u);
}

TEST_F(NodeReceiveTest, receive_a_damaged_frame__expect_the_drop_in_receive_alone) {
  auto frame = publish(10, 5);
  frame[frame.size() - 6] ^= 1;
  EXPECT_EQ(receive(frame), DropReason::kBadIcrc);
  EXPECT_EQ(in_receive().drops[DropReason::kBadIcrc], 1u);
  EXPECT_EQ(in_receive().forwarded, 0u);
  EXPECT_EQ(in_reliability().received, 0u);
}

TEST_F(NodeReceiveTest, receive_the_own_frame__expect_own_frame) {
  ASSERT_TRUE(receiver_.publish(counting_bytes(10), Qos::kUnreliable, 5));
  receiver_.poll();
  EXPECT_EQ(receive(receiver_.env.host.frames.back()), DropReason::kOwnFrame);
}

TEST_F(NodeReceiveTest, receive_fragments__expect_the_message_with_the_last_of_them) {
  for (const uint32_t place : {2u, 0u}) EXPECT_EQ(receive(fragment(place, 5)), DropReason::kNone);
  EXPECT_TRUE(receiver_.messages.empty());
  EXPECT_EQ(in_ordering().forwarded, 0u);
  EXPECT_EQ(receiver_.node->filter().held(), 2u);
  EXPECT_EQ(receive(fragment(1, 5)), DropReason::kNone);
  ASSERT_EQ(receiver_.messages.size(), 1u);
  ASSERT_EQ(receiver_.messages[0].bytes.size(), 250u);
  for (size_t i = 0; i < 250; ++i)
    ASSERT_EQ(receiver_.messages[0].bytes[i], static_cast<uint8_t>(i));
  EXPECT_EQ(in_ordering().forwarded, 3u);
  const auto delivered = receiver_.node->subscriptions().report(5).delivered;
  EXPECT_EQ(delivered.packets, 3u);
  EXPECT_EQ(delivered.messages, 1u);
  EXPECT_EQ(delivered.bytes, 250u);
}

TEST_F(NodeReceiveTest, miss_a_fragment__expect_the_others_counted_as_incomplete_in_time) {
  for (const uint32_t place : {0u, 1u}) EXPECT_EQ(receive(fragment(place, 5)), DropReason::kNone);
  for (int i = 0; i < 6; ++i, now_ns_ += 25'000'000) receiver_.poll();
  EXPECT_EQ(in_ordering().received, 2u);
  EXPECT_EQ(in_ordering().drops[DropReason::kMessageIncomplete], 2u);
  EXPECT_EQ(receiver_.node->filter().held(), 0u);
}

}  // namespace
}  // namespace lambdacast::node
