// SPDX-License-Identifier: BSD-3-Clause
// One scheme a source file, behind route.h.
#pragma once

#include "trees/route.h"

namespace lambdacast::trees::schemes {

// Follows a packet: decide(step, forward) calls forward(arc, state) for each port that a switch
// sends it by, with what the next switch is called with, and says whether to hand it to a server.
struct Step {
  NodeId node;
  ArcId came;  // kNone at the root
  uint64_t state;
};
template <typename Decide>
Delivery follow(const Graph& graph, NodeId root, uint64_t state, Decide&& decide) {
  Delivery delivery;
  std::vector<Step> steps{{root, kNone, state}};
  for (size_t next = 0; next < steps.size(); ++next) {
    if (steps.size() > 4 * graph.nodes()) {
      delivery.malformed = true;
      break;
    }
    const Step step = steps[next];
    const bool hand = decide(step, [&](ArcId arc, uint64_t child_state) {
      delivery.arcs.push_back(arc);
      steps.push_back({graph.to(arc), arc, child_state});
    });
    if (hand) delivery.racks.push_back(step.node);
  }
  return delivery;
}

void encode_naive(const RouteContext& context, const Tree& tree, Bits& header);
Delivery deliver_naive(const RouteContext& context, NodeId root, const Bits& header);
void encode_francis(const RouteContext& context, const Tree& tree, Bits& header);
Delivery deliver_francis(const RouteContext& context, NodeId root, const Bits& header);
void encode_elmo(const RouteContext& context, const Tree& tree, Bits& header);
Delivery deliver_elmo(const RouteContext& context, NodeId root, const Bits& header,
                      const UpwardArc& upward);
void encode_orca(const RouteContext& context, const Tree& tree, Bits& header);
Delivery deliver_orca(const RouteContext& context, NodeId root, const Bits& header,
                      const UpwardArc& upward);
void encode_slices(const RouteContext& context, const Tree& tree, Bits& header);
Delivery deliver_slices(const RouteContext& context, NodeId root, const Bits& header);

}  // namespace lambdacast::trees::schemes
