// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/check_clock.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/connected_components.hpp>

namespace lambdacast::sim::fabrics {

namespace {

using congest::ArcId;
using congest::kNone;
using congest::LiveGraph;
using congest::NodeId;
using Plain = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

class Check {
 public:
  Check(const LiveGraph& live, const std::vector<ClockEnd>& ends, bool exact)
      : live_(live), graph_(live.graph()), ends_(ends), exact_(exact), component_(graph_.nodes()) {
    Plain alive(graph_.nodes());
    for (ArcId arc = 0; arc < graph_.arcs(); ++arc)
      if (live.carries(arc) && graph_.from(arc) < graph_.to(arc))
        boost::add_edge(graph_.from(arc), graph_.to(arc), alive);
    components_ = boost::connected_components(alive, component_.data());
  }
  [[nodiscard]] ClockTrees run() {
    for (NodeId node = 0; node < graph_.nodes() && found_.wrong.empty(); ++node)
      if (live_.alive(node)) look_at(node);
    std::vector<NodeId> root(components_, kNone);
    for (NodeId node = 0; node < graph_.nodes() && found_.wrong.empty(); ++node) {
      if (!live_.alive(node)) continue;
      if (ends_[node].place.father == kNone) {
        if (root[component_[node]] != kNone) say(node, "is a second root");
        root[component_[node]] = node;
      }
      one_tree(node);
    }
    if (found_.wrong.empty()) heights(root);
    return found_;
  }

 private:
  void say(NodeId node, const char* what) {
    if (found_.wrong.empty()) found_.wrong = "switch " + std::to_string(node) + " " + what;
  }
  // Its father is alive and has it among his children, and its children have it as their father.
  void look_at(NodeId node) {
    const ClockEnd& end = ends_[node];
    if (!end.final) say(node, "has no final tree");
    if (const ArcId arc = end.place.father; arc != kNone) {
      if (!live_.carries(arc)) return say(node, "hangs at what has failed");
      const size_t back = graph_.port(graph_.reverse(arc));
      const std::vector<size_t>& siblings = ends_[graph_.to(arc)].children;
      if (std::find(siblings.begin(), siblings.end(), back) == siblings.end())
        say(node, "is unknown to its father");
      boost::add_edge(node, graph_.to(arc), tree_);
    }
    for (const size_t port : end.children) {
      const ArcId arc = graph_.arc(node, port);
      if (live_.carries(arc) && ends_[graph_.to(arc)].place.father != graph_.reverse(arc))
        say(node, "has a child that has another father");
    }
  }
  void one_tree(NodeId node) {
    std::vector<uint64_t>& tree = tree_of_component_;
    tree.resize(components_);
    std::vector<bool>& known = known_;
    known.resize(components_);
    const int component = component_[node];
    if (known[component] && tree[component] != ends_[node].place.tree)
      say(node, "is in another tree than its neighbours");
    known[component] = true;
    tree[component] = ends_[node].place.tree;
  }
  void heights(const std::vector<NodeId>& root) {
    std::vector<uint32_t> depth(graph_.nodes(), kNone), across(graph_.nodes(), kNone);
    std::vector<uint32_t> height(components_), longest(components_);
    std::vector<NodeId> deepest = root;
    for (const NodeId from : root)
      if (from != kNone) measure(from, depth);
    each_alive([&](NodeId node) {
      if (depth[node] == kNone) return say(node, "does not hang below a root");
      if (depth[node] <= height[component_[node]]) return;
      height[component_[node]] = depth[node];
      deepest[component_[node]] = node;
    });
    if (!found_.wrong.empty()) return;
    // The longest path of a tree ends at a node that is deepest, wherever the root is.
    for (const NodeId from : deepest)
      if (from != kNone) measure(from, across);
    each_alive([&](NodeId node) {
      longest[component_[node]] = std::max(longest[component_[node]], across[node]);
    });
    each_alive([&](NodeId node) {
      const uint32_t is = height[component_[node]], told = ends_[node].told_height;
      found_.height = std::max(found_.height, is);
      if (told == 0) return;
      if (exact_ ? told != is : told < is) return say(node, "was told another height");
      if (exact_ && is != (longest[component_[node]] + 1) / 2)
        say(node, "has a root that is no centre");
    });
  }
  template <typename Act>
  void each_alive(Act act) {
    for (NodeId node = 0; node < graph_.nodes(); ++node)
      if (live_.alive(node)) act(node);
  }
  void measure(NodeId from, std::vector<uint32_t>& hops) const {
    hops[from] = 0;
    boost::breadth_first_search(tree_, from,
                                boost::visitor(boost::make_bfs_visitor(
                                    boost::record_distances(hops.data(), boost::on_tree_edge()))));
  }

  const LiveGraph& live_;
  const congest::Graph& graph_;
  const std::vector<ClockEnd>& ends_;
  const bool exact_;
  std::vector<int> component_;
  int components_ = 0;
  Plain tree_{graph_.nodes()};
  std::vector<uint64_t> tree_of_component_;
  std::vector<bool> known_;
  ClockTrees found_;
};

}  // namespace

ClockTrees check_clock_trees(const LiveGraph& live, const std::vector<ClockEnd>& ends, bool exact) {
  return Check(live, ends, exact).run();
}

}  // namespace lambdacast::sim::fabrics
