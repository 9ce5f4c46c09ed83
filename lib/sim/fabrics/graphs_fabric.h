// SPDX-License-Identifier: BSD-3-Clause
// A graph of switches with what its kind says of them: which have a rack of servers, and where
// each stands in a Clos network.
#pragma once

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "congest/graph.h"

namespace lambdacast::sim::fabrics {

using congest::Graph;
using congest::kNone;
using congest::Link;
using congest::NodeId;

struct Fabric {
  std::string name;  // what was asked for
  Graph graph;
  std::vector<NodeId> racks;  // the switches that have servers, ascending

  // Empty unless it is a Clos network. By node: its layer, 0 at the racks, and its number
  // among the logical switches of the layer: those that a path from above passes at most one of
  // have one number, as the spines of a pod have.
  std::vector<uint8_t> layer;
  std::vector<uint32_t> logical;
  std::vector<uint32_t> logical_switches;  // by layer: how many numbers there are

  [[nodiscard]] bool clos() const { return !layer.empty(); }
  // A rack, a pod's switch and a core: three layers in which a core reaches a pod once.
  [[nodiscard]] bool fat_tree() const { return clos() && logical_switches.size() == 3; }
};

// A graph in which every switch has servers.
[[nodiscard]] inline Fabric all_racks(Graph graph) {
  Fabric fabric;
  fabric.racks.resize(graph.nodes());
  std::iota(fabric.racks.begin(), fabric.racks.end(), NodeId{0});
  fabric.graph = std::move(graph);
  return fabric;
}

}  // namespace lambdacast::sim::fabrics
