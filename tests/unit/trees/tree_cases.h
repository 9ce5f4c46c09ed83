// SPDX-License-Identifier: BSD-3-Clause
// Graphs and random trees on them, and the check that a header says its tree.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/random.h"
#include "sim/fabrics/graphs_spec.h"
#include "trees/route.h"
#include "trees/set_cover_tree.h"
#include "trees/spanner_trees.h"

namespace lambdacast::trees::test {

inline sim::fabrics::Fabric fabric_of(const std::string& spec) {
  auto fabric = sim::fabrics::parse_graph(spec, 1);
  if (!fabric) throw std::runtime_error(fabric.error().message);
  return std::move(*fabric);
}
inline Layers layers_of(const sim::fabrics::Fabric& fabric) {
  return {fabric.layer, fabric.logical, fabric.logical_switches};
}

inline const char* const kSmallGraphs[] = {"fat-tree:4",      "fat-tree:8",   "spine-leaf:9,4",
                                           "jellyfish:30,75", "random:12,20", "hamming:3,3",
                                           "ring:7",          "wan:20,24,6,5"};

// A source and `count` receivers among the racks, without repetition.
struct Draw {
  NodeId source;
  std::vector<NodeId> receivers;
};
inline Draw draw(const sim::fabrics::Fabric& fabric, size_t count, base::SplitMix64& random) {
  std::vector<NodeId> racks = fabric.racks;
  count = std::min(count, racks.size() - 1);
  for (size_t i = 0; i <= count; ++i)
    std::swap(racks[i], racks[i + random.below(racks.size() - i)]);
  return {racks[0], {racks.begin() + 1, racks.begin() + 1 + static_cast<std::ptrdiff_t>(count)}};
}

template <typename Visitor>
void for_each_tree(const sim::fabrics::Fabric& fabric, const Graph& graph, int trees,
                   Visitor&& visit) {
  base::SplitMix64 random(fabric.graph.links());
  SetCoverTrees builder(graph);
  for (int i = 0; i < trees; ++i) {
    const Draw drawn = draw(fabric, 1 + random.below(fabric.racks.size()), random);
    builder.root(drawn.source);
    Tree tree;
    builder.build(drawn.receivers, static_cast<uint32_t>(random.below(100)), tree);
    visit(tree);
  }
}

// The header says the tree, and `may_add` arcs and switches beside it or not.
inline void expect_said(Scheme scheme, const RouteContext& context, const Tree& tree,
                        bool may_add = false) {
  Bits header;
  encode(scheme, context, tree, header);
  const auto upward = [&](NodeId node) {
    for (const Tree::Branch& branch : tree.branches) {
      if (branch.arc != kNone && context.graph.from(branch.arc) == node &&
          context.layers.layer[branch.node] > context.layers.layer[node])
        return branch.arc;
    }
    return kNone;
  };
  Delivery found = deliver(scheme, context, tree.root().node, header, upward);
  EXPECT_FALSE(found.malformed);
  std::vector<ArcId> arcs;
  std::vector<NodeId> racks;
  for (const Tree::Branch& branch : tree.branches) {
    if (branch.arc != kNone) arcs.push_back(branch.arc);
    if (branch.receiver) racks.push_back(branch.node);
  }
  for (auto* sorted : {&arcs, &found.arcs}) std::sort(sorted->begin(), sorted->end());
  for (auto* sorted : {&racks, &found.racks}) std::sort(sorted->begin(), sorted->end());
  if (!may_add) {
    EXPECT_EQ(found.arcs, arcs);
    EXPECT_EQ(found.racks, racks);
  }
  EXPECT_TRUE(std::includes(found.arcs.begin(), found.arcs.end(), arcs.begin(), arcs.end()));
  EXPECT_TRUE(std::includes(found.racks.begin(), found.racks.end(), racks.begin(), racks.end()));
  EXPECT_EQ(std::adjacent_find(found.arcs.begin(), found.arcs.end()), found.arcs.end());
}

// Every tree of every small graph, on the graph itself and on a spanner.
inline void expect_all_said(Scheme scheme) {
  for (const char* spec : kSmallGraphs) {
    SCOPED_TRACE(spec);
    const sim::fabrics::Fabric fabric = fabric_of(spec);
    const Graph spanner = part_of(fabric.graph, spanner_links(fabric.graph, 2, 1));
    for (const Graph* graph : std::initializer_list<const Graph*>{&fabric.graph, &spanner}) {
      const RouteContext context(*graph, layers_of(fabric), {});
      for_each_tree(fabric, *graph, 30,
                    [&](const Tree& tree) { expect_said(scheme, context, tree); });
    }
  }
}

}  // namespace lambdacast::trees::test
