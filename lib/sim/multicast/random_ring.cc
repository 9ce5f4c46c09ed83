// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/random_ring.h"

#include <algorithm>

#include "base/random.h"
#include "sim/multicast/random_views.h"

namespace lambdacast::sim {

namespace {

Scenario base_scenario(uint64_t seed) {
  switch (seed / 2 % 4) {
    case 0:
      return random_group_scenario(kGroupSeeds + seed % kViewSeeds);
    case 1:
      return random_long_scenario(kLongSeeds + seed % kViewSeeds);
    default:
      return random_view_scenario(kViewSeeds + seed % kViewSeeds);
  }
}

// Two neighbours die one after the other, and what the first one said last came to the second one
// alone: if that was a pass, and the second one has made the next, it is a hole. Ranks of the first
// view are those of the addresses, which are the nodes' in their order.
uint64_t crash_neighbours(Scenario& scenario, size_t node, uint64_t at_ns,
                          base::SplitMix64& random) {
  const size_t nodes = scenario.nodes.size();
  const size_t next = (node + 1) % nodes;
  const uint64_t first_ns = at_ns + 60'000;
  const uint64_t second_ns = first_ns + random.below(80'000);
  for (size_t to = 0; to < nodes; ++to) {
    if (to != node && to != next)
      scenario.fabric.partitions.push_back({node, to, first_ns - 50'000, first_ns});
  }
  const uint64_t start_ns =
      second_ns + random.below(2 * scenario.membership.views.suspect_after_ns);
  std::vector<Action>& actions = scenario.actions;
  actions.push_back({first_ns, node, Action::What::kCrash});
  actions.push_back({second_ns, next, Action::What::kCrash});
  for (const size_t each : {node, next}) actions.push_back({start_ns, each, Action::What::kStart});
  return start_ns;
}

void add_faults(Scenario& scenario, base::SplitMix64& random) {
  const size_t nodes = scenario.nodes.size();
  const uint64_t faults_end_ns = scenario.fabric.faults_end_ns;
  if (faults_end_ns == 0 || nodes < 4) return;
  const uint64_t suspect_ns = scenario.membership.views.suspect_after_ns;
  const uint64_t at_ns = suspect_ns / 4 + random.below(suspect_ns);
  const size_t node = random.below(nodes);
  uint64_t quiet_ns = faults_end_ns;
  if (random.below(3) == 0) {
    quiet_ns = std::max(quiet_ns, crash_neighbours(scenario, node, at_ns, random));
  } else if (random.below(3) == 0) {
    const uint64_t resume_ns = at_ns + random.below(2 * suspect_ns);
    scenario.actions.push_back({at_ns, node, Action::What::kPause});
    scenario.actions.push_back({resume_ns, node, Action::What::kResume});
    quiet_ns = std::max(quiet_ns, resume_ns);
  }
  const uint64_t later_ns = quiet_ns - faults_end_ns;
  scenario.fabric.faults_end_ns += later_ns;
  scenario.epilogue_ns += later_ns;
  scenario.end_ns += later_ns;
}

}  // namespace

Scenario random_ring_scenario(uint64_t seed) {
  base::SplitMix64 random(base::mix64(seed ^ 0x4179));
  Scenario scenario = base_scenario(seed % kViewSeeds);
  ordering::TotalOrderConfig& order = scenario.membership.order;
  order.order = seed % 2 == 0 ? ordering::Order::kRing : ordering::Order::kMixed;
  if (order.order == ordering::Order::kMixed) order.domains = std::max(order.domains, 2u);
  add_faults(scenario, random);
  return scenario;
}

}  // namespace lambdacast::sim
