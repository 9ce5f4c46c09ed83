// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/clock_random.h"

#include <algorithm>

#include "base/random.h"
#include "sim/fabrics/drawn.h"
#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {

RandomClock random_clock(uint64_t seed, uint32_t most_nodes) {
  base::SplitMix64 random(base::mix64(seed ^ 0xc10c4));
  RandomClock drawn;
  const std::string graph = draw_graph(random, most_nodes);
  drawn.fabric = *parse_graph(graph, seed);
  drawn.tree = lowest_tree(drawn.fabric);
  ClockScenario& scenario = drawn.scenario;
  scenario.seed = seed;
  draw_medium(random, scenario.medium);
  // A switch floods if no wave has come for twenty intervals. Where one frame of twenty is lost,
  // hardly any wave comes over a hundred hops, so that floods would never end.
  constexpr size_t kFewNodes = 40;
  constexpr double kMostLoss = 1e-3;
  if (drawn.fabric.graph.nodes() > kFewNodes)
    scenario.medium.loss = std::min(scenario.medium.loss, kMostLoss);
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
                           .defers = (on & 512) != 0,
                           .ranks = scheme < 3 && (on & 256) != 0};
  const uint64_t failures = random.below(4);
  const uint64_t apart_ns = random.below(2) == 0 ? 0 : 1'000'000;
  const Graph& links = drawn.fabric.graph;
  for (uint64_t i = 0; i < failures; ++i) {
    Failure failure{.behind_ns = i == 0 ? 0 : random.below(apart_ns + 1)};
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
               std::to_string(scenario.medium.loss) + ", improvements " +
               std::to_string(on & 1023) + ", " + std::to_string(failures) + " failures";
  return drawn;
}

}  // namespace lambdacast::sim::fabrics
