// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/check_clock.h"

#include <gtest/gtest.h>

namespace lambdacast::sim::fabrics {
namespace {

using congest::Graph;
using congest::LiveGraph;

// Switches 0, 1 and 2, each linked with each; the tree's root is 1.
class ClockTreesTest : public ::testing::Test {
 protected:
  const Graph graph{3, {{0, 1}, {1, 2}, {0, 2}}};
  LiveGraph live{graph};
  std::vector<ClockEnd> ends{
      {.place = {.tree = 7, .father = graph.arc(0, 0)}, .children = {}, .final = true},
      {.place = {.tree = 7}, .children = {0, 1}, .final = true, .told_height = 1},
      {.place = {.tree = 7, .father = graph.arc(2, 1)}, .children = {}, .final = true}};
  [[nodiscard]] std::string wrong(bool exact = true) const {
    return check_clock_trees(live, ends, exact).wrong;
  }
};

TEST_F(ClockTreesTest, a_tree__expect_its_height_and_nothing_wrong) {
  EXPECT_EQ(wrong(), "");
  EXPECT_EQ(check_clock_trees(live, ends, true).height, 1u);
}

TEST_F(ClockTreesTest, what_is_broken__expect_it_said) {
  const auto said = [&](auto change) {
    const auto kept = ends;
    change();
    std::string found = wrong();
    ends = kept;
    return found;
  };
  EXPECT_EQ(said([&] { ends[1].final = false; }), "switch 1 has no final tree");
  EXPECT_EQ(said([&] { ends[1].children = {0}; }), "switch 2 is unknown to its father");
  EXPECT_EQ(said([&] { ends[0].children = {1}; }), "switch 0 has a child that has another father");
  EXPECT_EQ(said([&] { ends[1].place.tree = 8; }),
            "switch 1 is in another tree than its neighbours");
  EXPECT_EQ(said([&] { ends[0].told_height = 3; }), "switch 0 was told another height");
  EXPECT_EQ(said([&] {
              ends[2].place.father = congest::kNone;
              ends[1].children = {0};
            }),
            "switch 2 is a second root");
  EXPECT_EQ(said([&] {
              ends[0] = {
                  .place = {.tree = 7, .father = graph.arc(0, 1)}, .children = {0}, .final = true};
              ends[1].place.father = graph.arc(1, 0);
              ends[1].children = {1};
              ends[2].children = {0};
            }),
            "switch 0 does not hang below a root");
}

TEST_F(ClockTreesTest, root_at_the_end_of_a_path__expect_it_said_if_the_height_was_told) {
  ends[0].place.father = congest::kNone;
  ends[0].children = {0};
  ends[1] = {.place = {.tree = 7, .father = graph.arc(1, 0)}, .children = {1}, .final = true};
  EXPECT_EQ(wrong(), "");
  ends[0].told_height = 2;
  EXPECT_EQ(wrong(), "switch 0 has a root that is no centre");
}

TEST_F(ClockTreesTest, dead_father__expect_it_said) {
  live.fail_node(1);
  EXPECT_EQ(wrong(), "switch 0 hangs at what has failed");
}

TEST_F(ClockTreesTest, tree_lower_than_told__expect_it_said_unless_a_leaf_has_died) {
  ends[1].told_height = 2;
  EXPECT_EQ(wrong(true), "switch 1 was told another height");
  EXPECT_EQ(wrong(false), "");
  ends[1].told_height = 0;
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
