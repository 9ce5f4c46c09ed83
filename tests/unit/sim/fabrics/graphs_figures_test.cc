// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/graphs_figures.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/fabrics/graphs_random.h"

namespace lambdacast::sim::fabrics {
namespace {

using congest::Graph;

// More nodes than are searched from at a time, and each has another eccentricity.
TEST(GraphsFigures, random_graphs__expect_eccentricities_of_a_search_from_each_node) {
  for (const uint32_t nodes : {2u, 63u, 64u, 65u, 511u, 512u, 513u, 700u}) {
    const Graph graph = *draw_random(nodes, nodes - 1, nodes);
    const std::vector<uint32_t> found = eccentricities(graph);
    for (congest::NodeId node = 0; node < nodes; ++node) {
      const auto hops = distances(congest::LiveGraph(graph), node);
      ASSERT_EQ(found[node], *std::max_element(hops.begin(), hops.end())) << nodes << " " << node;
    }
  }
}

TEST(GraphsFigures, path_with_a_fork__expect_diameter_radius_and_degrees) {
  const GraphFigures found = figures(Graph(5, {{0, 1}, {1, 2}, {2, 3}, {2, 4}}));
  EXPECT_EQ(found.nodes, 5u);
  EXPECT_EQ(found.links, 4u);
  EXPECT_EQ(found.diameter, 3u);
  EXPECT_EQ(found.radius, 2u);
  EXPECT_EQ(found.least_degree, 1u);
  EXPECT_EQ(found.degree, 3u);
  EXPECT_TRUE(found.connected);
}

TEST(GraphsFigures, two_parts__expect_not_connected_and_a_node_of_the_other_part) {
  const Graph graph(4, {{0, 1}, {2, 3}});
  EXPECT_FALSE(figures(graph).connected);
  EXPECT_EQ(unreachable(graph), 2u);
  EXPECT_EQ(unreachable(Graph(2, {{0, 1}})), congest::kNone);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
