// SPDX-License-Identifier: BSD-3-Clause
// Leader election and breadth-first trees, and what transports and synchronisers have in common.
#include <gtest/gtest.h>

#include <algorithm>

#include "congest/leader.h"
#include "seeds.h"

namespace lambdacast::congest {
namespace {

constexpr uint64_t kSeeds = 200;
constexpr size_t kNodes = 24;

TEST(Equivalence, leader_on_bad_links__expect_what_rounds_without_a_network_say) {
  const auto none = [](const LiveGraph&, uint64_t) { return Leader::Config{}; };
  const auto check = [](const LiveGraph& live, const auto&, const auto& run) -> std::string {
    for (const auto& result : run.results)
      if (result && result->leader != first_alive(live)) return "not the least; ";
    return {};
  };
  EXPECT_EQ(first_fault<Leader>(kSeeds, kNodes, none, check), "");
}

BreadthFirst::Config some_roots(const LiveGraph& live, uint64_t seed) {
  BreadthFirst::Config config;
  base::SplitMix64 random(seed);
  for (uint64_t i = 0; i <= seed % kMostRoots; ++i) {
    NodeId root = 0;
    do root = static_cast<NodeId>(random.below(live.graph().nodes()));
    while (!live.alive(root));
    config.roots.push_back(root);
  }
  return config;
}

// Is it the tree of least distances, each parent the least of the layer before, children told?
std::string check_tree(const LiveGraph& live, NodeId root,
                       const std::vector<BreadthFirst::Place>& places) {
  const Graph& graph = live.graph();
  const auto hops = distances(live, root);
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    if (!live.alive(node)) continue;
    if (places[node].distance != hops[node]) return "another distance; ";
    size_t parent = kNoPort;
    for (size_t port = 0; port < graph.degree(node); ++port) {  // neighbours ascend
      const NodeId to = graph.neighbors(node)[port];
      if (!live.carries(graph.arc(node, port))) continue;
      if (hops[to] + 1 == hops[node] && parent == kNoPort) parent = port;
      const bool is_child =
          places[to].tree.parent == graph.port(graph.reverse(graph.arc(node, port)));
      if (places[node].tree.children.test(port) != is_child) return "another child; ";
    }
    if (places[node].tree.parent != parent) return "another parent; ";
  }
  return {};
}

TEST(Equivalence, trees_on_bad_links__expect_what_rounds_without_a_network_say) {
  const auto check = [](const LiveGraph& live, const auto& config, const auto& run) {
    std::string said;
    for (size_t i = 0; i < config.roots.size(); ++i) {
      std::vector<BreadthFirst::Place> places(run.results.size());
      for (size_t node = 0; node < places.size(); ++node)
        if (run.results[node]) places[node] = run.results[node]->at(i);
      said += check_tree(live, config.roots[i], places);
    }
    return said;
  };
  EXPECT_EQ(first_fault<BreadthFirst>(kSeeds, kNodes, some_roots, check), "");
}

TEST(Equivalence, window_of_one_with_bare_acknowledgements__expect_the_frames_of_stored_frames) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Graph graph = random_graph(seed, kNodes);
    const LiveGraph live(graph);
    const auto setting = random_setting(seed);
    const auto tree = tree_of(live, 0);
    const auto place = [&](NodeId node) { return tree[node]; };
    const auto bound = [](NodeId) { return Alpha::Config{.rounds = 30}; };
    EXPECT_EQ((windows_of_one<Leader, Beta>(live, {}, place, setting)), "") << seed;
    EXPECT_EQ((windows_of_one<Leader, Alpha>(live, {}, bound, setting)), "") << seed;
  }
}

}  // namespace
}  // namespace lambdacast::congest
