// SPDX-License-Identifier: BSD-3-Clause
#include "trees/set_cover_tree.h"

#include <map>
#include <set>

#include "tree_cases.h"

namespace lambdacast::trees {
namespace {

// By node: its parent, as the paper's three rounds a layer choose it.
std::map<NodeId, NodeId> naive_parents(const Graph& graph, const test::Draw& drawn) {
  const auto hops = distances(congest::LiveGraph(graph), drawn.source);
  std::map<NodeId, NodeId> parents;
  std::set<NodeId> active(drawn.receivers.begin(), drawn.receivers.end());
  for (auto layer = static_cast<uint32_t>(graph.nodes()); layer > 0; --layer) {
    std::map<NodeId, size_t> counts;
    for (const NodeId node : active) {
      if (hops[node] != layer) continue;
      for (const NodeId above : graph.neighbors(node)) ++counts[above];
    }
    std::set<NodeId> chosen;
    for (const NodeId node : active) {
      if (hops[node] != layer) continue;
      NodeId best = kNone;
      for (const NodeId above : graph.neighbors(node)) {
        if (hops[above] + 1 == layer && (best == kNone || counts[above] > counts[best]))
          best = above;
      }
      parents[node] = best;
      chosen.insert(best);
    }
    active.insert(chosen.begin(), chosen.end());
  }
  return parents;
}

// A builder is used for several sources and groups: nothing of one is left for the next.
TEST(SetCoverTree, random_groups__expect_the_parents_of_the_rounds) {
  for (const char* spec : test::kSmallGraphs) {
    SCOPED_TRACE(spec);
    const auto fabric = test::fabric_of(spec);
    SetCoverTrees builder(fabric.graph);
    base::SplitMix64 random(7);
    for (int i = 0; i < 50; ++i) {
      const test::Draw drawn = test::draw(fabric, random.below(12), random);
      builder.root(drawn.source);
      Tree tree;
      builder.build(drawn.receivers, 0, tree);
      std::map<NodeId, NodeId> found;
      for (const Tree::Branch& branch : tree.branches) {
        if (branch.parent == kNone) continue;
        EXPECT_EQ(fabric.graph.from(branch.arc), tree.branches[branch.parent].node);
        EXPECT_EQ(fabric.graph.to(branch.arc), branch.node);
        EXPECT_TRUE(found.emplace(branch.node, fabric.graph.from(branch.arc)).second);
      }
      ASSERT_EQ(found, naive_parents(fabric.graph, drawn));
    }
  }
}

TEST(SetCoverTree, any_turn__expect_shortest_paths_ordered_branches_and_leaves_that_receive) {
  for (const char* spec : test::kSmallGraphs) {
    SCOPED_TRACE(spec);
    const auto fabric = test::fabric_of(spec);
    test::for_each_tree(fabric, fabric.graph, 50, [&](const Tree& tree) {
      const auto hops = distances(congest::LiveGraph(fabric.graph), tree.root().node);
      uint32_t next = 1;
      for (uint32_t i = 0; i < tree.branches.size(); ++i) {
        const Tree::Branch& branch = tree.branches[i];
        if (branch.parent != kNone) {
          EXPECT_EQ(hops[branch.node], hops[tree.branches[branch.parent].node] + 1);
        }
        EXPECT_TRUE(!branch.leaf() || branch.receiver || i == 0);
        EXPECT_TRUE(branch.leaf() || branch.first_child == next);
        for (uint32_t c = 0; c < branch.children; ++c) {
          EXPECT_EQ(tree.branches[next + c].parent, i);
          EXPECT_TRUE(c == 0 || tree.branches[next + c - 1].arc < tree.branches[next + c].arc);
        }
        next += branch.children;
      }
      EXPECT_EQ(next, tree.branches.size());
    });
  }
}

// All pods' switches of a turn are linked to the same cores.
TEST(SetCoverTree, fat_tree__expect_one_core_and_another_with_another_turn) {
  const auto fabric = test::fabric_of("fat-tree:8");
  SetCoverTrees builder(fabric.graph);
  builder.root(0);
  std::set<NodeId> cores;
  for (uint32_t turn = 0; turn < 8; ++turn) {
    Tree tree;
    builder.build(std::vector<NodeId>{5, 9, 10, 30}, turn, tree);
    EXPECT_EQ(tree.branches.size(), 3u + 3 + 4);
    for (const Tree::Branch& branch : tree.branches) {
      if (fabric.layer[branch.node] == 2) cores.insert(branch.node);
    }
  }
  EXPECT_GE(cores.size(), 4u);
}

}  // namespace
}  // namespace lambdacast::trees
