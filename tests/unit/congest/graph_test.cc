// SPDX-License-Identifier: BSD-3-Clause
#include "congest/graph.h"

#include <gtest/gtest.h>

namespace lambdacast::congest {
namespace {

// A triangle of 0, 1 and 3, with 2 at the end of a double link from 3.
Graph graph() { return Graph(4, {{3, 0}, {0, 1}, {1, 3}, {2, 3}, {3, 2}}); }

TEST(Graph, links__expect_arcs_in_order_of_their_ends_and_each_the_reverse_of_one) {
  const Graph g = graph();
  EXPECT_EQ(g.nodes(), 4u);
  EXPECT_EQ(g.links(), 5u);
  EXPECT_EQ(g.arcs(), 10u);
  const auto ends = [&](NodeId node) {
    return std::vector<NodeId>(g.neighbors(node).begin(), g.neighbors(node).end());
  };
  EXPECT_EQ(ends(0), (std::vector<NodeId>{1, 3}));
  EXPECT_EQ(ends(3), (std::vector<NodeId>{0, 1, 2, 2}));
  for (NodeId node = 0; node < g.nodes(); ++node) {
    for (size_t port = 0; port < g.degree(node); ++port) {
      const ArcId arc = g.arc(node, port);
      EXPECT_EQ(g.from(arc), node);
      EXPECT_EQ(g.port(arc), port);
      EXPECT_EQ(g.reverse(g.reverse(arc)), arc);
      EXPECT_EQ(g.link_of(g.reverse(arc)), g.link_of(arc));
      EXPECT_EQ(g.to(g.reverse(arc)), node);
    }
  }
}

TEST(Graph, nothing__expect_it_empty) {
  EXPECT_EQ(Graph().nodes(), 0u);
  EXPECT_EQ(Graph(3, {}).degree(1), 0u);
}

TEST(Distances, parts_that_have_failed__expect_the_ways_around_them) {
  const Graph g = graph();
  LiveGraph live(g);
  EXPECT_EQ(distances(live, 0), (std::vector<uint32_t>{0, 1, 2, 1}));
  live.fail_link(0);
  EXPECT_EQ(distances(live, 0), (std::vector<uint32_t>{0, 1, 3, 2}));
  live.fail_node(3);
  EXPECT_EQ(distances(live, 0), (std::vector<uint32_t>{0, 1, kNone, kNone}));
  EXPECT_EQ(distances(live, 3), (std::vector<uint32_t>(4, kNone)));
}

}  // namespace
}  // namespace lambdacast::congest
