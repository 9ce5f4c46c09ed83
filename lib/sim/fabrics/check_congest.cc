// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/check_congest.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <iterator>

namespace lambdacast::sim::fabrics {

namespace {

using congest::ArcId;
using congest::kNone;
using congest::LinkId;
using congest::LiveGraph;
using congest::NodeId;

using Plain =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                          boost::property<boost::edge_weight_t, uint64_t>>;

[[nodiscard]] bool link_alive(const LiveGraph& live, LinkId link) {
  const congest::Link& ends = live.graph().link(link);
  for (size_t port = 0; port < live.graph().degree(ends.a); ++port) {
    const ArcId arc = live.graph().arc(ends.a, port);
    if (live.graph().link_of(arc) == link) return live.carries(arc);
  }
  return false;
}

// The links that are alive and for which `wanted(link)`; the weight of an edge is `weight(link)`.
template <typename Wanted, typename Weight>
Plain plain(const LiveGraph& live, Wanted wanted, Weight weight) {
  Plain graph(live.graph().nodes());
  for (LinkId link = 0; link < live.graph().links(); ++link) {
    const congest::Link& ends = live.graph().link(link);
    if (link_alive(live, link) && wanted(link))
      boost::add_edge(ends.a, ends.b, static_cast<uint64_t>(weight(link)), graph);
  }
  return graph;
}
Plain plain(const LiveGraph& live) {
  return plain(
      live, [](LinkId) { return true; }, [](LinkId) { return 1; });
}

std::vector<uint32_t> hops(const Plain& graph, NodeId root) {
  std::vector<uint32_t> hops(boost::num_vertices(graph), kNone);
  hops[root] = 0;
  boost::breadth_first_search(graph, root,
                              boost::visitor(boost::make_bfs_visitor(
                                  boost::record_distances(hops.data(), boost::on_tree_edge()))));
  return hops;
}

// By node: its depth below the root; kNone: it does not hang there, or in a cycle.
std::vector<uint32_t> depths(const LiveGraph& live, const Parents& parents, NodeId root) {
  std::vector<uint32_t> depths(parents.size(), kNone);
  for (NodeId node = 0; node < parents.size(); ++node) {
    NodeId at = node;
    uint32_t depth = 0;
    for (; parents[at] != kNone && depth <= parents.size(); ++depth) {
      if (live.graph().from(parents[at]) != at || !live.carries(parents[at])) break;
      at = live.graph().to(parents[at]);
    }
    if (at == root && parents[at] == kNone) depths[node] = depth;
  }
  return depths;
}

std::vector<bool> links_of(const LiveGraph& live, const Parents& parents) {
  std::vector<bool> links(live.graph().links());
  for (const ArcId arc : parents)
    if (arc != kNone) links[live.graph().link_of(arc)] = true;
  return links;
}

std::string at_node(NodeId node, const char* what) {
  return "node " + std::to_string(node) + " " + what;
}

}  // namespace

std::string check_spanning_tree(const LiveGraph& live, NodeId root, const Parents& parents) {
  const auto found = depths(live, parents, root);
  for (NodeId node = 0; node < parents.size(); ++node) {
    if (!live.alive(node)) continue;
    if (found[node] == kNone) return at_node(node, "does not hang below the root");
  }
  return {};
}

std::string check_breadth_first(const LiveGraph& live, NodeId root, const Parents& parents,
                                const std::vector<uint32_t>& distances) {
  if (const auto said = check_spanning_tree(live, root, parents); !said.empty()) return said;
  const auto least = hops(plain(live), root);
  for (NodeId node = 0; node < parents.size(); ++node) {
    if (!live.alive(node)) continue;
    if (distances[node] != least[node]) return at_node(node, "is at another distance");
    NodeId parent = kNone;
    for (size_t port = 0; port < live.graph().degree(node); ++port) {
      const ArcId arc = live.graph().arc(node, port);
      const NodeId to = live.graph().to(arc);
      if (live.carries(arc) && least[to] + 1 == least[node]) parent = std::min(parent, to);
    }
    const NodeId chosen = parents[node] == kNone ? kNone : live.graph().to(parents[node]);
    if (chosen != parent) return at_node(node, "has another parent");
  }
  return {};
}

std::string check_centre(const LiveGraph& live, NodeId root, const Parents& before,
                         const Parents& parents, uint32_t told_height) {
  if (const auto said = check_spanning_tree(live, root, parents); !said.empty()) return said;
  const auto links = links_of(live, before);
  if (links_of(live, parents) != links) return "the tree has other edges";
  const Plain tree = plain(
      live, [&](LinkId link) { return links[link]; }, [](LinkId) { return 1; });
  const auto far = [&](NodeId from) {
    const auto away = hops(tree, from);
    NodeId farthest = from;
    for (NodeId node = 0; node < away.size(); ++node)
      if (away[node] != kNone && away[node] > away[farthest]) farthest = node;
    return std::pair(farthest, away[farthest]);
  };
  const uint32_t longest = far(far(root).first).second;
  const uint32_t height = far(root).second;
  if (height != (longest + 1) / 2) return "the root is no centre";
  return height == told_height ? "" : "another height was told";
}

std::string check_least_tree(const LiveGraph& live, const std::vector<uint32_t>& weights,
                             const std::vector<bool>& links) {
  const Plain graph = plain(
      live, [](LinkId) { return true; }, [&](LinkId link) { return weights[link]; });
  std::vector<boost::graph_traits<Plain>::edge_descriptor> least;
  boost::kruskal_minimum_spanning_tree(graph, std::back_inserter(least));
  uint64_t expected = 0, weight = 0, edges = 0;
  for (const auto& edge : least) expected += boost::get(boost::edge_weight, graph, edge);
  for (LinkId link = 0; link < links.size(); ++link) {
    if (!links[link]) continue;
    if (!link_alive(live, link)) return "an edge has failed";
    weight += weights[link];
    ++edges;
  }
  if (edges != least.size()) return "it has another number of edges than a tree";
  if (weight != expected) return "another tree has less weight";
  const Plain tree = plain(
      live, [&](LinkId link) { return links[link]; }, [](LinkId) { return 1; });
  std::vector<boost::graph_traits<Plain>::edge_descriptor> acyclic;
  boost::kruskal_minimum_spanning_tree(tree, std::back_inserter(acyclic));
  return acyclic.size() == edges ? "" : "it has a cycle";
}

std::string check_independent_set(const LiveGraph& live, const std::vector<bool>& in) {
  const Plain graph = plain(live);
  for (NodeId node = 0; node < in.size(); ++node) {
    if (!live.alive(node)) continue;
    bool beside_one = false;
    for (const auto& to : boost::make_iterator_range(boost::adjacent_vertices(node, graph)))
      beside_one |= in[to];
    if (in[node] && beside_one) return at_node(node, "is in beside another");
    if (!in[node] && !beside_one) return at_node(node, "could be in");
  }
  return {};
}

namespace {

// Twice the weight of the least fractional cover: the least cut of the bipartite double cover
// (Nemhauser and Trotter).
uint64_t twice_least_cover(const LiveGraph& live, const std::vector<uint32_t>& weights) {
  using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  using Flow = boost::adjacency_list<
      boost::vecS, boost::vecS, boost::directedS, boost::no_property,
      boost::property<
          boost::edge_capacity_t, int64_t,
          boost::property<boost::edge_residual_capacity_t, int64_t,
                          boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;
  const size_t nodes = weights.size();
  Flow flow(2 * nodes + 2);
  const auto add = [&](size_t from, size_t to, int64_t capacity) {
    const auto edge = boost::add_edge(from, to, flow).first;
    const auto back = boost::add_edge(to, from, flow).first;
    boost::put(boost::edge_capacity, flow, edge, capacity);
    boost::put(boost::edge_capacity, flow, back, 0);
    boost::put(boost::edge_reverse, flow, edge, back);
    boost::put(boost::edge_reverse, flow, back, edge);
  };
  int64_t all = 0;
  for (NodeId node = 0; node < nodes; ++node) {
    add(2 * nodes, node, weights[node]);
    add(nodes + node, 2 * nodes + 1, weights[node]);
    all += weights[node];
  }
  for (LinkId link = 0; link < live.graph().links(); ++link) {
    if (!link_alive(live, link)) continue;
    const congest::Link& ends = live.graph().link(link);
    add(ends.a, nodes + ends.b, all);
    add(ends.b, nodes + ends.a, all);
  }
  return static_cast<uint64_t>(boost::push_relabel_max_flow(flow, 2 * nodes, 2 * nodes + 1));
}

}  // namespace

std::string check_cover(const LiveGraph& live, const Cover& cover) {
  const congest::Graph& graph = live.graph();
  uint64_t weight = 0;
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    if (!live.alive(node)) continue;
    if (cover.in[node]) weight += cover.weights[node];
    unsigned __int128 paid = 0;
    for (size_t port = 0; port < graph.degree(node); ++port) {
      const ArcId arc = graph.arc(node, port);
      if (!live.carries(arc)) continue;
      paid += cover.paid[arc];
      if (cover.paid[arc] != cover.paid[graph.reverse(arc)])
        return at_node(node, "and a neighbour say that their edge has paid different sums");
      if (!cover.in[node] && !cover.in[graph.to(arc)])
        return at_node(node, "has an edge that is not covered");
    }
    if (paid > static_cast<unsigned __int128>(cover.weights[node]) * cover.one)
      return at_node(node, "is overpaid");
  }
  const uint64_t twice = twice_least_cover(live, cover.weights);
  return 2000 * weight <= (2000 + uint64_t{cover.epsilon_permille}) * twice
             ? ""
             : "the cover is heavier than its bound";
}

