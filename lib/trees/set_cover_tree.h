// SPDX-License-Identifier: BSD-3-Clause
// FRANCIS, Algorithm 6 and Appendix G, with all of the graph in one hand: the reference of the
// distributed form. A tree of shortest paths is built from the receivers towards the source. In
// each layer of distance the switches that need a parent are counted by each possible parent, and
// each chooses the one with the greatest count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trees/tree.h"

namespace lambdacast::trees {

class SetCoverTrees {
 public:
  // The graph outlives it and is connected.
  explicit SetCoverTrees(const Graph& graph);

  // Searches from `source`: of the trees behind it.
  void root(NodeId source);
  [[nodiscard]] const std::vector<uint32_t>& hops() const { return hops_; }

  // `receivers` are distinct and not the source. Of equal counts the least id wins if `turn` is 0.
  // Otherwise `turn` and the switch's number of ports say which of them in the order of ports: in a
  // Clos network that is wired regularly it leads all switches to one spine, and another turn to
  // another.
  void build(std::span<const NodeId> receivers, uint32_t turn, Tree& tree);

 private:
  void choose_parents(uint32_t layer, uint32_t turn);
  [[nodiscard]] size_t best_port(NodeId node, uint32_t turn) const;
  void assemble(std::span<const NodeId> receivers, Tree& tree);

  const Graph& graph_;
  NodeId source_ = kNone;
  std::vector<uint32_t> hops_;     // by node, from the source
  std::vector<NodeId> reached_;    // in order of their hops
  std::vector<uint32_t> counts_;   // by node
  std::vector<ArcId> parent_arc_;  // by node: to it from its parent; kNone: not in the tree
  std::vector<uint32_t> place_;    // by node in the tree: in its branches
  std::vector<std::vector<NodeId>> layers_;  // by hops: those in the tree
};

}  // namespace lambdacast::trees
