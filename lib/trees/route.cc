// SPDX-License-Identifier: BSD-3-Clause
#include "trees/route.h"

#include <algorithm>
#include <set>
#include <utility>

#include "trees/route_schemes.h"

namespace lambdacast::trees {

namespace {

// Up along one path and then down, and no two switches that are reached from above have one number
// in their layer.
bool up_then_down(const Layers& layers, const Tree& tree) {
  std::set<std::pair<uint8_t, uint32_t>> reached;
  std::vector<bool> downward(tree.branches.size());
  if (layers.layer[tree.root().node] != 0) return false;
  for (uint32_t i = 0; i < tree.branches.size(); ++i) {
    const Tree::Branch& branch = tree.branches[i];
    const uint8_t layer = layers.layer[branch.node];
    uint32_t upward = 0;
    for (uint32_t c = 0; c < branch.children; ++c) {
      const NodeId child = tree.branches[branch.first_child + c].node;
      if (layers.layer[child] > layer) {
        ++upward;
        continue;
      }
      downward[branch.first_child + c] = true;
      if (!reached.insert({layers.layer[child], layers.logical[child]}).second) return false;
    }
    if (upward > (downward[i] ? 0u : 1u)) return false;
  }
  return true;
}

}  // namespace

RouteContext::RouteContext(const Graph& of, const Layers& with, const RouteConfig& configured)
    : graph(of), layers(with), config(configured), down_ports(with.logical_switches.size()) {
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    most_ports = std::max(most_ports, graph.degree(node));
    if (!layers.clos()) continue;
    const uint8_t layer = layers.layer[node];
    const auto down = static_cast<uint32_t>(
        std::count_if(graph.neighbors(node).begin(), graph.neighbors(node).end(),
                      [&](NodeId other) { return layers.layer[other] < layer; }));
    down_ports[layer] = std::max(down_ports[layer], down);
  }
}

bool can_say(Scheme scheme, const RouteContext& context, const Tree& tree) {
  const Layers& layers = context.layers;
  if (scheme == Scheme::kElmo) return !layers.clos() || up_then_down(layers, tree);
  if (scheme == Scheme::kOrca)
    return layers.clos() && layers.logical_switches.size() == 3 && up_then_down(layers, tree);
  return true;
}

void encode(Scheme scheme, const RouteContext& context, const Tree& tree, Bits& header) {
  switch (scheme) {
    case Scheme::kNaive:
      return schemes::encode_naive(context, tree, header);
    case Scheme::kFrancis:
      return schemes::encode_francis(context, tree, header);
    case Scheme::kElmo:
      return schemes::encode_elmo(context, tree, header);
    case Scheme::kOrca:
      return schemes::encode_orca(context, tree, header);
    case Scheme::kSlices:
      return schemes::encode_slices(context, tree, header);
  }
}

Delivery deliver(Scheme scheme, const RouteContext& context, NodeId root, const Bits& header,
                 const UpwardArc& upward) {
  switch (scheme) {
    case Scheme::kNaive:
      return schemes::deliver_naive(context, root, header);
    case Scheme::kFrancis:
      return schemes::deliver_francis(context, root, header);
    case Scheme::kElmo:
      return schemes::deliver_elmo(context, root, header, upward);
    case Scheme::kOrca:
      return schemes::deliver_orca(context, root, header, upward);
    case Scheme::kSlices:
      return schemes::deliver_slices(context, root, header);
  }
  return {};
}

}  // namespace lambdacast::trees
