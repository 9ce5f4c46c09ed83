// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/view_end.h"

#include <gtest/gtest.h>

#include "order_node.h"
#include "stub_host.h"

namespace lambdacast::ordering {
namespace view_end_test {

using wire::Qos;

constexpr TotalOrderConfig kWideConfig{kSelf, 32, 64, 1};

// View 1: rank 0 is stream 2, rank 1 is stream 0, rank 2 is this node, rank 3 is stream 1.
class ViewEndTest : public ::testing::Test {
 protected:
  static constexpr size_t kFirst = 2;
  static constexpr size_t kSecond = 0;
  static constexpr size_t kFourth = 1;

  ViewEndTest() { node_.begin({kFirst, kSecond, kSelf, kFourth}, 2); }
  Given run() {
    order_.advance();
    return node_.take_delivered();
  }
  // View 2 without stream 2; this node comes second.
  void end_without_first(uint64_t first, uint64_t second, uint64_t self, uint64_t fourth) {
    order_.freeze();
    const std::vector<Cut> cuts{{kFirst, first, false},
                                {kSecond, second, true},
                                {kSelf, self, true},
                                {kFourth, fourth, true}};
    const std::vector<size_t> streams{kSecond, kSelf, kFourth};
    order_.install(2, cuts, streams, 1);
  }

