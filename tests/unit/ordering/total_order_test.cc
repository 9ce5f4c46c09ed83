// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/total_order.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "order_node.h"

namespace lambdacast::ordering {
namespace total_order_test {

using wire::Qos;

// Rank 0 is stream 2, rank 1 is stream 0, rank 2 is this node.
class TotalOrderTest : public ::testing::Test {
 protected:
  static constexpr size_t kFirst = 2;
  static constexpr size_t kSecond = 0;

  TotalOrderTest() { node_.begin({kFirst, kSecond, kSelf}, 2); }
  Given run() {
    node_.order().advance();
    return node_.take_delivered();
  }
  void all_acknowledge(size_t marker, uint64_t rel_seq) {
    for (size_t member = 0; member < 3; ++member)
      node_.order().acknowledged(member, marker, rel_seq);
  }

  OrderNode node_{kConfig};
  TotalOrder& order_ = node_.order();
};

TEST_F(TotalOrderTest, content_and_then_its_mark__expect_delivery_with_the_mark) {
  const uint32_t group = node_.group_of(0);
  node_.content(kSecond, 1, group);
  node_.content(kSecond, 2, group);
  EXPECT_EQ(run(), Given{});
  node_.marks(kFirst, 1, 1, {{1, 2}});
  order_.advance();
  const uint32_t domain = order_.domain_of(group);
  EXPECT_EQ(node_.lines(),
            (std::vector<Line>{{kSecond, 1, 1, 0, domain}, {kSecond, 2, 1, 1, domain}}));
}

TEST_F(TotalOrderTest, a_mark_before_its_content__expect_it_to_wait_for_the_last_of_it) {
  const uint32_t group = node_.group_of(0);
  node_.marks(kFirst, 1, 1, {{1, 2}});
  node_.content(kSecond, 1, group);
  EXPECT_EQ(run(), Given{});
  EXPECT_EQ(order_.applied(0), 0u);
  node_.content(kSecond, 2, group);
  EXPECT_EQ(run(), (Given{{kSecond, 1}, {kSecond, 2}}));
  EXPECT_EQ(order_.applied(0), 1u);
}

TEST_F(TotalOrderTest, a_mark_up_to_a_position_that_holds_nothing_ordered__expect_it_applied) {
  node_.content(kSecond, 1, node_.group_of(0));
  node_.marks(kFirst, 1, 1, {{1, 2}});
  EXPECT_EQ(run(), Given{});
  node_.skip(kSecond, 2);
  EXPECT_EQ(run(), (Given{{kSecond, 1}}));
}

TEST_F(TotalOrderTest, one_mark_of_several_senders__expect_the_order_of_its_items) {
  const uint32_t group = node_.group_of(0);
  node_.content(kSelf, 1, group);
  node_.content(kSecond, 1, group);
  node_.content(kFirst, 1, group);
  node_.marks(kFirst, 2, 1, {{2, 1}, {0, 1}, {1, 1}});
  EXPECT_EQ(run(), (Given{{kSelf, 1}, {kFirst, 1}, {kSecond, 1}}));
}

TEST_F(TotalOrderTest, a_mark_over_content_of_another_sequencer__expect_that_left_unmarked) {
  node_.content(kSecond, 1, node_.group_of(1));
  node_.content(kSecond, 2, node_.group_of(0));
  node_.marks(kFirst, 1, 1, {{1, 2}});
  EXPECT_EQ(run(), (Given{{kSecond, 2}}));
  node_.marks(kSecond, 3, 1, {{1, 1}});
  EXPECT_EQ(run(), (Given{{kSecond, 1}}));
}

TEST_F(TotalOrderTest, two_domains_and_packets_of_many_messages__expect_indices_of_each_domain) {
  const uint32_t a = node_.group_of(0);
  const uint32_t b = node_.group_of(0, {a});
  node_.content(kSecond, 1, a, Qos::kTotallyOrdered, 3);
  node_.content(kSecond, 2, b, Qos::kTotallyOrdered, 2);
  node_.content(kSecond, 3, a, Qos::kTotallyOrdered, 0);  // a fragment that is not the last
  node_.content(kSecond, 4, a);
  node_.content(kSecond, 5, b);
  node_.marks(kFirst, 1, 1, {{1, 5}});
  order_.advance();
  std::map<uint32_t, std::vector<uint64_t>> indices;
  for (const Line& line : node_.lines()) indices[line.domain].push_back(line.index);
  EXPECT_EQ(indices[order_.domain_of(a)], (std::vector<uint64_t>{0, 3, 3}));
  EXPECT_EQ(indices[order_.domain_of(b)], (std::vector<uint64_t>{0, 2}));
}

// --- levels --------------------------------------------------------------------------------------

TEST_F(TotalOrderTest, a_high_level_before_a_low_one__expect_its_successors_to_wait) {
  const uint32_t a = node_.group_of(0);
  const uint32_t b = node_.group_of(0, {a});
  node_.content(kSecond, 1, a, Qos::kTotallyResilient);
  node_.content(kSecond, 2, a);
  node_.content(kSecond, 3, b);
  node_.marks(kFirst, 1, 1, {{1, 3}});
  EXPECT_EQ(run(), (Given{{kSecond, 3}}));
  order_.acknowledged(0, 0, 1);
  order_.acknowledged(1, 0, 1);
  EXPECT_EQ(run(), (Given{{kSecond, 1}, {kSecond, 2}}));
}

TEST_F(TotalOrderTest, an_acknowledgement_of_an_earlier_mark__expect_it_not_to_count) {
  const uint32_t group = node_.group_of(0);
  node_.marks(kFirst, 1, 1, {});
  node_.content(kSecond, 1, group, Qos::kTotallyResilient);
  node_.marks(kFirst, 2, 1, {{1, 1}});
  order_.advance();
  order_.acknowledged(0, 0, 2);
  order_.acknowledged(1, 0, 1);
  EXPECT_EQ(run(), Given{});
  order_.acknowledged(1, 0, 2);
  EXPECT_EQ(run(), (Given{{kSecond, 1}}));
}

// --- source ordered content behind ordered content -----------------------------------------------

TEST_F(TotalOrderTest, source_ordered_behind_ordered_of_its_group__expect_it_after_that) {
  const uint32_t group = node_.group_of(0);
  EXPECT_TRUE(order_.passes(kSecond, group));
  node_.content(kSecond, 1, group);
  EXPECT_FALSE(order_.passes(kSecond, group));
  EXPECT_TRUE(order_.passes(kFirst, group));
  node_.content(kSecond, 2, group, Qos::kSourceOrdered);
  EXPECT_EQ(run(), Given{});
  node_.marks(kFirst, 1, 1, {{1, 1}});
  order_.advance();
  ASSERT_EQ(node_.lines().size(), 2u);
  EXPECT_EQ(node_.lines()[0].rel_seq, 1u);
  EXPECT_EQ(node_.lines()[1].rel_seq, 2u);
  EXPECT_EQ(node_.lines()[1].epoch, 0u);
  EXPECT_TRUE(order_.passes(kSecond, group));
}

// --- what is held --------------------------------------------------------------------------------

TEST_F(TotalOrderTest, delivered_but_not_acknowledged_by_all__expect_it_kept_for_who_misses_it) {
  const uint32_t group = node_.group_of(0);
  node_.content(kSecond, 1, group);
  node_.content(kSecond, 2, group);
  node_.marks(kFirst, 1, 1, {{1, 2}});
  order_.advance();
  EXPECT_EQ(order_.held(), 3u);
  EXPECT_EQ(order_.room(kSecond), kConfig.stream_pkts - 2);
  std::vector<uint64_t> found;
  order_.find(kSecond, 2, 9, [&](uint64_t rel_seq, PacketHandle) { found.push_back(rel_seq); });
  EXPECT_EQ(found, std::vector<uint64_t>{2});
  order_.acknowledged(0, 0, 1);
  EXPECT_EQ(order_.held(), 3u);
  order_.acknowledged(1, 0, 1);
  EXPECT_EQ(order_.held(), 0u);
  EXPECT_EQ(order_.room(kSecond), kConfig.stream_pkts);
  EXPECT_EQ(node_.packets_out(), 0u);
}

TEST_F(TotalOrderTest, a_stream_full__expect_no_room_and_no_less_than_that) {
  const uint32_t group = node_.group_of(0);
  for (uint64_t rel_seq = 1; rel_seq <= kConfig.stream_pkts; ++rel_seq) {
    EXPECT_EQ(order_.room(kSecond), kConfig.stream_pkts - rel_seq + 1);
    node_.content(kSecond, rel_seq, group);
  }
  EXPECT_EQ(order_.room(kSecond), 0u);
  EXPECT_EQ(order_.room(kFirst), kConfig.stream_pkts);
}

TEST_F(TotalOrderTest, the_application_refuses__expect_the_rest_later_in_order) {
  const uint32_t group = node_.group_of(0);
  for (uint64_t rel_seq = 1; rel_seq <= 4; ++rel_seq) node_.content(kSecond, rel_seq, group);
  node_.refuse_after(2);
  node_.marks(kFirst, 1, 1, {{1, 4}});
  EXPECT_EQ(run(), (Given{{kSecond, 1}, {kSecond, 2}}));
  EXPECT_TRUE(order_.refused());
  all_acknowledge(0, 1);  // nothing overtakes, nothing goes that was not delivered
  EXPECT_EQ(run(), Given{});
  node_.refuse_after(1);
  order_.poll();
  EXPECT_EQ(run(), (Given{{kSecond, 3}}));
  EXPECT_TRUE(order_.refused());
  node_.refuse_after(9);
  order_.poll();
  EXPECT_EQ(run(), (Given{{kSecond, 4}}));
  EXPECT_FALSE(order_.refused());
  EXPECT_EQ(order_.held(), 0u);
}

// Nobody is to wait for what a frozen order does not hand on.
TEST_F(TotalOrderTest,
       the_application_refuses_before_a_ballot__expect_nothing_offered_until_its_end) {
  const uint32_t group = node_.group_of(0);
  for (uint64_t rel_seq = 1; rel_seq <= 2; ++rel_seq) node_.content(kSecond, rel_seq, group);
  node_.refuse_after(0);
  node_.marks(kFirst, 1, 1, {{1, 2}});
  EXPECT_EQ(run(), Given{});
  EXPECT_TRUE(order_.offers_again());
  order_.freeze();
  EXPECT_TRUE(order_.refused());
  EXPECT_FALSE(order_.offers_again());
  node_.refuse_after(9);
  order_.poll();
  EXPECT_EQ(run(), Given{});
}

TEST_F(TotalOrderTest, clear__expect_every_packet_given_back) {
  const uint32_t group = node_.group_of(0);
  node_.content(kSecond, 1, group, Qos::kTotallyResilient);
  node_.content(kSecond, 2, group, Qos::kSourceOrdered);
  node_.marks(kFirst, 1, 1, {{1, 1}});
  node_.marks(kFirst, 2, 1, {{1, 9}});
  node_.content(kSelf, 1, group);
  order_.advance();
  order_.clear();
  EXPECT_EQ(order_.held(), 0u);
  EXPECT_EQ(node_.packets_out(), 0u);
  EXPECT_EQ(order_.room(kSecond), kConfig.stream_pkts);
}

TEST_F(TotalOrderTest, forget_of_a_stream_of_no_view__expect_it_given_back_and_others_kept) {
  constexpr size_t kStranger = 1;
  const uint32_t group = node_.group_of(0);
  node_.content(kStranger, 115, group);
  node_.marks(kStranger, 116, 1, {{0, 115}});
  node_.content(kSecond, 1, group);
  EXPECT_EQ(node_.packets_out(), 3u);
  order_.forget(kStranger);
  EXPECT_EQ(node_.packets_out(), 1u);
  EXPECT_EQ(order_.room(kStranger), kConfig.stream_pkts);
  // The next life of it.
  EXPECT_TRUE(order_.passes(kStranger, group));
  order_.forget(kSecond);
  EXPECT_EQ(node_.packets_out(), 1u) << "a member's";
  node_.marks(kFirst, 1, 1, {{1, 1}});
  EXPECT_EQ(run(), (Given{{kSecond, 1}}));
}

// --- the sequencer -------------------------------------------------------------------------------

TEST_F(TotalOrderTest, content_of_domains_that_are_ours__expect_marks_of_every_sender_at_its_last) {
  const uint32_t ours = node_.group_of(2);
  EXPECT_FALSE(marks_due(order_));
  node_.content(kSecond, 1, node_.group_of(0));
  EXPECT_FALSE(marks_due(order_));
  node_.content(kSecond, 2, ours);
  node_.content(kSecond, 3, ours);
  node_.content(kSelf, 1, ours);
  ASSERT_TRUE(marks_due(order_));
  std::vector<uint8_t> bytes(100);
  bytes.resize(order_.write_marks(bytes.data(), bytes.size(), 0).bytes);
  ASSERT_TRUE(wire::valid_marks(bytes));
  EXPECT_EQ(wire::load_marks_epoch(bytes), 1u);
  ASSERT_EQ(wire::count_marks(bytes), 2u);
  EXPECT_EQ(wire::load_mark(bytes, 0).rank, 1);
  EXPECT_EQ(wire::load_mark(bytes, 0).through, 3u);
  EXPECT_EQ(wire::load_mark(bytes, 1).rank, 2);
  EXPECT_EQ(wire::load_mark(bytes, 1).through, 1u);
  node_.take(kSelf, 2, wire::kMarksGroup, Qos::kSourceOrdered, 1, bytes);
  EXPECT_EQ(run(), (Given{{kSecond, 2}, {kSecond, 3}, {kSelf, 1}}));
  EXPECT_FALSE(marks_due(order_));
  EXPECT_EQ(order_.counters().marks_sent, 1u);
}

TEST_F(TotalOrderTest, room_for_one_item__expect_the_other_in_the_next_packet) {
  const uint32_t ours = node_.group_of(2);
  node_.content(kFirst, 1, ours);
  node_.content(kSecond, 1, ours);
  std::vector<uint8_t> bytes(wire::kMarksHeaderBytes + 2 * wire::kMarkBytes - 1);
  for (uint64_t rel_seq = 1; rel_seq <= 2; ++rel_seq) {
    ASSERT_TRUE(marks_due(order_));
    const size_t used = order_.write_marks(bytes.data(), bytes.size(), 0).bytes;
    ASSERT_EQ(used, wire::kMarksHeaderBytes + wire::kMarkBytes);
    node_.take(kSelf, rel_seq, wire::kMarksGroup, Qos::kSourceOrdered, 1,
               {bytes.begin(), bytes.begin() + static_cast<long>(used)});
    EXPECT_EQ(run().size(), 1u);
  }
  EXPECT_FALSE(marks_due(order_));
}

// --- marks that are not for this view ------------------------------------------------------------

TEST_F(TotalOrderTest, marks_of_the_view_before__expect_them_passed_over) {
  OrderNode node(kConfig);
  node.begin({kFirst, kSecond, kSelf}, 2, 5);
  node.content(kSecond, 1, node.group_of(0));
  node.marks(kFirst, 1, 4, {{1, 1}});
  node.order().advance();
  EXPECT_TRUE(node.lines().empty());
  EXPECT_EQ(node.order().applied(0), 1u);
  node.marks(kFirst, 2, 5, {{1, 1}});
  node.order().advance();
  EXPECT_EQ(node.lines().size(), 1u);
}

TEST_F(TotalOrderTest, marks_of_the_view_to_come__expect_them_to_wait_for_it) {
  node_.content(kSecond, 1, node_.group_of(0));
  node_.marks(kFirst, 1, 2, {{1, 1}});
  EXPECT_EQ(run(), Given{});
  EXPECT_EQ(order_.applied(0), 0u);
}

TEST_F(TotalOrderTest, marks_that_are_malformed_or_name_no_member__expect_them_passed_over) {
  node_.content(kSecond, 1, node_.group_of(0));
  node_.take(kFirst, 1, wire::kMarksGroup, Qos::kSourceOrdered, 1, {});
  node_.take(kFirst, 2, wire::kMarksGroup, Qos::kSourceOrdered, 1, std::vector<uint8_t>(13));
  node_.marks(kFirst, 3, 1, {{3, 1}, {0xffff, ~uint64_t{0}}});
  EXPECT_EQ(run(), Given{});
  EXPECT_EQ(order_.applied(0), 3u);
  node_.marks(kFirst, 4, 1, {{1, 1}});
  EXPECT_EQ(run(), (Given{{kSecond, 1}}));
}

TEST_F(TotalOrderTest, frozen__expect_nothing_applied_nor_delivered_nor_marked) {
  const uint32_t ours = node_.group_of(2);
  node_.content(kSecond, 1, node_.group_of(0), Qos::kTotallyResilient);
  node_.marks(kFirst, 1, 1, {{1, 1}});
  order_.advance();
  order_.freeze();
  node_.content(kSecond, 2, ours);
  node_.marks(kFirst, 2, 1, {{1, 2}});
  EXPECT_FALSE(marks_due(order_));
  all_acknowledge(0, 2);
  EXPECT_EQ(run(), Given{});
  EXPECT_EQ(order_.applied(0), 1u);
}

TEST_F(TotalOrderTest, progress__expect_it_told_once_for_each_advance) {
  EXPECT_EQ(order_.take_progress(), Progress::kAwaited);  // the view began
  EXPECT_EQ(order_.take_progress(), Progress::kNone);
  node_.content(kSecond, 1, node_.group_of(0));
  order_.advance();
  EXPECT_EQ(order_.take_progress(), Progress::kNone);
  node_.marks(kFirst, 1, 1, {{1, 1}});
  order_.advance();
  EXPECT_EQ(order_.take_progress(), Progress::kApplied);
  EXPECT_EQ(order_.take_progress(), Progress::kNone);
}

}  // namespace total_order_test
}  // namespace lambdacast::ordering
