// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/tree_schemes.h"

#include <algorithm>

#include "base/random.h"
#include "sim/fabrics/named_switches.h"
#include "trees/set_cover_tree.h"

namespace lambdacast::sim::fabrics {

namespace {

using trees::RepairImprovements;

constexpr NamedSwitch<RepairImprovements> kImprovements[] = {
    {"asks", &RepairImprovements::asks},           {"suspects", &RepairImprovements::suspects},
    {"piggyback", &RepairImprovements::piggyback}, {"sharing", &RepairImprovements::sharing},
    {"ranges", &RepairImprovements::ranges},       {"sources", &RepairImprovements::sources},
    {"above", &RepairImprovements::above},
};

}  // namespace

std::vector<std::string> tree_scheme_names() { return {"published", "ours"}; }
std::vector<std::string> tree_improvement_names() { return names_of(kImprovements); }

std::vector<TreeScheme> tree_schemes_named(const std::vector<std::string>& names,
                                           const std::vector<std::string>& with,
                                           const std::vector<std::string>& without) {
  std::vector<TreeScheme> schemes;
  for (const std::string& name : names) {
    TreeScheme scheme{.name = name + joined(with, "+") + joined(without, "-")};
    if (name == "ours")
      set_named(kImprovements, names_of(kImprovements), true, scheme.improvements);
    set_named(kImprovements, with, true, scheme.improvements);
    set_named(kImprovements, without, false, scheme.improvements);
    schemes.push_back(std::move(scheme));
  }
  return schemes;
}

std::vector<TreeScheme> tree_ablation_schemes() {
  std::vector<TreeScheme> schemes = tree_schemes_named({"ours"}, {}, {});
  const auto add = [&](std::vector<TreeScheme> more) {
    schemes.push_back(std::move(more.front()));
  };
  for (const auto& each : kImprovements) add(tree_schemes_named({"ours"}, {}, {each.name}));
  for (const auto& each : kImprovements) add(tree_schemes_named({"published"}, {each.name}, {}));
  add(tree_schemes_named({"published"}, {}, {}));
  return schemes;
}

std::vector<Failure> draw_tree_failures(const Fabric& fabric, uint32_t count, bool links,
                                        uint64_t seed) {
  base::SplitMix64 random(base::mix64(seed ^ 0x7ee5));
  std::vector<NodeId> highest;
  const size_t top = fabric.logical_switches.size();
  for (NodeId node = 0; fabric.clos() && node < fabric.graph.nodes(); ++node)
    if (fabric.layer[node] + 1u == top) highest.push_back(node);
  std::vector<Failure> failures;
  draw_further(fabric.graph, count, links, highest, random, failures);
  return failures;
}

std::vector<NodeId> named_by(const Graph& graph, const std::vector<Failure>& failures) {
  std::vector<NodeId> named;
  for (const Failure& failure : failures) {
    if (failure.node != kNone) {
      named.push_back(failure.node);
    } else {
      named.insert(named.end(), {graph.link(failure.link).a, graph.link(failure.link).b});
    }
  }
  return named;
}

std::vector<std::pair<NodeId, trees::InstalledGroups::Group>> groups_through(
    const Fabric& fabric, const Groups& groups, std::span<const uint32_t> numbers,
    const std::vector<bool>& wanted, uint64_t seed) {
  std::vector<std::pair<NodeId, trees::InstalledGroups::Group>> found;
  trees::SetCoverTrees on_graph(fabric.graph);
  Groups::Scratch scratch;
  Group drawn;
  NodeId source = kNone;
  trees::Tree tree;
  for (const uint32_t number : numbers) {
    groups.draw(number, scratch, drawn);
    if (drawn.receivers.empty()) continue;
    if (fabric.racks[drawn.sender] != source) {
      source = fabric.racks[drawn.sender];
      on_graph.root(source);
    }
    for (uint32_t& rack : drawn.receivers) rack = fabric.racks[rack];
    // As in groups_headers.cc: groups break ties differently.
    on_graph.build(drawn.receivers, static_cast<uint32_t>(base::mix64(seed + number) >> 40), tree);
    for (const trees::Tree::Branch& branch : tree.branches) {
      const bool passes = branch.parent != kNone && !branch.leaf();
      if (passes && wanted[branch.node]) found.push_back({branch.node, {source, drawn.receivers}});
    }
  }
  return found;
}

}  // namespace lambdacast::sim::fabrics
