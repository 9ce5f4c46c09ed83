// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/congest_judge.h"

#include <algorithm>
#include <utility>

#include "sim/fabrics/check_congest.h"

namespace lambdacast::sim::fabrics {

using congest::ArcId;
using congest::FilterPorts;
using congest::Graph;
using congest::kNone;
using congest::kNoPort;
using congest::LinkId;
using congest::NodeId;
using congest::TreePlace;

namespace {

ArcId parent_arc(const Graph& graph, NodeId node, const TreePlace& place) {
  return place.parent == kNoPort ? kNone : graph.arc(node, place.parent);
}

// By node: the arc to its parent, by `place_of(result)`. `said` objects if a parent does not know
// its child.
template <typename Algorithm, typename PlaceOf>
Parents parents_of(const LiveGraph& live, const Results<Algorithm>& results, PlaceOf place_of,
                   std::string& said) {
  const Graph& graph = live.graph();
  Parents parents(graph.nodes(), kNone);
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    if (!results[node]) continue;
    parents[node] = parent_arc(graph, node, place_of(*results[node]));
    if (parents[node] == kNone) continue;
    const auto& parent = results[graph.to(parents[node])];
    const size_t port = graph.port(graph.reverse(parents[node]));
    if (!parent || !place_of(*parent).children.test(port)) said = "a parent does not know a child";
  }
  return parents;
}

// The links that both ends know of, by `ports_of(result)`; if `both`, one end alone is a fault.
template <typename Algorithm, typename PortsOf>
std::vector<bool> links_of(const LiveGraph& live, const Results<Algorithm>& results,
                           PortsOf ports_of, std::string& said) {
  const Graph& graph = live.graph();
  std::vector<unsigned> ends(graph.links());
  for (NodeId node = 0; node < graph.nodes(); ++node)
    if (results[node])
      FilterPorts::each(ports_of(*results[node]),
                        [&](size_t port) { ++ends[graph.link_of(graph.arc(node, port))]; });
  std::vector<bool> links(graph.links());
  for (LinkId link = 0; link < links.size(); ++link) {
    if (ends[link] == 1) said = "an edge that one end knows of alone";
    links[link] = ends[link] == 2;
  }
  return links;
}

template <typename Algorithm>
std::string judge_cover(const LiveGraph& live, const typename Algorithm::Config& config,
                        const Results<Algorithm>& results) {
  const Graph& graph = live.graph();
  std::vector<bool> in;
  std::vector<uint64_t> paid(graph.arcs());
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    const auto& result = results[node];
    in.push_back(result && result->in);
    for (size_t port = 0; result && port < graph.degree(node); ++port)
      paid[graph.arc(node, port)] = result->paid[port];
  }
  return check_cover(live, {config.weights, in, paid, uint64_t{1} << Algorithm::kFraction,
                            config.epsilon_permille});
}

}  // namespace

NodeId first_alive(const LiveGraph& live) {
  NodeId node = 0;
  while (!live.alive(node)) ++node;
  return node;
}

size_t alive_nodes(const LiveGraph& live) {
  size_t alive = 0;
  for (NodeId node = 0; node < live.graph().nodes(); ++node) alive += live.alive(node);
  return alive;
}

std::string judge(const LiveGraph& live, const congest::Leader::Config& /*config*/,
                  const Results<congest::Leader>& results) {
  for (const auto& result : results)
    if (result && result->leader != first_alive(live)) return "not the least";
  return {};
}

std::string judge(const LiveGraph& live, const congest::BreadthFirst::Config& config,
                  const Results<congest::BreadthFirst>& results) {
  for (size_t i = 0; i < config.roots.size(); ++i) {
    std::string said;
    const Parents parents = parents_of<congest::BreadthFirst>(
        live, results, [&](const auto& result) { return result[i].tree; }, said);
    std::vector<uint32_t> distances(results.size(), kNone);
    for (NodeId node = 0; node < results.size(); ++node)
      if (results[node]) distances[node] = results[node]->at(i).distance;
    if (said.empty()) said = check_breadth_first(live, config.roots[i], parents, distances);
    if (!said.empty()) return said;
  }
  return {};
}

std::string judge(const LiveGraph& live, const congest::TreeCentre::Config& config,
                  const Results<congest::TreeCentre>& results) {
  const Graph& graph = live.graph();
  Parents before(graph.nodes(), kNone);
  NodeId root = kNone;
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    if (!live.alive(node)) continue;
    before[node] = parent_arc(graph, node, config.tree[node]);
    if (results[node]->is_root && root != kNone) return "two roots";
    if (results[node]->is_root) root = node;
  }
  if (root == kNone) return "no root";
  std::string said;
  const Parents now = parents_of<congest::TreeCentre>(
      live, results, [](const auto& result) { return result.place; }, said);
  return said.empty() ? check_centre(live, root, before, now, results[root]->height) : said;
}

std::string judge(const LiveGraph& /*live*/, const congest::TreeElection::Config& config,
                  const Results<congest::TreeElection>& results) {
  const auto best = std::min_element(
      config.candidates.begin(), config.candidates.end(), [](const auto& a, const auto& b) {
        return std::pair(a.height, a.root) < std::pair(b.height, b.root);
      });
  for (const auto& result : results)
    if (result && (result->root != best->root || result->height != best->height))
      return "not the best";
  return {};
}

