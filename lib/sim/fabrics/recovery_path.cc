// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/recovery_path.h"

#include <deque>
#include <set>
#include <vector>

namespace lambdacast::sim::fabrics {

using congest::kNone;
using congest::kNoPort;
using congest::LiveGraph;
using congest::NodeId;
using trees::TreeCore;

namespace {

// The father, or kNone at the root and where a link has failed.
NodeId father_of(const LiveGraph& live, const TreeCore& core, NodeId node) {
  if (core.father() == kNoPort) return kNone;
  const congest::ArcId arc = live.graph().arc(node, core.father());
  return live.carries(arc) ? live.graph().to(arc) : kNone;
}

}  // namespace

RecoveryPath recovery_path(const LiveGraph& live, const TreeCores& cores, bool above, size_t group,
                           NodeId source) {
  const congest::Graph& graph = live.graph();
  const size_t most = 2 * size_t{graph.nodes()};
  RecoveryPath path;
  struct Copy {
    NodeId at;
    NodeId from;
  };
  std::deque<Copy> copies{{source, kNone}};
  if (!above) {
    for (NodeId up = source;
         (up = father_of(live, cores(up), up)) != kNone && path.links <= most;) {
      copies.front().at = up;
      ++path.links;
    }
  }
  for (; !copies.empty() && path.links <= most; copies.pop_front()) {
    const Copy copy = copies.front();
    const NodeId node = copy.at;
    const TreeCore& core = cores(node);
    ++path.copies[node];
    const auto pass = [&](NodeId to) {
      if (to == copy.from) return;
      copies.push_back({to, node});
      ++path.links;
    };
    for (size_t port = 0; port < graph.degree(node); ++port) {
      const TreeCore::Words& bits = core.is_son(port);
      if (bits.empty() || (bits[group / 32] >> group % 32 & 1) == 0) continue;
      if (live.carries(graph.arc(node, port))) pass(graph.neighbors(node)[port]);
    }
    const NodeId father = father_of(live, core, node);
    if (above && father != kNone && core.above(group)) pass(father);
  }
  return path;
}

uint64_t least_links(const LiveGraph& live, const TreeCores& cores, NodeId source,
                     std::span<const NodeId> receivers) {
  const auto line_of = [&](NodeId node) {  // up to the root
    std::vector<NodeId> line;
    for (; node != kNone && line.size() <= live.graph().nodes();
         node = father_of(live, cores(node), node))
      line.push_back(node);
    return line;
  };
  std::set<NodeId> lower;  // ends of the links
  for (const NodeId receiver : receivers) {
    std::vector<NodeId> one = line_of(source), other = line_of(receiver);
    while (!one.empty() && !other.empty() && one.back() == other.back()) {
      one.pop_back();
      other.pop_back();
    }
    lower.insert(one.begin(), one.end());
    lower.insert(other.begin(), other.end());
  }
  return lower.size();
}

}  // namespace lambdacast::sim::fabrics
