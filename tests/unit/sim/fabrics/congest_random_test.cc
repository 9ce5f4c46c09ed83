// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/congest_random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lambdacast::sim::fabrics {
namespace congest_random_test {

bool connected(const LiveGraph& live) {
  const auto hops = congest::distances(live, first_alive(live));
  for (congest::NodeId node = 0; node < hops.size(); ++node)
    if (live.alive(node) && hops[node] == congest::kNone) return false;
  return true;
}

TEST(CongestRandom, graphs_of_which_something_fails__expect_them_connected_and_of_all_sizes) {
  std::set<size_t> sizes;
  size_t failed = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const congest::Graph graph = random_graph(seed, 20);
    LiveGraph live(graph);
    EXPECT_TRUE(connected(live)) << seed;
    fail_something(live, seed);
    EXPECT_TRUE(connected(live)) << seed;
    sizes.insert(graph.nodes());
    failed += alive_nodes(live) < graph.nodes();
  }
  EXPECT_EQ(*sizes.begin(), 1u);
  EXPECT_EQ(*sizes.rbegin(), 20u);
  EXPECT_GT(failed, 20u);
}

TEST(CongestRandom, tree__expect_parents_that_know_their_children) {
  const congest::Graph graph = random_graph(3, 20);
  const LiveGraph live(graph);
  const auto tree = tree_of(live, 0);
  EXPECT_EQ(tree[0].parent, congest::kNoPort);
  for (congest::NodeId node = 1; node < graph.nodes(); ++node) {
    const congest::ArcId up = graph.arc(node, tree[node].parent);
    EXPECT_TRUE(tree[graph.to(up)].children.test(graph.port(graph.reverse(up))));
  }
}

TEST(CongestRandom, waves__expect_keys_that_differ_and_one_that_is_alive) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const congest::Graph graph = random_graph(seed, 20);
    const LiveGraph live(graph);
    auto keys = random_config<congest::Wave>(live, seed).keys;
    std::erase(keys, congest::kNone);
    std::sort(keys.begin(), keys.end());
    EXPECT_FALSE(keys.empty());
    EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end()) << seed;
  }
}

}  // namespace congest_random_test
}  // namespace lambdacast::sim::fabrics
