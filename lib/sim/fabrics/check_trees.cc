// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/check_trees.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "trees/set_cover_tree.h"
#include "trees/spanner_trees.h"

namespace lambdacast::sim::fabrics {

using congest::ArcId;
using congest::Graph;
using congest::kNone;
using congest::kNoPort;
using congest::LinkId;
using congest::LiveGraph;
using congest::NodeId;
using trees::TreeCore;

namespace {

constexpr size_t kMostTold = 5;

class Component {
 public:
  Component(const LiveGraph& live, const TreeCores& cores, std::vector<NodeId> nodes,
            const TreeChecks& checks, std::vector<std::string>& wrong)
      : live_(live),
        graph_(live.graph()),
        cores_(cores),
        nodes_(std::move(nodes)),
        checks_(checks),
        wrong_(wrong) {}

  void check() {
    const TreeCore& first = cores_(nodes_.front());
    for (const NodeId node : nodes_) {
      if (cores_(node).name() == first.name()) continue;
      return say(node, "follows another flood than switch " + std::to_string(nodes_.front()));
    }
    for (const NodeId node : nodes_) names_neighbors(node);
    if (!first.name().exists()) return;
    if (!one_tree()) return;
    find_spanner();
    for (size_t group = 0; group < first.index().groups(); ++group) {
      const auto& of = first.index().group(group);
      if (!here(of.source)) continue;
      follow_bits(group, of);
      compare_tree(group, of);
    }
  }

 private:
  void say(NodeId node, const std::string& what) {
    if (wrong_.size() < kMostTold) wrong_.push_back("switch " + std::to_string(node) + " " + what);
  }
  void say_group(size_t group, const std::string& what) {
    if (wrong_.size() < kMostTold) wrong_.push_back("group " + std::to_string(group) + ": " + what);
  }
  [[nodiscard]] bool here(NodeId node) const {
    return std::binary_search(nodes_.begin(), nodes_.end(), node);
  }

  void names_neighbors(NodeId node) {
    const auto failed = cores_(node).failed();
    for (size_t port = 0; port < graph_.degree(node); ++port) {
      const NodeId neighbor = graph_.neighbors(node)[port];
      if (live_.alive(neighbor)) continue;
      if (checks_.before != nullptr && !checks_.before->carries(graph_.arc(node, port))) continue;
      if (!std::binary_search(failed.begin(), failed.end(), neighbor))
        say(node, "does not know that switch " + std::to_string(neighbor) + " has failed");
    }
    for (const NodeId each : failed) {
      if (checks_.before != nullptr && !checks_.before->alive(each))
        say(node, "names switch " + std::to_string(each) + ", which was routed around");
    }
  }

  bool one_tree() {
    for (const NodeId node : nodes_) {
      const size_t father = cores_(node).father();
      if (father == kNoPort) {
        if (root_ != kNone) say(node, "is a root beside switch " + std::to_string(root_));
        root_ = node;
      } else if (!live_.carries(graph_.arc(node, father))) {
        say(node, "has a father that has failed");
      }
    }
    for (const NodeId node : nodes_) {
      NodeId at = node;
      for (size_t hops = 0; cores_(at).father() != kNoPort; ++hops) {
        if (hops > nodes_.size()) {
          say(node, "is on a circle");
          break;
        }
        at = graph_.to(graph_.arc(at, cores_(at).father()));
      }
    }
    return wrong_.empty();
  }

  void follow_bits(size_t group, const trees::InstalledGroups::Group& of) {
    RecoveryPath path = recovery_path(live_, cores_, checks_.above, group, of.source);
    std::vector<NodeId> receivers;
    for (const NodeId receiver : of.receivers) {
      if (!here(receiver)) continue;
      receivers.push_back(receiver);
      if (path.copies[receiver] != 1)
        say_group(group, "by the bitmaps switch " + std::to_string(receiver) + " gets " +
                             std::to_string(path.copies[receiver]) + " copies");
    }
    const uint64_t least = checks_.above ? least_links(live_, cores_, of.source, receivers) : 0;
    if (checks_.above && path.links != least)
      say_group(group, "by the bitmaps a packet crosses " + std::to_string(path.links) +
                           " links where " + std::to_string(least) + " are enough");
  }

