// SPDX-License-Identifier: BSD-3-Clause
// The optimisers of all switches of a graph, joined by links that keep their order and deliver when
// a random number says so.
#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/random.h"
#include "sim/fabrics/graphs_spec.h"
#include "trees/tree_optimiser.h"

namespace lambdacast::trees {

class ManyOptimisers {
 public:
  using Group = InstalledGroups::Group;

  // All groups pass through switch 0, which is named, and alive.
  ManyOptimisers(const std::string& spec, std::vector<Group> groups, const RepairSettings& settings)
      : fabric_(*sim::fabrics::parse_graph(spec, 1)),
        installed_(through_zero(std::move(groups))),
        index_(installed_, failed_),
        settings_(settings) {
    for (NodeId node = 0; node < graph().nodes(); ++node) {
      sinks_.push_back(std::make_unique<Sink>(*this, node));
      optimisers_.push_back(
          std::make_unique<TreeOptimiser>(graph(), node, settings_, *sinks_.back()));
    }
  }

  // Each begins at a moment of its own. False: it does not end.
  [[nodiscard]] bool run(uint64_t seed) {
    base::SplitMix64 random(seed);
    std::vector<congest::Filter> alive, children;
    std::vector<size_t> fathers(graph().nodes(), congest::kNoPort);
    for (NodeId node = 0; node < graph().nodes(); ++node) {
      alive.emplace_back(graph().degree(node));
      children.emplace_back(graph().degree(node));
      for (size_t port = 0; port < graph().degree(node); ++port) alive.back().set(port);
    }
    breadth_first(fathers, children);
    std::vector<bool> begun(graph().nodes());
    for (int steps = 0; steps < 3'000'000; ++steps) {
      const auto node = static_cast<NodeId>(random.below(graph().nodes()));
      if (!begun[node]) {
        begun[node] = true;
        optimisers_[node]->begin({index_,
                                  {},
                                  alive[node],
                                  fathers[node],
                                  children[node],
                                  static_cast<uint32_t>(graph().nodes()),
                                  seed});
        continue;
      }
      deliver(node, random);
      if (steps % 64 == 0 && over()) return true;
    }
    return false;
  }

  [[nodiscard]] const congest::Graph& graph() const { return fabric_.graph; }
  [[nodiscard]] const GroupIndex& index() const { return index_; }
  [[nodiscard]] const TreeOptimiser& at(NodeId node) const { return *optimisers_[node]; }
  [[nodiscard]] std::vector<congest::LinkId> spanner() const {
    std::vector<congest::LinkId> links;
    for (congest::LinkId link = 0; link < graph().links(); ++link) {
      const auto [a, b] = graph().link(link);
      for (size_t port = 0; port < graph().degree(a); ++port)
        if (graph().link_of(graph().arc(a, port)) == link && at(a).spanner().test(port))
          links.push_back(link);
    }
    return links;
  }
  // Parent and child of each link of that group's tree, ascending.
  [[nodiscard]] std::vector<std::pair<NodeId, NodeId>> tree(size_t group) const {
    std::vector<std::pair<NodeId, NodeId>> links;
    for (NodeId node = 0; node < graph().nodes(); ++node)
      for (const auto& [of, port] : at(node).children())
        if (of == group) links.emplace_back(node, graph().neighbors(node)[port]);
    std::sort(links.begin(), links.end());
    return links;
  }
  [[nodiscard]] uint64_t records() const { return records_; }

 private:
  class Sink final : public RecordSink {
   public:
    Sink(ManyOptimisers& all, NodeId self) : all_(all), self_(self) {}
    void push(size_t port, std::span<const uint8_t> record) override {
      ++all_.records_;
      all_.under_way_[all_.graph().arc(self_, port)].emplace_back(record.begin(), record.end());
    }

   private:
    ManyOptimisers& all_;
    NodeId self_;
  };
  static std::vector<std::pair<NodeId, Group>> through_zero(std::vector<Group> groups) {
    std::vector<std::pair<NodeId, Group>> all;
    for (Group& group : groups) all.emplace_back(0, std::move(group));
    return all;
  }
  void breadth_first(std::vector<size_t>& fathers, std::vector<congest::Filter>& children) const {
    std::vector<bool> reached(graph().nodes());
    reached[0] = true;
    for (std::deque<NodeId> left{0}; !left.empty(); left.pop_front()) {
      const NodeId node = left.front();
      for (size_t port = 0; port < graph().degree(node); ++port) {
        const congest::ArcId arc = graph().arc(node, port);
        const NodeId other = graph().to(arc);
        if (reached[other]) continue;
        reached[other] = true;
        children[node].set(port);
        fathers[other] = graph().port(graph().reverse(arc));
        left.push_back(other);
      }
    }
  }
  void deliver(NodeId node, base::SplitMix64& random) {
    const size_t port = random.below(graph().degree(node));
    const congest::ArcId arc = graph().reverse(graph().arc(node, port));
    auto& waiting = under_way_[arc];
    if (waiting.empty()) return;
    std::span<const uint8_t> body(waiting.front());
    optimisers_[node]->on_record(port, *take_record(body));
    waiting.pop_front();
  }
  [[nodiscard]] bool over() const {
    return std::all_of(optimisers_.begin(), optimisers_.end(),
                       [](const auto& each) { return each->finished(); });
  }

  sim::fabrics::Fabric fabric_;
  const InstalledGroups installed_;
  const std::vector<NodeId> failed_{0};
  const GroupIndex index_;
  const RepairSettings settings_;
  std::vector<std::deque<std::vector<uint8_t>>> under_way_ =
      std::vector<std::deque<std::vector<uint8_t>>>(fabric_.graph.arcs());
  std::vector<std::unique_ptr<Sink>> sinks_;
  std::vector<std::unique_ptr<TreeOptimiser>> optimisers_;
  uint64_t records_ = 0;
};

}  // namespace lambdacast::trees
