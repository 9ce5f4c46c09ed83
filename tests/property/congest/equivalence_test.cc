// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "congest/leader.h"
#include "seeds.h"

namespace lambdacast::congest {
namespace {

constexpr uint64_t kSeeds = 300;
constexpr size_t kNodes = 24;

TEST(Equivalence, leader_on_bad_links__expect_what_rounds_without_a_network_say) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Graph graph = random_graph(seed, kNodes);
    const LiveGraph live(graph);
    const auto reference = run_synchronously<Leader>(live, {}, seed);
    for (const auto& result : reference.results) EXPECT_EQ(result->leader, 0u);
    EXPECT_EQ((differences<Leader, StoredFrames>(live, {}, reference, seed)), "") << seed;
  }
}

TEST(Equivalence, trees_on_bad_links__expect_what_rounds_without_a_network_say) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Graph graph = random_graph(seed, kNodes);
    const LiveGraph live(graph);
    BreadthFirst::Config config;
    for (uint64_t i = 0; i <= seed % kMostRoots; ++i)
      config.roots.push_back(static_cast<NodeId>(base::mix64(seed + i) % graph.nodes()));
    const auto reference = run_synchronously<BreadthFirst>(live, config, seed);
    const auto backward =
        run_synchronously<BreadthFirst>(live, config, seed, MessageOrder::kByPortDescending);
    EXPECT_EQ(reference.results, backward.results) << seed;
    EXPECT_EQ((differences<BreadthFirst, StoredFrames>(live, config, reference, seed)), "") << seed;
  }
}

}  // namespace
}  // namespace lambdacast::congest