  void find_spanner() {
    std::vector<LinkId> links;
    for (const NodeId node : nodes_) {
      const congest::Filter& edges = cores_(node).optimiser().spanner();
      congest::FilterPorts::each(edges, [&](size_t port) {
        const ArcId arc = graph_.arc(node, port);
        const NodeId other = graph_.to(arc);
        if (!cores_(other).optimiser().spanner().test(graph_.port(graph_.reverse(arc))))
          say(node, "has a link of the spanner that its other end does not know");
        if (node < other) links.push_back(graph_.link_of(arc));
      });
    }
    std::sort(links.begin(), links.end());
    spanner_ = trees::part_of(graph_, links);
    if (checks_.spanner_k != 0) {
      for (const NodeId node : nodes_) {
        const auto hops = congest::distances(LiveGraph(spanner_), node);
        for (size_t port = 0; port < graph_.degree(node); ++port) {
          const ArcId arc = graph_.arc(node, port);
          if (live_.carries(arc) && hops[graph_.to(arc)] > 2 * checks_.spanner_k - 1)
            say(node, "is too far from a neighbour on the spanner");
        }
      }
    }
    one_hand_.emplace(spanner_);
  }

  // The links of the group's tree, as pairs of parent and child.
  [[nodiscard]] std::vector<std::pair<NodeId, NodeId>> links_of(size_t group, NodeId source) {
    std::vector<std::pair<NodeId, NodeId>> links;
    std::deque<NodeId> down{source};
    for (; !down.empty() && links.size() <= nodes_.size(); down.pop_front()) {
      const NodeId node = down.front();
      for (const auto& [of, port] : cores_(node).optimiser().children()) {
        if (of != group) continue;
        links.emplace_back(node, graph_.neighbors(node)[port]);
        down.push_back(links.back().second);
      }
    }
    std::sort(links.begin(), links.end());
    return links;
  }
  void compare_tree(size_t group, const trees::InstalledGroups::Group& of) {
    if (of.source != source_) {
      source_ = of.source;
      one_hand_->root(of.source);
    }
    std::vector<NodeId> receivers;
    for (const NodeId receiver : of.receivers) {
      if (!here(receiver) || receiver == of.source) continue;
      if (one_hand_->hops()[receiver] == kNone)
        return say_group(group, "the spanner does not lead to its receivers");
      receivers.push_back(receiver);
    }
    if (receivers.empty()) return;
    trees::Tree tree;
    one_hand_->build(receivers, 0, tree);
    std::vector<std::pair<NodeId, NodeId>> wanted;
    for (const trees::Tree::Branch& branch : tree.branches) {
      if (branch.arc != kNone) wanted.emplace_back(tree.branches[branch.parent].node, branch.node);
    }
    std::sort(wanted.begin(), wanted.end());
    if (links_of(group, of.source) != wanted) say_group(group, "its tree is not that of one hand");
  }

  const LiveGraph& live_;
  const Graph& graph_;
  const TreeCores& cores_;
  const std::vector<NodeId> nodes_;  // ascending
  const TreeChecks& checks_;
  std::vector<std::string>& wrong_;
  NodeId root_ = kNone;
  Graph spanner_;
  std::optional<trees::SetCoverTrees> one_hand_;
  NodeId source_ = kNone;
};

}  // namespace

std::vector<std::string> check_trees(const LiveGraph& live, const TreeCores& cores,
                                     const TreeChecks& checks) {
  std::vector<std::string> wrong;
  std::vector<bool> seen(live.graph().nodes());
  for (NodeId node = 0; node < live.graph().nodes(); ++node) {
    if (seen[node] || !live.alive(node)) continue;
    const std::vector<uint32_t> hops = congest::distances(live, node);
    std::vector<NodeId> nodes;
    for (NodeId other = 0; other < hops.size(); ++other) {
      if (hops[other] == kNone || !live.alive(other)) continue;
      seen[other] = true;
      nodes.push_back(other);
    }
    Component(live, cores, std::move(nodes), checks, wrong).check();
  }
  return wrong;
}

}  // namespace lambdacast::sim::fabrics
