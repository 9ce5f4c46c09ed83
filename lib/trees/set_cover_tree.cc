// SPDX-License-Identifier: BSD-3-Clause
#include "trees/set_cover_tree.h"

#include <algorithm>

#include "base/random.h"

namespace lambdacast::trees {

SetCoverTrees::SetCoverTrees(const Graph& graph)
    : graph_(graph),
      hops_(graph.nodes()),
      counts_(graph.nodes()),
      parent_arc_(graph.nodes(), kNone),
      place_(graph.nodes()) {}

void SetCoverTrees::root(NodeId source) {
  source_ = source;
  std::fill(hops_.begin(), hops_.end(), kNone);
  reached_.assign(1, source);
  hops_[source] = 0;
  for (size_t next = 0; next < reached_.size(); ++next) {
    const NodeId node = reached_[next];
    for (const NodeId neighbor : graph_.neighbors(node)) {
      if (hops_[neighbor] != kNone) continue;
      hops_[neighbor] = hops_[node] + 1;
      reached_.push_back(neighbor);
    }
  }
  layers_.resize(hops_[reached_.back()] + 1);
}

void SetCoverTrees::build(std::span<const NodeId> receivers, uint32_t turn, Tree& tree) {
  for (auto& layer : layers_) layer.clear();
  layers_[0].push_back(source_);
  // The arc that leads to a receiver is open until its layer's turn.
  for (const NodeId node : receivers) layers_[hops_[node]].push_back(node);
  for (const NodeId node : receivers) place_[node] = 1;
  for (auto layer = static_cast<uint32_t>(layers_.size() - 1); layer > 0; --layer)
    choose_parents(layer, turn);
  assemble(receivers, tree);
  for (const auto& layer : layers_) {
    for (const NodeId node : layer) parent_arc_[node] = kNone, place_[node] = 0;
  }
}

// Its switches are told from others by place_ until the tree is assembled.
void SetCoverTrees::choose_parents(uint32_t layer, uint32_t turn) {
  for (const NodeId node : layers_[layer]) {
    for (const NodeId above : graph_.neighbors(node)) counts_[above] += 1;
  }
  for (const NodeId node : layers_[layer]) {
    const ArcId arc = graph_.arc(node, best_port(node, turn));
    parent_arc_[node] = graph_.reverse(arc);
    const NodeId parent = graph_.to(arc);
    if (parent == source_ || place_[parent] != 0) continue;
    place_[parent] = 1;
    layers_[layer - 1].push_back(parent);
  }
  for (const NodeId node : layers_[layer]) {
    for (const NodeId above : graph_.neighbors(node)) counts_[above] = 0;
  }
}

// Switches with as many ports turn alike, wherever they stand, and others differently: so in a Clos
// network all racks choose one plane, and the choices of its layers do not depend on each other.
size_t SetCoverTrees::best_port(NodeId node, uint32_t turn) const {
  const std::span<const NodeId> neighbors = graph_.neighbors(node);
  const uint32_t above = hops_[node] - 1;
  uint32_t most = 0, ties = 0;
  size_t best = neighbors.size();
  for (size_t port = 0; port < neighbors.size(); ++port) {
    if (hops_[neighbors[port]] != above || counts_[neighbors[port]] < most) continue;
    ties = counts_[neighbors[port]] == most ? ties + 1 : 1;
    if (ties == 1) best = port;
    most = counts_[neighbors[port]];
  }
  if (turn == 0 || ties == 1) return best;
  auto left = base::mix64(uint64_t{neighbors.size()} << 32 | turn) % ties;
  for (size_t port = best; left > 0; best = port) {
    ++port;
    if (hops_[neighbors[port]] == above && counts_[neighbors[port]] == most) --left;
  }
  return best;
}

void SetCoverTrees::assemble(std::span<const NodeId> receivers, Tree& tree) {
  tree.branches.assign(1, {.node = source_});
  place_[source_] = 0;
  for (size_t hops = 1; hops < layers_.size(); ++hops) {
    auto& layer = layers_[hops];
    std::sort(layer.begin(), layer.end(), [this](NodeId one, NodeId other) {
      const ArcId a = parent_arc_[one], b = parent_arc_[other];
      return std::pair(place_[graph_.from(a)], a) < std::pair(place_[graph_.from(b)], b);
    });
    for (const NodeId node : layer) {
      const auto here = static_cast<uint32_t>(tree.branches.size());
      const uint32_t parent = place_[graph_.from(parent_arc_[node])];
      if (tree.branches[parent].children++ == 0) tree.branches[parent].first_child = here;
      tree.branches.push_back({.node = node, .arc = parent_arc_[node], .parent = parent});
      place_[node] = here;
    }
  }
  for (const NodeId node : receivers) tree.branches[place_[node]].receiver = true;
}

}  // namespace lambdacast::trees