  OrderNode node_{kWideConfig};
  TotalOrder& order_ = node_.order();
};

TEST_F(ViewEndTest, marked_but_not_yet_of_its_level__expect_it_delivered_in_the_old_view) {
  const uint32_t group = node_.group_of(0);
  node_.content(kSecond, 1, group, Qos::kTotallyResilient);
  node_.content(kSecond, 2, group);
  node_.marks(kFirst, 1, 1, {{1, 2}});
  EXPECT_EQ(run(), Given{});
  end_without_first(1, 2, 0, 0);
  const uint32_t domain = order_.domain_of(group);
  EXPECT_EQ(node_.lines(),
            (std::vector<Line>{{kSecond, 1, 1, 0, domain}, {kSecond, 2, 1, 1, domain}}));
  EXPECT_EQ(node_.views(), (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(node_.lines_before_view(), 2u);
  EXPECT_EQ(order_.counters().recovered, 2u);
  EXPECT_EQ(order_.held(), 0u);
}

TEST_F(ViewEndTest, a_mark_that_came_behind_the_promise__expect_it_applied_first) {
  const uint32_t group = node_.group_of(0);
  node_.content(kSecond, 1, group);
  node_.content(kFourth, 1, group);
  order_.freeze();
  node_.marks(kFirst, 1, 1, {{3, 1}, {1, 1}});  // against the order of ranks
  EXPECT_EQ(run(), Given{});
  end_without_first(1, 1, 0, 1);
  EXPECT_EQ(node_.take_delivered(), (Given{{kFourth, 1}, {kSecond, 1}}));
}

TEST_F(ViewEndTest, nobody_marked_it__expect_it_behind_the_marked_by_rank_and_position) {
  const uint32_t group = node_.group_of(0);
  node_.content(kFourth, 1, group);
  node_.content(kSecond, 1, group);
  node_.content(kSelf, 1, group);
  node_.content(kFirst, 1, group);
  node_.content(kFourth, 2, group);
  node_.content(kSecond, 2, group);
  node_.marks(kFirst, 2, 1, {{3, 1}});
  EXPECT_EQ(run(), (Given{{kFourth, 1}}));
  end_without_first(2, 2, 1, 2);
  EXPECT_EQ(node_.take_delivered(),
            (Given{{kFirst, 1}, {kSecond, 1}, {kSecond, 2}, {kSelf, 1}, {kFourth, 2}}));
  EXPECT_EQ(order_.counters().discarded, 0u);
}

TEST_F(ViewEndTest, a_mark_behind_the_cut_of_its_sequencer__expect_it_void) {
  const uint32_t group = node_.group_of(0);
  node_.content(kFourth, 1, group);
  node_.content(kSecond, 1, group);
  order_.freeze();
  node_.marks(kFirst, 1, 1, {{3, 1}});
  end_without_first(0, 1, 0, 1);
  EXPECT_EQ(node_.take_delivered(), (Given{{kSecond, 1}, {kFourth, 1}}));
}

TEST_F(ViewEndTest, the_departed_behind_its_cut__expect_that_discarded_and_given_back) {
  const uint32_t group = node_.group_of(1);
  for (uint64_t rel_seq = 1; rel_seq <= 4; ++rel_seq) node_.content(kFirst, rel_seq, group);
  order_.advance();
  end_without_first(2, 0, 0, 0);
  EXPECT_EQ(node_.take_delivered(), (Given{{kFirst, 1}, {kFirst, 2}}));
  EXPECT_EQ(order_.counters().discarded, 2u);
  EXPECT_EQ(order_.held(), 0u);
  EXPECT_EQ(node_.packets_out(), 0u);
}

TEST_F(ViewEndTest, survivors_behind_their_cuts__expect_that_marked_in_the_new_view_from_index_0) {
  const uint32_t group = 1;
  const uint32_t domain = order_.domain_of(group);
  node_.content(kSecond, 1, group);
  node_.content(kSecond, 2, group);
  node_.content(kSelf, 1, group);
  end_without_first(0, 1, 0, 0);
  EXPECT_EQ(node_.take_delivered(), (Given{{kSecond, 1}}));
  EXPECT_EQ(order_.held(), 2u);
  const size_t marker = order_.marker_of(domain);
  const size_t stream = std::vector<size_t>{kSecond, kSelf, kFourth}[marker];
  EXPECT_EQ(marks_due(order_), stream == kSelf);
  node_.marks(stream, 5, 2, {{1, 1}, {0, 2}});
  order_.advance();
  EXPECT_EQ(node_.lines(),
            (std::vector<Line>{{kSelf, 1, 2, 0, domain}, {kSecond, 2, 2, 1, domain}}));
}

TEST_F(ViewEndTest, marks_of_the_new_view_were_here_first__expect_them_applied_as_it_begins) {
  const uint32_t group = 1;
  order_.freeze();
  node_.content(kFourth, 1, group);
  node_.skip(kSecond, 9);
  for (const size_t stream : {kSecond, kFourth}) node_.marks(stream, 10, 2, {{2, 1}});
  EXPECT_EQ(run(), Given{});
  end_without_first(0, 9, 0, 0);
  const size_t marker = order_.marker_of(order_.domain_of(group));
  if (marker != 1) {  // else it is ours to mark
    ASSERT_EQ(node_.lines().size(), 1u);
    EXPECT_EQ(node_.lines()[0].epoch, 2u);
    EXPECT_EQ(node_.lines_before_view(), 0u);
  }
  EXPECT_EQ(order_.applied(0), 10u);
  EXPECT_EQ(order_.applied(2), 10u);
}

TEST_F(ViewEndTest, acknowledgements_of_the_old_view__expect_none_to_count_in_the_new_one) {
  for (size_t member = 0; member < 4; ++member) {
    for (size_t marker = 0; marker < 4; ++marker) order_.acknowledged(member, marker, 1'000);
  }
  end_without_first(0, 0, 0, 0);
  const uint32_t group = node_.group_of(0);
  node_.content(kFourth, 1, group, Qos::kTotallyResilient);
  node_.marks(kSecond, 1, 2, {{2, 1}});
  EXPECT_EQ(run(), Given{});
  order_.acknowledged(0, 0, 1);
  order_.acknowledged(2, 0, 1);
  EXPECT_EQ(run(), (Given{{kFourth, 1}}));
}

TEST_F(ViewEndTest, source_ordered_behind_what_ends__expect_it_in_its_place) {
  const uint32_t group = node_.group_of(0);
  node_.content(kFirst, 1, group);
  node_.content(kFirst, 2, group, Qos::kSourceOrdered);
  node_.content(kFirst, 3, group);
  node_.content(kFirst, 4, group, Qos::kSourceOrdered);
  EXPECT_EQ(run(), Given{});
  end_without_first(4, 0, 0, 0);
  EXPECT_EQ(node_.take_delivered(), (Given{{kFirst, 1}, {kFirst, 2}, {kFirst, 3}, {kFirst, 4}}));
}

// --- the application does not take it ------------------------------------------------------------

TEST_F(ViewEndTest, the_application_refuses_in_the_middle__expect_the_view_to_wait_for_it) {
  const uint32_t group = node_.group_of(0);
  for (uint64_t rel_seq = 1; rel_seq <= 3; ++rel_seq) node_.content(kSecond, rel_seq, group);
  node_.content(kFourth, 1, group);
  node_.refuse_after(1);
  end_without_first(0, 3, 0, 0);
  EXPECT_EQ(node_.take_delivered(), (Given{{kSecond, 1}}));
  EXPECT_EQ(node_.views(), std::vector<uint64_t>{1});
  EXPECT_EQ(order_.epoch(), 1u);
  // Meanwhile the others are there already.
  node_.marks(kSecond, 4, 2, {{2, 1}});
  for (size_t member = 0; member < 3; ++member) order_.acknowledged(member, 0, 4);
  EXPECT_EQ(run(), Given{});
  node_.refuse_after(1);
  order_.poll();
  EXPECT_EQ(node_.take_delivered(), (Given{{kSecond, 2}}));
  EXPECT_EQ(node_.views(), std::vector<uint64_t>{1});
  node_.refuse_after(~uint64_t{0});
  order_.poll();
  EXPECT_EQ(node_.views(), (std::vector<uint64_t>{1, 2}));
  const std::vector<Line>& lines = node_.lines();
  ASSERT_GE(lines.size(), 1u);
  EXPECT_EQ(lines[0].rel_seq, 3u);
  EXPECT_EQ(lines[0].epoch, 1u);
  EXPECT_EQ(node_.lines_before_view(), 1u);
}

// Membership is in the next view already, and a sequencer below has departed: ranks are those of
// other members now.
TEST_F(ViewEndTest, asked_by_the_ranks_of_the_next_view_meanwhile__expect_nothing_of_the_old_one) {
  const uint32_t group = node_.group_of(0);
  node_.content(kSecond, 1, group, Qos::kTotallyResilient);
  node_.marks(kFirst, 100, 1, {{1, 1}});
  node_.marks(kSecond, 50, 1, {});
  EXPECT_EQ(run(), Given{});
  EXPECT_EQ(order_.applied(0), 100u);
  EXPECT_EQ(order_.applied(1), 50u);
  EXPECT_EQ(order_.ack_lag(3), 100u);
  node_.refuse_after(0);
  end_without_first(100, 50, 0, 0);
  ASSERT_FALSE(order_.settled());
  // Of streams 0, 4 and 1 nothing is applied in view 2.
  for (size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(order_.applied(rank), 0u) << rank;
    EXPECT_EQ(order_.ack_lag(rank), 0u) << rank;
    EXPECT_EQ(order_.stable_marks(rank), 0u) << rank;
  }
  node_.refuse_after(~uint64_t{0});
  order_.poll();
  ASSERT_TRUE(order_.settled());
  for (size_t rank = 0; rank < 3; ++rank) EXPECT_EQ(order_.applied(rank), 0u) << rank;
}

// The next view has more members than the one that is finishing: all of them may be ahead.
TEST_F(ViewEndTest, one_that_joins_acknowledges_meanwhile__expect_that_to_count_when_it_begins) {
  node_.content(kSecond, 1, node_.group_of(0));
  node_.refuse_after(0);
  order_.freeze();
  const std::vector<Cut> cuts{
      {kFirst, 0, true}, {kSecond, 1, true}, {kSelf, 0, true}, {kFourth, 0, true}, {3, 0, true}};
  const std::vector<size_t> streams{kFirst, kSecond, kSelf, kFourth, 3};
  order_.install(2, cuts, streams, 2);
  ASSERT_FALSE(order_.settled());
  const std::vector<uint64_t> through{7, 0, 0, 0, 0};
  for (const size_t member : {0, 1, 3, 4}) order_.acknowledged(member, through);
  node_.refuse_after(~uint64_t{0});
  order_.poll();
  ASSERT_TRUE(order_.settled());
  EXPECT_EQ(node_.take_delivered(), (Given{{kSecond, 1}}));
  node_.content(kFourth, 1, node_.group_of(0), Qos::kTotallyResilient);
  node_.marks(kFirst, 7, 2, {{3, 1}});
  EXPECT_EQ(run(), (Given{{kFourth, 1}}));
  EXPECT_EQ(order_.stable_marks(0), 7u);
}

// Another view is on its way meanwhile: nothing of it is applied, and this one ends.
TEST_F(ViewEndTest, frozen_while_the_application_refuses__expect_the_end_of_the_view_to_go_on) {
  const uint32_t group = node_.group_of(0);
  node_.content(kSecond, 1, group);
  node_.content(kSecond, 2, group);
  node_.refuse_after(0);
  end_without_first(0, 1, 0, 0);
  EXPECT_TRUE(order_.refused());
  EXPECT_FALSE(order_.settled());
  order_.freeze();
  node_.refuse_after(~uint64_t{0});
  order_.poll();
  EXPECT_TRUE(order_.settled());
  EXPECT_EQ(node_.views(), (std::vector<uint64_t>{1, 2}));
  const std::vector<Cut> cuts{{kSecond, 2, true}, {kSelf, 0, true}, {kFourth, 0, false}};
  const std::vector<size_t> streams{kSecond, kSelf};
  order_.install(3, cuts, streams, 1);
  EXPECT_EQ(node_.views(), (std::vector<uint64_t>{1, 2, 3}));
  ASSERT_EQ(node_.lines().size(), 2u);
  EXPECT_EQ(node_.lines()[0].epoch, 1u);
  EXPECT_EQ(node_.lines()[1].epoch, 2u);
}

TEST_F(ViewEndTest, abandoned_while_the_application_refuses__expect_no_other_view) {
  node_.content(kSecond, 1, node_.group_of(0));
  node_.refuse_after(0);
  end_without_first(0, 1, 0, 0);
  order_.freeze();
  order_.abandon();
  node_.refuse_after(~uint64_t{0});
  order_.poll();
  EXPECT_EQ(node_.views(), std::vector<uint64_t>{1});
  EXPECT_TRUE(order_.settled());
}

// Nobody keeps it any longer: it is taken now or lost.
TEST_F(ViewEndTest, source_ordered_of_the_departed_and_no_room__expect_a_last_call) {
  const uint32_t group = node_.group_of(0);
  node_.content(kFirst, 1, group);
  node_.content(kFirst, 2, group, Qos::kSourceOrdered);
  node_.refuse_after(0);
  end_without_first(0, 0, 0, 0);
  EXPECT_EQ(node_.views(), (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(node_.take_delivered(), (Given{{kFirst, 2}}));
  EXPECT_FALSE(order_.refused());
  EXPECT_EQ(node_.packets_out(), 0u);
}

TEST_F(ViewEndTest, abandoned_with_source_ordered_and_no_room__expect_a_last_call) {
  const uint32_t group = node_.group_of(0);
  node_.content(kSecond, 1, group);
  node_.content(kSecond, 2, group, Qos::kSourceOrdered);
  node_.refuse_after(0);
  order_.freeze();
  order_.abandon();
  EXPECT_EQ(node_.take_delivered(), (Given{{kSecond, 2}}));
  EXPECT_EQ(node_.packets_out(), 0u);
}

// --- who joins -----------------------------------------------------------------------------------

TEST(ViewEnd, a_newcomer__expect_what_is_behind_the_cuts_alone) {
  OrderNode node(kWideConfig);
  node.content(0, 1, 1);
  node.content(0, 2, 1);
  node.content(2, 7, 1);
  const std::vector<Cut> cuts{{2, 7, true}, {0, 1, true}, {kSelf, 0, true}};
  const std::vector<size_t> streams{2, 0, kSelf};
  node.order().install(3, cuts, streams, 2);
  EXPECT_EQ(node.views(), std::vector<uint64_t>{3});
  EXPECT_EQ(node.order().held(), 1u);
  for (size_t rank = 0; rank < 2; ++rank) node.marks(streams[rank], 9, 3, {{1, 2}, {0, 9}});
  if (marks_due(node.order())) node.marks(kSelf, 1, 3, {{1, 2}});
  node.order().advance();
  EXPECT_EQ(node.take_delivered(), (Given{{0, 2}}));
}

TEST_F(ViewEndTest, one_joins_whose_content_came_before_the_view__expect_it_in_the_new_view) {
  order_.freeze();
  node_.content(3, 5, 1);
  const std::vector<Cut> cuts{
      {kFirst, 0, true}, {kSecond, 0, true}, {kSelf, 0, true}, {kFourth, 0, true}, {3, 4, true}};
  const std::vector<size_t> streams{kFirst, kSecond, kSelf, kFourth, 3};
  order_.install(2, cuts, streams, 2);
  EXPECT_EQ(node_.views(), (std::vector<uint64_t>{1, 2}));
  const size_t marker = order_.marker_of(order_.domain_of(1));
  node_.marks(streams[marker], 9, 2, {{4, 5}});
  EXPECT_EQ(run(), (Given{{3, 5}}));
}

// --- the class alone -----------------------------------------------------------------------------

// View 1 of streams 0, 1 and kSelf; the next one is without stream 0.
struct PartsOfAView {
  StubHost host;
  OrderView view{kSelf + 1};
  Acknowledgements acks{wire::kMaxMembers};
  HeldPackets held{kWideConfig, host};
  DomainQueues queues{kWideConfig, view, acks, held, host};
  Engines engines{kWideConfig, view, acks, held, queues, host};
  ViewEnd end{kWideConfig, view, acks, held, queues, engines, host};

  PartsOfAView() {
    const Cut cuts[] = {{0, 0, true}, {1, 0, true}, {kSelf, 0, true}};
    const size_t streams[] = {0, 1, kSelf};
    EXPECT_TRUE(end.install(1, cuts, streams, 2, 0));
  }
  void content(size_t stream, uint64_t rel_seq) {
    engines.link(held.add(entry(stream, rel_seq, 0, Held::State::kUnmarked)));
  }
  bool end_without_first(uint64_t first, uint64_t second) {
    const Cut cuts[] = {{0, first, false}, {1, second, true}, {kSelf, 0, true}};
    const size_t streams[] = {1, kSelf};
    return end.install(2, cuts, streams, 1, 2);
  }
};

TEST(ViewEnd, content_up_to_the_cuts_and_behind__expect_it_delivered_discarded_and_carried_over) {
  PartsOfAView parts;
  parts.content(0, 1);
  parts.content(0, 2);
  parts.content(1, 1);
  parts.content(1, 2);
  EXPECT_TRUE(parts.end_without_first(1, 1));
  EXPECT_EQ(parts.host.delivered, (Packets{packet(0, 1), packet(1, 1)}));
  EXPECT_EQ(parts.end.discarded(), 1u);
  EXPECT_EQ(parts.host.released, (Packets{packet(0, 1), packet(0, 2), packet(1, 1)}));
  EXPECT_EQ(parts.held.held(), 1u);
  EXPECT_EQ(parts.view.epoch(), 2u);
  EXPECT_EQ(parts.host.views, 2u);
}

TEST(ViewEnd, application_refuses__expect_the_next_view_when_it_has_taken_all) {
  PartsOfAView parts;
  parts.content(1, 1);
  parts.host.refuses = true;
  EXPECT_FALSE(parts.end_without_first(0, 1));
  parts.queues.retry();
  EXPECT_FALSE(parts.end.try_begin());
  EXPECT_EQ(parts.view.epoch(), 1u);
  parts.host.refuses = false;
  parts.queues.retry();
  EXPECT_TRUE(parts.end.try_begin());
  EXPECT_EQ(parts.view.epoch(), 2u);
  EXPECT_TRUE(parts.view.runs());
}

}  // namespace view_end_test
}  // namespace lambdacast::ordering
