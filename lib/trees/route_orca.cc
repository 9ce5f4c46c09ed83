// SPDX-License-Identifier: BSD-3-Clause
// Orca (NSDI 2022) in a fat-tree. A pod's switch asks the filter for each of its racks; the filter
// has no false negatives, and a rack that it names falsely drops the packet.
//
//   header: goes up to a core [bitmap of pods] bits of the filter (16) filter
#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "trees/route_schemes.h"

namespace lambdacast::trees::schemes {

namespace {

constexpr uint32_t kSizeBits = 16;
constexpr uint8_t kRack = 0, kPod = 1, kCore = 2;

// As Bloom's filter is dimensioned: so many bits an entry, and so many hashes.
double bits_an_entry(double false_positives) {
  return -std::log(false_positives) / (std::log(2.0) * std::log(2.0));
}
uint32_t hashes(double false_positives) {
  return std::max(1u, static_cast<uint32_t>(std::lround(-std::log2(false_positives))));
}
size_t hash(NodeId rack, uint32_t i, size_t size) {
  return base::mix64(uint64_t{i} << 32 | rack) % size;
}

Delivery malformed() {
  Delivery delivery;
  delivery.malformed = true;
  return delivery;
}

}  // namespace

void encode_orca(const RouteContext& context, const Tree& tree, Bits& header) {
  header.clear();
  const Layers& layers = context.layers;
  const auto at_core = [&](const Tree::Branch& branch) {
    return layers.layer[branch.node] == kCore;
  };
  const auto core = std::find_if(tree.branches.begin(), tree.branches.end(), at_core);
  header.push(core != tree.branches.end());
  if (core != tree.branches.end()) {
    const size_t first = header.extend(layers.logical_switches[kPod]);
    for (uint32_t i = 0; i < core->children; ++i)
      header.set(first + layers.logical[tree.branches[core->first_child + i].node]);
  }
  const double false_positives = context.config.orca_false_positives;
  const auto racks = std::count_if(tree.branches.begin(), tree.branches.end(),
                                   [](const Tree::Branch& branch) { return branch.receiver; });
  const auto size =
      static_cast<size_t>(std::ceil(static_cast<double>(racks) * bits_an_entry(false_positives)));
  header.push(size, kSizeBits);
  const size_t first = header.extend(size);
  for (const Tree::Branch& branch : tree.branches) {
    if (!branch.receiver) continue;
    for (uint32_t i = 0; i < hashes(false_positives); ++i)
      header.set(first + hash(branch.node, i, size));
  }
}

Delivery deliver_orca(const RouteContext& context, NodeId root, const Bits& header,
                      const UpwardArc& upward) {
  const Graph& graph = context.graph;
  const Layers& layers = context.layers;
  BitReader reader(header);
  const bool goes_up = reader.bit();
  std::vector<bool> pods(goes_up ? layers.logical_switches[kPod] : 0);
  for (size_t i = 0; i < pods.size(); ++i) pods[i] = reader.bit();
  const size_t size = reader.number(kSizeBits);
  const size_t first = reader.at();
  reader.skip(size);
  const auto named = [&](NodeId rack) {
    for (uint32_t i = 0; i < hashes(context.config.orca_false_positives); ++i) {
      if (size == 0 || !header[first + hash(rack, i, size)]) return false;
    }
    return true;
  };
  if (reader.overrun()) return malformed();
  return follow(graph, root, 0, [&](const Step& step, auto&& forward) {
    if (layers.layer[step.node] == kRack) {
      if (step.came == kNone && size != 0) forward(upward(step.node), 0);
      return step.came != kNone;
    }
    const bool from_below = layers.layer[graph.from(step.came)] < layers.layer[step.node];
    for (size_t port = 0; port < graph.degree(step.node); ++port) {
      const ArcId arc = graph.arc(step.node, port);
      const NodeId to = graph.to(arc);
      if (layers.layer[to] > layers.layer[step.node] || arc == graph.reverse(step.came)) continue;
      if (layers.layer[to] == kRack ? named(to) : pods[layers.logical[to]]) forward(arc, 0);
    }
    if (layers.layer[step.node] == kPod && from_below && goes_up) forward(upward(step.node), 0);
    return false;
  });
}

}  // namespace lambdacast::trees::schemes
