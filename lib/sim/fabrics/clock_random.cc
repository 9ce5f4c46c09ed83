// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/clock_random.h"

#include <algorithm>

#include "base/random.h"
#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {

namespace {

std::string draw_graph(base::SplitMix64& random, uint32_t most) {
  const auto nodes = static_cast<uint32_t>(2 + random.below(most - 1));
  switch (random.below(8)) {
    case 0:
      if (nodes > 2) return "ring:" + std::to_string(nodes);
      break;
    case 1:
      if (most >= 20) return random.below(2) == 0 ? "fat-tree:4" : "hamming:3,2";
      break;
    case 2:
      if (nodes > 3) return "spine-leaf:" + std::to_string(nodes - 2) + ",2";
      break;
    default:
      break;
  }
  const uint64_t most_links = uint64_t{nodes} * (nodes - 1) / 2;
  const uint64_t links = std::min(most_links, nodes - 1 + random.below(2 * nodes));
  return "random:" + std::to_string(nodes) + "," + std::to_string(links);
}

void draw_medium(base::SplitMix64& random, MediumConfig& medium) {
  constexpr uint64_t kBudgets[] = {10'000'000, 100'000'000, 1'000'000'000};
  constexpr double kLosses[] = {0, 1e-4, 1e-3, 1e-2, 5e-2};
  medium.model = random.below(2) == 0 ? Model::kA : Model::kB;
  medium.budget_bps = kBudgets[random.below(3)];
  medium.loss = kLosses[random.below(5)];
  medium.propagation_ns = random.below(3) == 0 ? 1000 : 500;
  if (random.below(4) == 0) medium.duplication = 0.1;
  if (random.below(4) != 0) return;
  medium.delay = 0.2;
  medium.most_delay_ns = 2'000;
}

}  // namespace

RandomClock random_clock(uint64_t seed, uint32_t most_nodes) {
  base::SplitMix64 random(base::mix64(seed ^ 0xc10c4));
  RandomClock drawn;
  const std::string graph = draw_graph(random, most_nodes);
  drawn.fabric = *parse_graph(graph, seed);
  drawn.tree = lowest_tree(drawn.fabric);
  ClockScenario& scenario = drawn.scenario;
  scenario.seed = seed;
  draw_medium(random, scenario.medium);
  // Floods take times of frames, which are the longer the smaller the budget is.
  constexpr uint64_t kUsualBps = 100'000'000;
  if (scenario.medium.budget_bps < kUsualBps)
    scenario.limit_ns *= kUsualBps / scenario.medium.budget_bps;
  scenario.failure_ns = 350'000 + random.below(100'000);
  const uint64_t scheme = random.below(4);
  if (scheme == 0) scenario.speaks = clock_sync::Speaks::kEverybody;
  const uint64_t on = scheme >= 2 ? ~uint64_t{0} : scheme == 1 ? random() : 0;
  scenario.improvements = {.reports = (on & 1) != 0,
                           .phases = (on & 2) != 0,
                           .generations = (on & 4) != 0,
                           .suspects = (on & 8) != 0,
                           .piggyback = (on & 16) != 0,
                           .sharing = (on & 32) != 0,
                           .timed = (on & 64) != 0,
                           .direct = (on & 128) != 0,
                           .ranks = scheme < 3 && (on & 256) != 0};
  const uint64_t failures = random.below(4);
  const uint64_t apart_ns = random.below(2) == 0 ? 0 : 1'000'000;
  const Graph& links = drawn.fabric.graph;
  for (uint64_t i = 0; i < failures; ++i) {
    ClockFailure failure{.behind_ns = i == 0 ? 0 : random.below(apart_ns + 1)};
    if (random.below(2) == 0)
      failure.link = static_cast<congest::LinkId>(random.below(links.links()));
    else
      failure.node = i == 0 && random.below(2) == 0
                         ? drawn.tree.root
                         : static_cast<NodeId>(random.below(links.nodes()));
    scenario.failures.push_back(failure);
  }
  if (random.below(4) == 0) scenario.install_behind_ns = 1'000'000;
  drawn.text = graph + ", model " + (scenario.medium.model == Model::kA ? "A" : "B") + ", " +
               std::to_string(scenario.medium.budget_bps / 1'000'000) + " Mb/s, loss " +
               std::to_string(scenario.medium.loss) + ", improvements " + std::to_string(on & 511) +
               ", " + std::to_string(failures) + " failures";
  return drawn;
}

}  // namespace lambdacast::sim::fabrics
