// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/graphs_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/fabrics/graphs_figures.h"

namespace lambdacast::sim::fabrics {
namespace {

using congest::Graph;
using congest::NodeId;

std::vector<std::pair<NodeId, NodeId>> ends_of(const Graph& graph) {
  std::vector<std::pair<NodeId, NodeId>> ends;
  for (congest::LinkId link = 0; link < graph.links(); ++link)
    ends.emplace_back(std::minmax(graph.link(link).a, graph.link(link).b));
  return ends;
}

void expect_simple(const Graph& graph) {
  const auto ends = ends_of(graph);
  EXPECT_EQ(std::set(ends.begin(), ends.end()).size(), ends.size());
  for (const auto& [a, b] : ends) EXPECT_NE(a, b);
  EXPECT_EQ(unreachable(graph), congest::kNone);
}

// FRANCIS, Table 3; the degrees follow from the links.
TEST(GraphsRandom, jellyfish__expect_table_3_for_several_seeds) {
  for (const uint64_t seed : {1u, 2u}) {
    const Graph graph = *draw_jellyfish(4'000, 126'950, seed);
    const GraphFigures found = figures(graph);
    EXPECT_EQ(found.links, 126'950u);
    EXPECT_EQ(found.diameter, 3u);
    EXPECT_EQ(found.radius, 3u) << "any root is as good";
    EXPECT_EQ(found.degree, 64u);
    EXPECT_EQ(found.least_degree, 63u);
    for (const NodeId node : {0u, 1'899u, 1'900u})
      EXPECT_EQ(graph.degree(node), node < 1'900 ? 64u : 63u);
    expect_simple(graph);
  }
}

TEST(GraphsRandom, jellyfish_of_few_nodes__expect_degrees_one_apart) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto graph = draw_jellyfish(9, 16, seed);
    ASSERT_TRUE(graph);
    expect_simple(*graph);
    EXPECT_EQ(figures(*graph).degree, 4u);
    EXPECT_EQ(figures(*graph).least_degree, 3u);
  }
}

// FRANCIS, Table 8: US Carrier and Kentucky Datalink.
TEST(GraphsRandom, wan__expect_table_8_for_several_seeds) {
  struct {
    uint32_t nodes, links, diameter, degree;
  } const kNetworks[] = {{158, 189, 35, 6}, {754, 895, 58, 7}, {20, 24, 6, 5}, {6, 5, 5, 2}};
  for (const auto& wanted : kNetworks) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const auto graph = draw_wan(wanted.nodes, wanted.links, wanted.diameter, wanted.degree, seed);
      ASSERT_TRUE(graph) << wanted.nodes << " " << seed;
      const GraphFigures found = figures(*graph);
      EXPECT_EQ(found.nodes, wanted.nodes);
      EXPECT_EQ(found.links, wanted.links);
      EXPECT_EQ(found.diameter, wanted.diameter);
      EXPECT_EQ(found.degree, wanted.degree);
      expect_simple(*graph);
    }
  }
}

TEST(GraphsRandom, wan_that_cannot_be__expect_an_error) {
  // A path of five with a sixth node: no node has degree 5.
  EXPECT_FALSE(draw_wan(6, 5, 4, 5, 1));
}

TEST(GraphsRandom, random__expect_simple_connected_graphs_with_all_links) {
  for (uint32_t nodes = 2; nodes < 12; ++nodes) {
    for (uint32_t links = nodes - 1; links <= nodes * (nodes - 1) / 2; ++links) {
      const Graph graph = *draw_random(nodes, links, links);
      EXPECT_EQ(graph.links(), links);
      expect_simple(graph);
    }
  }
}

TEST(GraphsRandom, seeds__expect_equal_graphs_of_equal_seeds_and_others_of_others) {
  const auto jellyfish = [](uint64_t seed) { return ends_of(*draw_jellyfish(30, 60, seed)); };
  const auto random = [](uint64_t seed) { return ends_of(*draw_random(30, 60, seed)); };
  const auto wan = [](uint64_t seed) { return ends_of(*draw_wan(30, 40, 8, 5, seed)); };
  EXPECT_EQ(jellyfish(7), jellyfish(7));
  EXPECT_NE(jellyfish(7), jellyfish(8));
  EXPECT_EQ(random(7), random(7));
  EXPECT_NE(random(7), random(8));
  EXPECT_EQ(wan(7), wan(7));
  EXPECT_NE(wan(7), wan(8));
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
