// SPDX-License-Identifier: BSD-3-Clause
// An undirected graph of switches and the links between them, in compressed rows: the arcs that
// leave a node stand side by side, in the order of the other ends' numbers. An arc is one direction
// of a link. A failure is a view of a graph (LiveGraph), never a new one.
//
// A port is an arc's place among those of its node. Immutable; any thread may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace lambdacast::congest {

using NodeId = uint32_t;
using ArcId = uint32_t;
using LinkId = uint32_t;

inline constexpr uint32_t kNone = ~uint32_t{0};

struct Link {
  NodeId a = 0;
  NodeId b = 0;
  bool operator==(const Link&) const = default;
};

class Graph {
 public:
  Graph() : first_(1, 0) {}
  // Links keep their places as numbers. Ends are below `nodes` and differ; two links may join the
  // same ends.
  Graph(size_t nodes, std::vector<Link> links);

  [[nodiscard]] size_t nodes() const { return first_.size() - 1; }
  [[nodiscard]] size_t links() const { return links_.size(); }
  [[nodiscard]] size_t arcs() const { return to_.size(); }

  [[nodiscard]] size_t degree(NodeId node) const { return first_[node + 1] - first_[node]; }
  [[nodiscard]] std::span<const NodeId> neighbors(NodeId node) const {
    return std::span(to_).subspan(first_[node], degree(node));
  }
  [[nodiscard]] ArcId arc(NodeId node, size_t port) const {
    return static_cast<ArcId>(first_[node] + port);
  }
  [[nodiscard]] NodeId to(ArcId arc) const { return to_[arc]; }
  [[nodiscard]] ArcId reverse(ArcId arc) const { return reverse_[arc]; }
  [[nodiscard]] NodeId from(ArcId arc) const { return to_[reverse_[arc]]; }
  // The port at which that arc leaves its node.
  [[nodiscard]] size_t port(ArcId arc) const { return arc - first_[from(arc)]; }
  [[nodiscard]] LinkId link_of(ArcId arc) const { return link_of_[arc]; }
  [[nodiscard]] const Link& link(LinkId link) const { return links_[link]; }

 private:
  std::vector<Link> links_;
  std::vector<uint32_t> first_;  // by node: its first arc; one more behind the last
  std::vector<NodeId> to_;       // by arc
  std::vector<ArcId> reverse_;   // by arc
  std::vector<LinkId> link_of_;  // by arc
};

// A graph of which nodes and links have failed. The graph outlives it.
class LiveGraph {
 public:
  explicit LiveGraph(const Graph& graph)
      : graph_(&graph), dead_node_(graph.nodes()), dead_link_(graph.links()) {}

  void fail_node(NodeId node) { dead_node_[node] = true; }
  void fail_link(LinkId link) { dead_link_[link] = true; }

  [[nodiscard]] const Graph& graph() const { return *graph_; }
  [[nodiscard]] bool alive(NodeId node) const { return !dead_node_[node]; }
  // Does it carry frames: are the link and both of its ends alive?
  [[nodiscard]] bool carries(ArcId arc) const {
    const LinkId link = graph_->link_of(arc);
    return !dead_link_[link] && alive(graph_->link(link).a) && alive(graph_->link(link).b);
  }

 private:
  const Graph* graph_;
  std::vector<bool> dead_node_;
  std::vector<bool> dead_link_;
};

// By node: hops from `root` over what is alive; kNone: it cannot be reached.
[[nodiscard]] std::vector<uint32_t> distances(const LiveGraph& graph, NodeId root);

}  // namespace lambdacast::congest
