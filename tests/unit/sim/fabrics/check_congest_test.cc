// SPDX-License-Identifier: BSD-3-Clause
// Each checker accepts what is right, and says what is wrong with each way to break it.
#include "sim/fabrics/check_congest.h"

#include <gtest/gtest.h>

namespace lambdacast::sim::fabrics {
namespace {

using congest::Graph;
using congest::kNone;
using congest::LiveGraph;
using congest::NodeId;

// A ring of five: 0 - 1 - 2 - 3 - 4 - 0.
Graph ring() { return Graph(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}}); }

// By the parents' numbers; a node that names itself has none.
Parents parents(const Graph& graph, const std::vector<NodeId>& of) {
  Parents parents(of.size(), kNone);
  for (NodeId node = 0; node < of.size(); ++node)
    for (size_t port = 0; port < graph.degree(node); ++port)
      if (graph.neighbors(node)[port] == of[node]) parents[node] = graph.arc(node, port);
  return parents;
}

TEST(CheckCongest, spanning_trees__expect_cycles_and_missing_nodes_said) {
  const Graph graph = ring();
  LiveGraph live(graph);
  EXPECT_EQ(check_spanning_tree(live, 0, parents(graph, {0, 0, 1, 2, 3})), "");
  EXPECT_EQ(check_spanning_tree(live, 0, parents(graph, {0, 0, 3, 2, 0})),
            "node 2 does not hang below the root");
  EXPECT_NE(check_spanning_tree(live, 0, parents(graph, {0, 0, 2, 4, 0})), "");
  live.fail_link(1);
  EXPECT_NE(check_spanning_tree(live, 0, parents(graph, {0, 0, 1, 2, 3})), "");
}

TEST(CheckCongest, breadth_first__expect_other_distances_and_parents_said) {
  const Graph graph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  const LiveGraph live(graph);
  EXPECT_EQ(check_breadth_first(live, 0, parents(graph, {0, 0, 0, 1}), {0, 1, 1, 2}), "");
  EXPECT_EQ(check_breadth_first(live, 0, parents(graph, {0, 0, 0, 1}), {0, 1, 1, 3}),
            "node 3 is at another distance");
  EXPECT_EQ(check_breadth_first(live, 0, parents(graph, {0, 0, 0, 2}), {0, 1, 1, 2}),
            "node 3 has another parent");
}

TEST(CheckCongest, centre__expect_another_height_and_other_edges_said) {
  const Graph graph = ring();
  const LiveGraph live(graph);
  const Parents path = parents(graph, {0, 0, 1, 2, 3});
  const Parents centred = parents(graph, {1, 2, 2, 2, 3});
  EXPECT_EQ(check_centre(live, 2, path, centred, 2), "");
  EXPECT_EQ(check_centre(live, 2, path, centred, 3), "another height was told");
  EXPECT_EQ(check_centre(live, 0, path, path, 2), "the root is no centre");
  EXPECT_EQ(check_centre(live, 0, path, parents(graph, {0, 0, 1, 4, 0}), 2),
            "the tree has other edges");
}

TEST(CheckCongest, least_trees__expect_more_weight_cycles_and_too_few_edges_said) {
  const Graph graph = ring();
  const LiveGraph live(graph);
  const std::vector<uint32_t> weights{1, 1, 5, 1, 1};
  EXPECT_EQ(check_least_tree(live, weights, {true, true, false, true, true}), "");
  EXPECT_EQ(check_least_tree(live, weights, {true, true, true, true, false}),
            "another tree has less weight");
  EXPECT_NE(check_least_tree(live, weights, {true, true, false, true, false}), "");
  EXPECT_NE(check_least_tree(live, weights, {true, true, true, true, true}), "");
  const Graph pair(3, {{0, 1}, {0, 1}, {1, 2}});
  EXPECT_EQ(check_least_tree(LiveGraph(pair), {1, 1, 1}, {true, true, false}), "it has a cycle");
}

TEST(CheckCongest, independent_sets__expect_neighbours_and_gaps_said) {
  const Graph graph = ring();
  const LiveGraph live(graph);
  EXPECT_EQ(check_independent_set(live, {true, false, true, false, false}), "");
  EXPECT_EQ(check_independent_set(live, {true, false, false, false, true}),
            "node 0 is in beside another");
  EXPECT_EQ(check_independent_set(live, {true, false, false, false, false}), "node 2 could be in");
}

TEST(CheckCongest, covers__expect_gaps_weight_and_payments_said) {
  const Graph graph(3, {{0, 1}, {1, 2}});  // arcs: 0 -> 1, 1 -> 0, 1 -> 2, 2 -> 1
  const LiveGraph live(graph);
  const std::vector<uint32_t> weights{3, 4, 3};  // the least is the middle
  const auto said = [&](const std::vector<bool>& in, const std::vector<uint64_t>& paid) {
    return check_cover(live, {weights, in, paid, 10, 100});
  };
  EXPECT_EQ(said({false, true, false}, {20, 20, 20, 20}), "");
  EXPECT_EQ(said({true, false, true}, {20, 20, 20, 20}), "");
  EXPECT_EQ(said({true, false, false}, {20, 20, 20, 20}), "node 1 has an edge that is not covered");
  EXPECT_EQ(said({true, true, true}, {20, 20, 20, 20}), "the cover is heavier than its bound");
  EXPECT_EQ(said({false, true, false}, {20, 20, 21, 21}), "node 1 is overpaid");
  EXPECT_NE(said({false, true, false}, {20, 19, 20, 20}), "");
}

TEST(CheckCongest, spanners__expect_ends_that_are_too_far_said) {
  const Graph graph = ring();
  const LiveGraph live(graph);
  const std::vector<bool> path{true, true, true, true, false};
  EXPECT_EQ(check_spanner(live, 3, path), "");
  EXPECT_EQ(check_spanner(live, 2, path), "node 0 is too far from a neighbour");
  EXPECT_NE(check_spanner(live, 3, {true, true, false, true, false}), "");
}

TEST(CheckCongest, receivers__expect_detours_and_idle_leaves_said) {
  const Graph graph = ring();
  const LiveGraph live(graph);
  const std::vector<bool> receivers{false, false, true, false, false};
  EXPECT_EQ(check_receivers(live, 0, receivers, parents(graph, {0, 0, 1, 3, 4})), "");
  EXPECT_EQ(check_receivers(live, 0, receivers, parents(graph, {0, 1, 3, 4, 0})),
            "node 2 does not receive at its least distance");
  EXPECT_EQ(check_receivers(live, 0, receivers, parents(graph, {0, 0, 1, 3, 0})),
            "node 4 is a leaf and no receiver");
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
