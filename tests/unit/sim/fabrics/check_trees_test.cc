// SPDX-License-Identifier: BSD-3-Clause
// Ends that no run of the switches that ship comes to. The mutants (tests/sim/tree_mutants.h) show
// the rest.
#include "sim/fabrics/check_trees.h"

#include <gtest/gtest.h>

#include <deque>

namespace lambdacast::sim::fabrics {
namespace {

using congest::Graph;
using congest::LiveGraph;
using congest::NodeId;

// Switches 0 to 3 in a ring, of which none has anything to mend.
class CheckTreesTest : public ::testing::Test, protected trees::RepairOutlet {
 protected:
  CheckTreesTest() {
    for (NodeId node = 0; node < 4; ++node) cores.emplace_back(graph, node, settings, installed);
  }
  [[nodiscard]] std::vector<std::string> wrong() const {
    return check_trees(live, [this](NodeId node) -> const trees::TreeCore& { return cores[node]; },
                       {.spanner_k = 3, .above = true});
  }
  void send(size_t, const trees::RepairFrame&) override {}

  const Graph graph{4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}};
  LiveGraph live{graph};
  const trees::RepairSettings settings;
  const trees::InstalledGroups installed{{}};
  std::deque<trees::TreeCore> cores;
};

TEST_F(CheckTreesTest, nothing_has_failed__expect_nothing_said) { EXPECT_TRUE(wrong().empty()); }

TEST_F(CheckTreesTest, failure_that_nobody_has_noticed__expect_it_said_of_each_neighbour) {
  live.fail_node(2);
  EXPECT_EQ(wrong(), (std::vector<std::string>{"switch 1 does not know that switch 2 has failed",
                                               "switch 3 does not know that switch 2 has failed"}));
}

TEST_F(CheckTreesTest, a_flood_that_one_follows__expect_it_said) {
  trees::RepairFrame frame{.name = {1, 1}, .numbered = true, .bytes = 7};
  frame.body = {1, 0, 0, 1, 0, 0, 2};
  cores[0].on_frame(0, frame, 1'000, *this);
  live.fail_node(2);
  ASSERT_EQ(wrong().size(), 1u);
  EXPECT_EQ(wrong()[0], "switch 1 follows another flood than switch 0");
}

TEST_F(CheckTreesTest, two_components__expect_each_judged_by_itself) {
  live.fail_node(0);
  live.fail_node(2);
  EXPECT_EQ(wrong().size(), 4u) << "two failed neighbours of 1, and two of 3";
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
