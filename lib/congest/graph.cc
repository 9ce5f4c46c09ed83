// SPDX-License-Identifier: BSD-3-Clause
#include "congest/graph.h"

#include <algorithm>
#include <numeric>

namespace lambdacast::congest {

Graph::Graph(size_t nodes, std::vector<Link> links)
    : links_(std::move(links)), first_(nodes + 1), to_(2 * links_.size()) {
  reverse_.resize(to_.size());
  link_of_.resize(to_.size());
  // Both directions of each link, by the node that they leave and then by the other end.
  struct Half {
    NodeId from;
    NodeId to;
    LinkId link;
  };
  std::vector<Half> halves;
  halves.reserve(to_.size());
  for (LinkId link = 0; link < links_.size(); ++link) {
    halves.push_back({links_[link].a, links_[link].b, link});
    halves.push_back({links_[link].b, links_[link].a, link});
  }
  std::stable_sort(halves.begin(), halves.end(), [](const Half& one, const Half& other) {
    return std::pair(one.from, one.to) < std::pair(other.from, other.to);
  });
  std::vector<ArcId> other_half(links_.size(), kNone);
  for (ArcId arc = 0; arc < halves.size(); ++arc) {
    const Half& half = halves[arc];
    ++first_[half.from + 1];
    to_[arc] = half.to;
    link_of_[arc] = half.link;
    if (other_half[half.link] == kNone) {
      other_half[half.link] = arc;
    } else {
      reverse_[arc] = other_half[half.link];
      reverse_[other_half[half.link]] = arc;
    }
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

std::vector<uint32_t> distances(const LiveGraph& live, NodeId root) {
  const Graph& graph = live.graph();
  std::vector<uint32_t> hops(graph.nodes(), kNone);
  if (!live.alive(root)) return hops;
  std::vector<NodeId> reached{root};
  hops[root] = 0;
  for (size_t next = 0; next < reached.size(); ++next) {
    const NodeId node = reached[next];
    for (size_t port = 0; port < graph.degree(node); ++port) {
      const ArcId arc = graph.arc(node, port);
      if (hops[graph.to(arc)] != kNone || !live.carries(arc)) continue;
      hops[graph.to(arc)] = hops[node] + 1;
      reached.push_back(graph.to(arc));
    }
  }
  return hops;
}

}  // namespace lambdacast::congest
