// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/tree_random.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/random.h"
#include "sim/fabrics/drawn.h"
#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {

namespace {

using Group = trees::InstalledGroups::Group;

Group draw_group(base::SplitMix64& random, size_t nodes) {
  Group group{static_cast<NodeId>(random.below(nodes)), {}};
  const uint64_t receivers = random.below(std::min<size_t>(nodes, 12)) + 1;
  for (uint64_t i = 0; i < receivers; ++i) {
    const auto receiver = static_cast<NodeId>(random.below(nodes));
    if (receiver != group.source) group.receivers.push_back(receiver);
  }
  std::sort(group.receivers.begin(), group.receivers.end());
  group.receivers.erase(std::unique(group.receivers.begin(), group.receivers.end()),
                        group.receivers.end());
  return group;
}

}  // namespace

RandomTrees random_trees(uint64_t seed, uint32_t most_nodes) {
  base::SplitMix64 random(base::mix64(seed ^ 0x73ee5));
  RandomTrees drawn;
  const std::string graph = draw_graph(random, most_nodes);
  drawn.fabric = *parse_graph(graph, seed);
  TreeScenario& scenario = drawn.scenario;
  scenario.seed = seed;
  draw_medium(random, scenario.medium);
  scenario.checks_spanner = true;
  scenario.spanner_k = static_cast<uint32_t>(1 + random.below(4));
  scenario.failure_ns = 350'000 + random.below(100'000);
  // Frames take the longer the smaller the budget is, and lost ones are sent again behind three
  // round trips.
  constexpr uint64_t kUsualBps = 100'000'000;
  scenario.limit_ns *= std::max<uint64_t>(1, kUsualBps / scenario.medium.budget_bps);
  scenario.limit_ns *= scenario.medium.loss > 1e-3 ? 10 : 1;
  const uint64_t scheme = random.below(3);
  const uint64_t on = scheme == 0 ? 0 : scheme == 1 ? random() : ~uint64_t{0};
  scenario.improvements = {.asks = (on & 1) != 0,
                           .suspects = (on & 2) != 0,
                           .piggyback = (on & 4) != 0,
                           .sharing = (on & 8) != 0,
                           .ranges = (on & 16) != 0,
                           .sources = (on & 32) != 0,
                           .above = (on & 64) != 0};
  const uint64_t failures = random.below(4);
  const uint64_t apart_ns = random.below(2) == 0 ? 0 : 1'000'000;
  const Graph& links = drawn.fabric.graph;
  const uint64_t groups = random.below(8) == 0 ? 400 : random.below(40);
  std::vector<std::pair<NodeId, Group>> through;
  const auto draw_failures = [&](base::SplitMix64& from, uint64_t count) {
    std::vector<Failure> drawn_failures;
    for (uint64_t i = 0; i < count; ++i) {
      Failure failure{.behind_ns = i == 0 ? 0 : from.below(apart_ns + 1)};
      std::vector<NodeId> named;
      if (from.below(3) == 0) {
        failure.link = static_cast<congest::LinkId>(from.below(links.links()));
        named = {links.link(failure.link).a, links.link(failure.link).b};
      } else {
        failure.node = static_cast<NodeId>(from.below(links.nodes()));
        named = {failure.node};
      }
      drawn_failures.push_back(failure);
      for (const NodeId node : named)
        for (uint64_t group = 0; group < groups; ++group)
          through.emplace_back(node, draw_group(from, links.nodes()));
    }
    return drawn_failures;
  };
  scenario.failures = draw_failures(random, failures);
  base::SplitMix64 later(base::mix64(seed ^ 0x1a7e5));
  scenario.later = draw_failures(later, later.below(3));
  drawn.installed = trees::InstalledGroups(std::move(through));
  drawn.text = graph + ", model " + (scenario.medium.model == Model::kA ? "A" : "B") + ", " +
               std::to_string(scenario.medium.budget_bps / 1'000'000) + " Mb/s, loss " +
               std::to_string(scenario.medium.loss) + ", improvements " + std::to_string(on & 127) +
               ", k " + std::to_string(scenario.spanner_k) + ", " + std::to_string(groups) +
               " groups, " + std::to_string(failures) + " failures, and later " +
               std::to_string(scenario.later.size());
  return drawn;
}

}  // namespace lambdacast::sim::fabrics