std::string judge(const LiveGraph& live, const congest::Boruvka::Config& config,
                  const Results<congest::Boruvka>& results) {
  std::string said;
  const auto links = links_of<congest::Boruvka>(
      live, results, [](const auto& result) { return result.tree; }, said);
  return said.empty() ? check_least_tree(live, config.weights, links) : said;
}

std::string judge(const LiveGraph& live, const congest::IndependentSet::Config& /*config*/,
                  const Results<congest::IndependentSet>& results) {
  std::vector<bool> in;
  for (const auto& result : results) in.push_back(result && result->in);
  return check_independent_set(live, in);
}

std::string judge(const LiveGraph& live, const congest::VertexCover::Config& config,
                  const Results<congest::VertexCover>& results) {
  return judge_cover<congest::VertexCover>(live, config, results);
}

std::string judge(const LiveGraph& live, const congest::ApproximateVertexCover::Config& config,
                  const Results<congest::ApproximateVertexCover>& results) {
  return judge_cover<congest::ApproximateVertexCover>(live, config, results);
}

std::string judge(const LiveGraph& live, const congest::Spanner::Config& config,
                  const Results<congest::Spanner>& results) {
  std::string said;
  const auto links = links_of<congest::Spanner>(
      live, results, [](const auto& result) { return result.edges; }, said);
  return said.empty() ? check_spanner(live, config.k, links) : said;
}

size_t kept_links(const LiveGraph& live, const Results<congest::Spanner>& results) {
  std::string said;
  const auto links = links_of<congest::Spanner>(
      live, results, [](const auto& result) { return result.edges; }, said);
  return static_cast<size_t>(std::count(links.begin(), links.end(), true));
}

std::string judge(const LiveGraph& live, const congest::SetCoverTree::Config& config,
                  const Results<congest::SetCoverTree>& results) {
  std::string said;
  const Parents parents = parents_of<congest::SetCoverTree>(
      live, results, [](const auto& result) { return result.place; }, said);
  return said.empty() ? check_receivers(live, config.source, config.receivers, parents) : said;
}

std::string judge(const LiveGraph& live, const congest::Wave::Config& config,
                  const Results<congest::Wave>& results) {
  NodeId winner = kNone;
  for (NodeId node = 0; node < config.keys.size(); ++node) {
    if (!live.alive(node) || config.keys[node] == kNone) continue;
    if (winner == kNone || config.keys[node] < config.keys[winner]) winner = node;
  }
  for (NodeId node = 0; node < results.size(); ++node) {
    if (!results[node]) continue;
    if (results[node]->key != config.keys[winner]) return "a switch has another wave";
    if (results[node]->won != (node == winner)) return "another switch has won";
  }
  if (results[winner]->nodes != alive_nodes(live)) return "the winner has counted wrong";
  std::string said;
  const Parents parents = parents_of<congest::Wave>(
      live, results, [](const auto& result) { return result.place; }, said);
  if (said.empty()) said = check_spanning_tree(live, winner, parents);
  if (!said.empty()) return said;
  uint32_t depth = 0;
  for (NodeId node = 0; node < results.size(); ++node) {
    uint32_t hops = 0;
    for (NodeId at = node; parents[at] != kNone; at = live.graph().to(parents[at])) ++hops;
    depth = std::max(depth, hops);
  }
  return depth == results[winner]->depth ? "" : "the winner knows another depth";
}

// From the root down: group by group, all of its members are reached, and no branch ends elsewhere.
std::string judge(const LiveGraph& live, const congest::RecoveryBitmaps::Config& config,
                  const Results<congest::RecoveryBitmaps>& results) {
  const Graph& graph = live.graph();
  const size_t groups = 32 * config.own.front().size();
  const auto bit = [](const std::vector<uint32_t>& words, size_t group) {
    return group / 32 < words.size() && (words[group / 32] >> group % 32 & 1) != 0;
  };
  NodeId root = first_alive(live);
  while (config.tree[root].parent != kNoPort)
    root = graph.to(parent_arc(graph, root, config.tree[root]));
  for (size_t group = 0; group < groups; ++group) {
    size_t members = 0, reached = 0;
    for (NodeId node = 0; node < graph.nodes(); ++node)
      members += live.alive(node) && bit(config.own[node], group);
    if (members == 0) {
      bool goes = bit(results[root]->in_tree, group);
      for (const auto& words : results[root]->is_son) goes |= bit(words, group);
      if (goes) return "a group that has no members";
      continue;
    }
    std::vector<NodeId> down{root};
    for (size_t i = 0; i < down.size() && i <= graph.nodes(); ++i) {
      const NodeId node = down[i];
      if (!bit(results[node]->in_tree, group)) return "a packet that its switch does not know";
      const bool member = bit(config.own[node], group);
      reached += member;
      const size_t before = down.size();
      for (size_t port = 0; port < graph.degree(node); ++port)
        if (bit(results[node]->is_son[port], group))
          down.push_back(graph.to(graph.arc(node, port)));
      if (down.size() == before && !member) return "a branch ends where nobody is";
    }
    if (reached != members || down.size() > graph.nodes()) return "a member not reached once";
  }
  return {};
}

}  // namespace lambdacast::sim::fabrics