std::string check_spanner(const LiveGraph& live, uint32_t k, const std::vector<bool>& links) {
  const Plain spanner = plain(
      live, [&](LinkId link) { return links[link]; }, [](LinkId) { return 1; });
  for (NodeId node = 0; node < live.graph().nodes(); ++node) {
    if (!live.alive(node)) continue;
    const auto away = hops(spanner, node);
    for (size_t port = 0; port < live.graph().degree(node); ++port) {
      const ArcId arc = live.graph().arc(node, port);
      if (live.carries(arc) && away[live.graph().to(arc)] > 2 * k - 1)
        return at_node(node, "is too far from a neighbour");
    }
  }
  return {};
}

std::string check_receivers(const LiveGraph& live, NodeId source,
                            const std::vector<bool>& receivers, const Parents& parents) {
  const auto least = hops(plain(live), source);
  const auto found = depths(live, parents, source);
  std::vector<bool> is_parent(parents.size());
  for (NodeId node = 0; node < parents.size(); ++node)
    if (parents[node] != kNone) is_parent[live.graph().to(parents[node])] = true;
  for (NodeId node = 0; node < parents.size(); ++node) {
    if (!live.alive(node)) continue;
    if (receivers[node] && found[node] != least[node])
      return at_node(node, "does not receive at its least distance");
    if (!receivers[node] && parents[node] != kNone && !is_parent[node])
      return at_node(node, "is a leaf and no receiver");
  }
  return {};
}

}  // namespace lambdacast::sim::fabrics
