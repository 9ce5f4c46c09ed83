// SPDX-License-Identifier: BSD-3-Clause
#include "clock_sync/candidate_trees.h"

#include <gtest/gtest.h>

namespace lambdacast::clock_sync {
namespace {

class Trees : public ::testing::Test {
 protected:
  explicit Trees(bool direct = true) : trees(3, direct, links) {}
  [[nodiscard]] bool due(size_t port, uint64_t bit) const { return (links[port].due() & bit) != 0; }
  std::vector<PortLink> links{3};
  CandidateTrees trees;
};
class PublishedTrees : public Trees {
 protected:
  PublishedTrees() : Trees(false) {}
};

TEST_F(Trees, flood_comes__expect_it_told_to_all_and_the_father_told_that_he_is_one) {
  trees.begin(9, 1, 4);
  for (size_t port = 0; port < 3; ++port) EXPECT_TRUE(due(port, kFloodBit));
  trees.on_wave(2, {.root = 7, .first = 5});
  const size_t tree = trees.find(7);
  EXPECT_EQ(trees.at(tree).distance, 6);
  EXPECT_TRUE(trees.item(tree, wave_bit(tree), 2).flag);
  EXPECT_FALSE(trees.item(tree, wave_bit(tree), 0).flag);
}

TEST_F(Trees, all_neighbours_heard_and_childrens_echoes__expect_the_echo_to_the_father) {
  trees.begin(9, 1, 4);
  trees.on_flood(0, true);
  trees.on_flood(2, false);
  EXPECT_FALSE(due(1, echo_bit(kFloodTree)));
  trees.on_echo(0, {.kind = ItemKind::kEcho, .root = 9, .first = 3, .second = 5});
  ASSERT_TRUE(due(1, echo_bit(kFloodTree)));
  const Item echo = trees.item(kFloodTree, echo_bit(kFloodTree), 1);
  EXPECT_EQ(echo.first, 4);
  EXPECT_EQ(echo.second, 5);
}

TEST_F(Trees, neighbour_who_never_speaks_dies__expect_the_echo_then) {
  trees.begin(9, 1, 4);
  trees.on_flood(0, false);
  EXPECT_TRUE(trees.awaited(2));
  EXPECT_FALSE(due(1, echo_bit(kFloodTree)));
  trees.died(2);
  EXPECT_TRUE(due(1, echo_bit(kFloodTree)));
}

TEST_F(Trees, child_that_was_given_up_comes_behind_the_echo__expect_the_tree_broken) {
  trees.begin(9, 1, 4);
  trees.on_flood(0, false);
  trees.died(2);
  trees.revived(2);
  EXPECT_FALSE(trees.broken());
  trees.on_flood(2, true);
  EXPECT_TRUE(trees.broken());
}

TEST_F(Trees, arms_of_six_and_one__expect_the_root_moved_and_the_height_of_the_centre_known) {
  trees.begin(9, kNoPort, 0);
  trees.on_flood(0, true);
  trees.on_flood(1, true);
  trees.on_flood(2, false);
  trees.on_echo(0, {.kind = ItemKind::kEcho, .root = 9, .first = 5, .second = 7});
  trees.on_echo(1, {.kind = ItemKind::kEcho, .root = 9, .first = 0, .second = 0});
  EXPECT_EQ(trees.at(kFloodTree).height, 4);  // half of 7, rounded up
  EXPECT_EQ(trees.at(kFloodTree).father, 0u);
  EXPECT_FALSE(trees.child(kFloodTree, 0));
  const Item moves = trees.item(kFloodTree, result_bit(kFloodTree), 0);
  EXPECT_TRUE(moves.flag);
  EXPECT_EQ(moves.second, 1);
  EXPECT_FALSE(trees.item(kFloodTree, result_bit(kFloodTree), 1).flag);
}

TEST_F(Trees, results_of_two_candidates__expect_the_lower_tree_and_of_equal_ones_the_least_root) {
  trees.begin(9, 1, 4);
  trees.on_wave(1, {.root = 3, .first = 1});
  trees.on_wave(1, {.root = 5, .first = 1});
  const auto result = [](NodeId root, uint16_t height) {
    return Item{.kind = ItemKind::kResult, .root = root, .first = height};
  };
  trees.on_result(1, result(9, 4));
  EXPECT_EQ(trees.at(trees.best()).root, 9u);
  trees.on_result(1, result(5, 4));
  EXPECT_EQ(trees.at(trees.best()).root, 5u);
  trees.on_result(1, result(3, 6));
  EXPECT_EQ(trees.at(trees.best()).root, 5u);
  EXPECT_FALSE(trees.undecided(1));
}

TEST_F(PublishedTrees, move_comes__expect_nothing_moved_before_the_height_is_known) {
  trees.begin(9, 1, 4);
  trees.on_flood(0, true);
  trees.on_flood(2, false);
  trees.on_echo(0, {.kind = ItemKind::kEcho, .root = 9, .first = 3, .second = 3});
  trees.on_result(1, {.kind = ItemKind::kMove, .flag = true, .root = 9, .first = 3, .second = 1});
  EXPECT_EQ(trees.at(kFloodTree).father, 1u);
  EXPECT_EQ(trees.item(kFloodTree, result_bit(kFloodTree), 0).kind, ItemKind::kMove);
  trees.on_result(0, {.kind = ItemKind::kResult, .root = 9, .first = 3});
  EXPECT_EQ(trees.at(kFloodTree).father, 0u);
  EXPECT_TRUE(trees.child(kFloodTree, 1));
  EXPECT_TRUE(due(1, result_bit(kFloodTree)));  // over all links but the one that it came by
  EXPECT_TRUE(due(2, result_bit(kFloodTree)));
}

TEST_F(Trees, next_child__expect_them_in_turn) {
  congest::Filter children(3);
  children.set(0);
  children.set(2);
  trees.install(9, 1, children);
  EXPECT_EQ(trees.next_child(kInstalled, 0), 0u);
  EXPECT_EQ(trees.next_child(kInstalled, 1), 2u);
  EXPECT_EQ(trees.next_child(kInstalled, 3), 0u);
  EXPECT_EQ(trees.rank(kInstalled, 2), 1);
}

}  // namespace
}  // namespace lambdacast::clock_sync
