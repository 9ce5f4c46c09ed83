// SPDX-License-Identifier: BSD-3-Clause
// What each level of service waits for, and what is said of it.
#include <gtest/gtest.h>

#include <vector>

#include "order_node.h"
#include "ordering/total_order.h"

namespace lambdacast::ordering {
namespace levels_test {

using wire::Qos;

// The sequencer, whose mark came, and this node are two of five.
TEST(TotalOrderLevels, acknowledgements_come_one_by_one__expect_each_level_at_its_threshold) {
  constexpr size_t kMarks = 2, kSends = 0;
  OrderNode node{kConfig};
  TotalOrder& order = node.order();
  node.begin({kMarks, kSends, 1, 3, kSelf}, 4);
  std::vector<uint32_t> groups;
  for (int i = 0; i < 4; ++i) groups.push_back(node.group_of(0, groups));
  node.content(kSends, 1, groups[0], Qos::kTotallyOrdered);
  node.content(kSends, 2, groups[1], Qos::kKResilient);
  node.content(kSends, 3, groups[2], Qos::kMajority);
  node.content(kSends, 4, groups[3], Qos::kTotallyResilient);
  node.marks(kMarks, 1, 1, {{1, 4}});
  order.advance();
  EXPECT_EQ(node.take_delivered(), (Given{{kSends, 1}, {kSends, 2}}));
  order.acknowledged(0, 0, 1);  // as it says itself, later
  EXPECT_EQ(node.take_delivered(), Given{});
  order.acknowledged(2, 0, 1);
  EXPECT_EQ(node.take_delivered(), (Given{{kSends, 3}}));
  order.acknowledged(1, 0, 1);
  EXPECT_EQ(node.take_delivered(), Given{});
  order.acknowledged(3, 0, 1);
  EXPECT_EQ(node.take_delivered(), (Given{{kSends, 4}}));
}

TEST(TotalOrderLevels, marks_of_this_node__expect_it_to_count_once_and_to_have_nothing_to_say) {
  OrderNode node{kConfig};
  TotalOrder& order = node.order();
  node.begin({kSelf, 0, 2}, 0);
  (void)order.take_progress();
  node.content(0, 1, node.group_of(0), Qos::kKResilient);
  node.marks(kSelf, 1, 1, {{1, 1}});
  order.advance();
  EXPECT_EQ(node.take_delivered(), Given{});
  EXPECT_EQ(order.take_progress(), Progress::kNone);
  EXPECT_EQ(order.applied(0), 1u);
  order.acknowledged(1, 0, 1);
  EXPECT_EQ(node.take_delivered(), (Given{{0, 1}}));
}

TEST(TotalOrderLevels, acknowledgements_of_all_sequencers__expect_what_is_new_of_them_to_count) {
  OrderNode node{kConfig};
  TotalOrder& order = node.order();
  node.begin({2, 0, kSelf}, 2);
  node.content(0, 1, node.group_of(0), Qos::kTotallyResilient);
  node.content(2, 1, node.group_of(1), Qos::kTotallyResilient);
  node.marks(2, 2, 1, {{1, 1}});
  node.marks(0, 2, 1, {{0, 1}});
  order.advance();
  EXPECT_EQ(node.take_delivered(), Given{});
  order.acknowledged(0, std::array<uint64_t, 3>{1, 2, 0});
  EXPECT_EQ(node.take_delivered(), (Given{{2, 1}}));
  order.acknowledged(1, std::array<uint64_t, 5>{2, 1, 0, 9, 9});  // of more than there are
  EXPECT_EQ(node.take_delivered(), (Given{{0, 1}}));
  order.acknowledged(3, std::array<uint64_t, 3>{9, 9, 9});  // of no member
  EXPECT_EQ(order.stable_marks(0), 2u);
}

TEST(TotalOrderLevels, progress__expect_it_awaited_if_a_message_needs_more_than_its_mark) {
  for (const Qos qos :
       {Qos::kTotallyOrdered, Qos::kKResilient, Qos::kMajority, Qos::kTotallyResilient}) {
    OrderNode node{kConfig};
    TotalOrder& order = node.order();
    node.begin({0, kSelf, 1}, 1);
    (void)order.take_progress();
    node.content(0, 1, node.group_of(0), qos);
    node.marks(0, 2, 1, {{0, 1}});
    node.content(0, 3, node.group_of(0), Qos::kTotallyOrdered);
    order.advance();
    const bool awaited = qos != Qos::kTotallyOrdered;
    EXPECT_EQ(order.take_progress(), awaited ? Progress::kAwaited : Progress::kApplied);
    // What was awaited has been told.
    node.marks(0, 4, 1, {{0, 3}});
    order.advance();
    EXPECT_EQ(order.take_progress(), Progress::kApplied);
  }
}

// It is, wherever in a mark the message is, but not before all of the mark applies.
TEST(TotalOrderLevels, progress_of_a_mark_of_several_senders__expect_it_awaited_for_any_of_them) {
  OrderNode node{kConfig};
  TotalOrder& order = node.order();
  node.begin({0, kSelf, 1}, 1);
  (void)order.take_progress();
  node.content(0, 1, node.group_of(0), Qos::kTotallyResilient);
  node.marks(0, 2, 1, {{0, 1}, {2, 1}});
  order.advance();
  EXPECT_EQ(order.take_progress(), Progress::kNone);
  node.content(1, 1, node.group_of(0), Qos::kTotallyOrdered);
  order.advance();
  EXPECT_EQ(order.take_progress(), Progress::kAwaited);
}

}  // namespace levels_test
}  // namespace lambdacast::ordering
