// SPDX-License-Identifier: BSD-3-Clause
// A multicast tree in the header of its packets. In all schemes a rack's switch without a rule of
// its own hands the packet to a server of the rack, which serves the other receivers there (Orca's
// assistance by servers); the sender's server serves those of its own rack.
//
//   naive    by switch: its id, then the shorter of a bitmap and a list of its egress ports
//   francis  by switch: its id and a bitmap of its ports; the graph is meant to be a spanner
//   elmo     layer by layer: a bitmap, and the ids of the switches that share it; on the way up a
//            switch chooses its upward port by itself
//   orca     a bitmap of pods and a Bloom filter of the receivers' racks, in a fat-tree alone
//   slices   ours: a switch reads its own rule in front and sends each child the slice behind it
//            that is the child's, so that no rule has an id
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "trees/bits.h"
#include "trees/tree.h"

namespace lambdacast::trees {

// The places of switches in a Clos network. Empty: it is no Clos network. Switches have greater
// numbers than those of lower layers, so a switch's ports downwards come first.
struct Layers {
  std::span<const uint8_t> layer;              // by node, 0 at the racks
  std::span<const uint32_t> logical;           // by node: its number among those of its layer
  std::span<const uint32_t> logical_switches;  // by layer: how many numbers there are

  [[nodiscard]] bool clos() const { return !layer.empty(); }
  [[nodiscard]] bool has_servers(NodeId node) const { return !clos() || layer[node] == 0; }
};

struct RouteConfig {
  uint32_t elmo_sharers = 30;          // switches that share a bitmap at most
  uint32_t elmo_redundancy = 0;        // ports that a bitmap may add to a switch's own
  double orca_false_positives = 0.01;  // of its filter, at one entry a receiver's rack
};

// The graph, whose arcs the trees name, and what `layers` refers to outlive it.
struct RouteContext {
  RouteContext(const Graph& of, const Layers& with, const RouteConfig& configured);

  const Graph& graph;
  Layers layers;
  RouteConfig config;
  size_t most_ports = 0;             // of any switch
  std::vector<uint32_t> down_ports;  // by layer: the most that lead downwards
};

// The effect of a header: the arcs that carry the packet, and the switches that hand it on to a
// server.
struct Delivery {
  std::vector<ArcId> arcs;
  std::vector<NodeId> racks;
  bool malformed = false;  // the header ended early, or the packet went round
};

// The upward port that a switch chooses by itself; kNone: none is needed.
using UpwardArc = std::function<ArcId(NodeId)>;

enum class Scheme : uint8_t { kNaive, kFrancis, kElmo, kOrca, kSlices };

// Whether a scheme can say that tree. Elmo needs a tree that goes up along one path and then down,
// or a graph without layers; Orca such a tree in a fat-tree.
[[nodiscard]] bool can_say(Scheme scheme, const RouteContext& context, const Tree& tree);
void encode(Scheme scheme, const RouteContext& context, const Tree& tree, Bits& header);
// Follows the packet from the root, as each switch reads it.
[[nodiscard]] Delivery deliver(Scheme scheme, const RouteContext& context, NodeId root,
                               const Bits& header, const UpwardArc& upward);

}  // namespace lambdacast::trees
