// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/failure.h"

namespace lambdacast::sim::fabrics {

using congest::Graph;
using congest::kNone;
using congest::LinkId;
using congest::NodeId;

namespace {

// Is that switch the neighbour of one that has failed, or of an end of a link that has?
bool beside(const Graph& graph, const std::vector<Failure>& failures, NodeId node) {
  const auto near = [&](NodeId other) {
    const auto neighbors = graph.neighbors(other);
    return node == other || std::find(neighbors.begin(), neighbors.end(), node) != neighbors.end();
  };
  return std::any_of(failures.begin(), failures.end(), [&](const Failure& failure) {
    if (failure.node != kNone) return near(failure.node);
    return near(graph.link(failure.link).a) || near(graph.link(failure.link).b);
  });
}

}  // namespace

void draw_further(const Graph& graph, uint32_t count, bool links, std::span<const NodeId> among,
                  base::SplitMix64& random, std::vector<Failure>& failures) {
  constexpr unsigned kTries = 1000;
  const size_t nodes = among.empty() ? graph.nodes() : among.size();
  for (unsigned tries = 0; failures.size() < count && tries < 2 * kTries; ++tries) {
    const auto link = static_cast<LinkId>(random.below(graph.links()));
    NodeId node = graph.link(link).a;
    if (!links) {
      const uint64_t drawn = random.below(nodes);
      node = among.empty() ? static_cast<NodeId>(drawn) : among[drawn];
    }
    const bool known = std::any_of(failures.begin(), failures.end(), [&](const Failure& other) {
      return links ? other.link == link : other.node == node;
    });
    if (known || (tries < kTries && beside(graph, failures, node))) continue;
    if (links)
      failures.push_back({.link = link});
    else
      failures.push_back({.node = node});
  }
}

}  // namespace lambdacast::sim::fabrics
