// SPDX-License-Identifier: BSD-3-Clause
#include "trees/spanner_trees.h"

#include <cmath>

#include "sim/fabrics/graphs_random.h"
#include "tree_cases.h"

namespace lambdacast::trees {
namespace {

TEST(SpannerTrees, every_link__expect_its_ends_at_most_2k_minus_1_hops_apart) {
  for (const char* spec : test::kSmallGraphs) {
    const auto fabric = test::fabric_of(spec);
    for (uint32_t k = 1; k <= 4; ++k) {
      for (uint64_t seed = 0; seed < 20; ++seed) {
        const Graph part = part_of(fabric.graph, spanner_links(fabric.graph, k, seed));
        for (NodeId node = 0; node < part.nodes(); ++node) {
          const auto hops = distances(congest::LiveGraph(part), node);
          for (const NodeId neighbor : fabric.graph.neighbors(node))
            ASSERT_LE(hops[neighbor], 2 * k - 1) << spec << " " << k << " " << seed;
        }
      }
    }
  }
}

TEST(SpannerTrees, k_is_1__expect_all_links) {
  const auto fabric = test::fabric_of("fat-tree:4");
  EXPECT_EQ(spanner_links(fabric.graph, 1, 1).size(), fabric.graph.links());
}

// Most links of a complete graph can go.
TEST(SpannerTrees, complete_graph__expect_at_most_2k_n_to_the_1_plus_1_over_k_links_on_average) {
  constexpr uint32_t kNodes = 100, kSeeds = 20;
  const Graph graph = *sim::fabrics::draw_random(kNodes, kNodes * (kNodes - 1) / 2, 1);
  for (const uint32_t k : {2u, 3u}) {
    double links = 0;
    for (uint64_t seed = 0; seed < kSeeds; ++seed)
      links += static_cast<double>(spanner_links(graph, k, seed).size());
    EXPECT_LE(links / kSeeds, 2 * k * std::pow(kNodes, 1 + 1.0 / k));
    EXPECT_LT(links / kSeeds, 0.5 * kNodes * (kNodes - 1) / 2);
  }
}

TEST(SpannerTrees, part__expect_links_by_their_places_in_the_list) {
  const Graph graph(4, {{0, 1}, {1, 2}, {2, 3}});
  const Graph part = part_of(graph, {2, 0});
  EXPECT_EQ(part.nodes(), 4u);
  EXPECT_EQ(part.link(0), graph.link(2));
  EXPECT_EQ(part.link(1), graph.link(0));
}

TEST(SpannerTrees, seeds__expect_equal_links_of_equal_seeds_and_others_of_others) {
  const auto fabric = test::fabric_of("jellyfish:100,1000");
  EXPECT_EQ(spanner_links(fabric.graph, 3, 1), spanner_links(fabric.graph, 3, 1));
  EXPECT_NE(spanner_links(fabric.graph, 3, 1), spanner_links(fabric.graph, 3, 2));
}

}  // namespace
}  // namespace lambdacast::trees
