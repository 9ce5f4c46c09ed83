// SPDX-License-Identifier: BSD-3-Clause
#include "trees/spanner_trees.h"

#include <cmath>

#include "base/random.h"

namespace lambdacast::trees {

namespace {

using congest::ArcId;
using congest::Graph;
using congest::kNone;
using congest::LinkId;
using congest::NodeId;

class Spanner {
 public:
  Spanner(const Graph& graph, uint32_t k, uint64_t seed)
      : graph_(graph),
        k_(k),
        seed_(seed),
        survives_(std::pow(static_cast<double>(graph.nodes()), -1.0 / k)),
        cluster_(graph.nodes()),
        next_(graph.nodes()),
        open_(graph.links(), true),
        kept_(graph.links(), false),
        met_by_(graph.nodes(), kNone) {
    for (NodeId node = 0; node < graph.nodes(); ++node) cluster_[node] = node;
  }

  std::vector<LinkId> links() {
    for (uint32_t phase = 1; phase < k_; ++phase) {
      for (NodeId node = 0; node < graph_.nodes(); ++node) move(node, phase);
      cluster_ = next_;
      close_links();
    }
    for (NodeId node = 0; node < graph_.nodes(); ++node) keep_one_each(node);
    std::vector<LinkId> links;
    for (LinkId link = 0; link < graph_.links(); ++link) {
      if (kept_[link]) links.push_back(link);
    }
    return links;
  }

 private:
  [[nodiscard]] bool survives(NodeId cluster, uint32_t phase) const {
    return survives_.hit(base::mix64(seed_ ^ base::mix64(uint64_t{phase} << 32 | cluster)));
  }
  // visit(arc, cluster at its other end) for the links of a node that are undecided.
  template <typename Visitor>
  void for_each_open(NodeId node, Visitor&& visit) const {
    for (size_t port = 0; port < graph_.degree(node); ++port) {
      const ArcId arc = graph_.arc(node, port);
      if (open_[graph_.link_of(arc)]) visit(arc, cluster_[graph_.to(arc)]);
    }
  }
  void move(NodeId node, uint32_t phase) {
    next_[node] = cluster_[node];
    if (cluster_[node] == kNone || survives(cluster_[node], phase)) return;
    ArcId joined = kNone;
    for_each_open(node, [&](ArcId arc, NodeId cluster) {
      if (joined == kNone && survives(cluster, phase)) joined = arc;
    });
    if (joined == kNone) {
      next_[node] = kNone;
      return keep_one_each(node);
    }
    kept_[graph_.link_of(joined)] = true;
    next_[node] = cluster_[graph_.to(joined)];
    for_each_open(node, [&](ArcId arc, NodeId cluster) {
      if (cluster == next_[node]) closing_.push_back(graph_.link_of(arc));
    });
  }
  // One link to each neighbouring cluster; then nothing of the node is undecided. A node does so
  // once: it has left then, or this was the end.
  void keep_one_each(NodeId node) {
    for_each_open(node, [&](ArcId arc, NodeId cluster) {
      const LinkId link = graph_.link_of(arc);
      if (met_by_[cluster] != node) kept_[link] = true;
      met_by_[cluster] = node;
      closing_.push_back(link);
    });
  }
  // All nodes decide by what was open when the phase began. The ends of a link inside a cluster are
  // joined by what was kept in it.
  void close_links() {
    for (const LinkId link : closing_) open_[link] = false;
    closing_.clear();
    for (LinkId link = 0; link < graph_.links(); ++link) {
      const auto [a, b] = graph_.link(link);
      if (cluster_[a] != kNone && cluster_[a] == cluster_[b]) open_[link] = false;
    }
  }

  const Graph& graph_;
  uint32_t k_;
  uint64_t seed_;
  base::Chance survives_;
  std::vector<NodeId> cluster_;  // by node: the centre of its cluster; kNone: it has left
  std::vector<NodeId> next_;     // the same behind this phase
  std::vector<bool> open_;       // by link: neither kept nor left out
  std::vector<bool> kept_;       // by link
  std::vector<NodeId> met_by_;   // by cluster: the node that met it last
  std::vector<LinkId> closing_;  // decided in this phase
};

}  // namespace

std::vector<LinkId> spanner_links(const Graph& graph, uint32_t k, uint64_t seed) {
  return Spanner(graph, k, seed).links();
}

Graph part_of(const Graph& graph, const std::vector<LinkId>& links) {
  std::vector<congest::Link> part;
  part.reserve(links.size());
  for (const LinkId link : links) part.push_back(graph.link(link));
  return Graph(graph.nodes(), std::move(part));
}

}  // namespace lambdacast::trees
