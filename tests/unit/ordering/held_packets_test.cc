// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/held_packets.h"

#include <gtest/gtest.h>

#include "stub_host.h"

namespace lambdacast::ordering {
namespace held_packets_test {

using State = Held::State;
static_assert(sizeof(Held) == 56);

// Streams 0 to 2, three packets each; four domains.
class HeldPacketsTest : public ::testing::Test {
 protected:
  StubHost host_;
  HeldPackets held_{TotalOrderConfig{2, 3, 4, 1}, host_};
};

TEST_F(HeldPacketsTest, add_and_drop__expect_room_in_each_stream_alone) {
  for (uint64_t rel_seq = 1; rel_seq <= 3; ++rel_seq)
    held_.add(entry(1, rel_seq, 0, State::kUnmarked));
  EXPECT_EQ(held_.room(1), 0u);
  EXPECT_EQ(held_.room(0), 3u);
  EXPECT_EQ(held_.held(), 3u);
  held_.drop_while(1, [](const Held& held) { return held.rel_seq != 2; });
  EXPECT_EQ(host_.released, (Packets{packet(1, 1)}));
  EXPECT_EQ(held_.room(1), 1u);
  held_.drop_all(1);
  EXPECT_EQ(host_.released, (Packets{packet(1, 1), packet(1, 2), packet(1, 3)}));
  EXPECT_EQ(held_.first(1), HeldPackets::kNone);
  EXPECT_EQ(held_.held(), 0u);
}

TEST_F(HeldPacketsTest, room_that_came_back__expect_it_used_again_in_order) {
  for (uint64_t rel_seq = 1; rel_seq <= 20; ++rel_seq) {
    for (size_t stream = 0; stream < 3; ++stream) {
      held_.drop_while(stream, [&](const Held& held) { return held.rel_seq + 3 <= rel_seq; });
      ASSERT_LT(held_.add(entry(stream, rel_seq, 0, State::kMarks)), 9u);
    }
  }
  uint64_t expected = 18;
  for (uint32_t at = held_.first(2); at != HeldPackets::kNone; at = held_[at].next_in_stream)
    EXPECT_EQ(held_[at].rel_seq, expected++);
  EXPECT_EQ(expected, 21u);
}

TEST_F(HeldPacketsTest, content_until_it_is_settled__expect_its_stream_and_domain_to_wait) {
  const uint32_t ordered = held_.add(entry(1, 1, 3, State::kUnmarked));
  const uint32_t follows = held_.add(entry(1, 2, 3, State::kFollows));
  EXPECT_TRUE(held_.waits(1, 3));
  EXPECT_FALSE(held_.waits(1, 2));
  EXPECT_FALSE(held_.waits(0, 3));
  EXPECT_EQ(held_.following(1), 1u);
  EXPECT_FALSE(held_.settled());
  held_[ordered].state = State::kMarked;
  held_.settle(ordered);
  EXPECT_EQ(held_[ordered].state, State::kDelivered);
  EXPECT_TRUE(held_.settled());
  held_.look();
  EXPECT_FALSE(held_.settled());
  EXPECT_TRUE(held_.waits(1, 3));
  held_.settle(follows);
  EXPECT_FALSE(held_.waits(1, 3));
  EXPECT_EQ(held_.following(1), 0u);
}

TEST_F(HeldPacketsTest, marks__expect_nothing_to_wait_for_them) {
  const uint32_t marks = held_.add(entry(0, 1, 2, State::kMarks));
  EXPECT_FALSE(held_.waits(0, 2));
  held_.settle(marks);
  EXPECT_EQ(held_[marks].state, State::kApplied);
}

TEST_F(HeldPacketsTest, sift__expect_the_rest_in_its_order_and_what_is_gone_not_waited_for) {
  held_.add(entry(2, 1, 0, State::kVoid));
  held_.add(entry(2, 2, 1, State::kUnmarked));
  held_.add(entry(2, 3, 2, State::kFollows));
  held_.sift(2, [&](uint32_t at) { return held_[at].rel_seq == 2; });
  EXPECT_EQ(host_.released, (Packets{packet(2, 1), packet(2, 3)}));
  EXPECT_FALSE(held_.waits(2, 0));
  EXPECT_TRUE(held_.waits(2, 1));
  EXPECT_FALSE(held_.waits(2, 2));
  EXPECT_EQ(held_.following(2), 0u);
  EXPECT_EQ(held_.room(2), 2u);
  held_.add(entry(2, 4, 1, State::kUnmarked));
  const Held& first = held_[held_.first(2)];
  EXPECT_EQ(first.rel_seq, 2u);
  EXPECT_EQ(held_[first.next_in_stream].rel_seq, 4u);
}

// Streams of 32 packets: more than four behind those that stayed are many.
TEST(HeldPacketsCrowded, many_have_come_or_no_room_is_left__expect_a_sift_worth_it) {
  StubHost host;
  HeldPackets held(TotalOrderConfig{2, 32, 4, 1}, host);
  uint64_t rel_seq = 0;
  const auto add = [&](int count) {
    for (; count != 0; --count) held.add(entry(1, ++rel_seq, 0, State::kUnmarked));
  };
  add(4);
  EXPECT_FALSE(held.crowded(1));
  add(1);
  EXPECT_TRUE(held.crowded(1));
  EXPECT_FALSE(held.crowded(0));
  held.sift(1, [](uint32_t) { return true; });
  EXPECT_FALSE(held.crowded(1)) << "they have stayed";
  add(4);
  EXPECT_FALSE(held.crowded(1));
  held.drop_while(1, [](const Held& each) { return each.rel_seq <= 7; });
  EXPECT_FALSE(held.crowded(1)) << "two are left";
  add(5);
  EXPECT_TRUE(held.crowded(1));
  add(17);
  EXPECT_EQ(held.room(1), 8u);
  held.sift(1, [](uint32_t) { return true; });
  EXPECT_FALSE(held.crowded(1));
  add(1);
  EXPECT_TRUE(held.crowded(1)) << "hardly any room";
  held.drop_all(1);
}

TEST_F(HeldPacketsTest, list__expect_entries_of_several_streams_in_the_order_of_pushing) {
  HeldPackets::List list;
  const uint32_t second = held_.add(entry(0, 1, 0, State::kUnmarked));
  const uint32_t first = held_.add(entry(1, 1, 0, State::kUnmarked));
  held_.push(list, first);
  held_.push(list, second);
  EXPECT_EQ(held_.pop(list), first);
  EXPECT_EQ(held_.pop(list), second);
  EXPECT_TRUE(list.empty());
  held_.push(list, first);
  EXPECT_EQ(list.last, first);
}

}  // namespace held_packets_test
}  // namespace lambdacast::ordering
