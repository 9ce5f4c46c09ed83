// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/random_rates.h"

#include <algorithm>

#include "base/random.h"
#include "rate_control/control_at_rest.h"
#include "sim/multicast/random_views.h"
#include "wire/control/control.h"

namespace lambdacast::sim {

namespace {

constexpr uint64_t kMega = 1'000'000;
constexpr uint64_t kLeastReservePercent = 5;
constexpr size_t kFewNodes = 8;

// The timers of other scenarios are a hundred times shorter than an appliance's, and these
// capacities are an appliance's: control has to fit its part of them, also in front of a share.
void slow_down(Scenario& scenario) {
  membership::MembershipConfig& views = scenario.membership.views;
  // A share is a lease of a quarter of that, which heartbeats renew.
  views.heartbeat_ns = views.suspect_after_ns / 8;
  views.ack_ns = std::max<uint64_t>(views.ack_ns, 50'000);
  views.retry_ns = std::max<uint64_t>(views.retry_ns, 200'000);
  for (NodeScenario& node : scenario.nodes) {
    node.repair.status_ns = std::max<uint64_t>(node.repair.status_ns, 200'000);
    node.repair.evict_lag_ns = std::max<uint64_t>(node.repair.evict_lag_ns, 100'000'000);
    node.repair.heartbeat_max_ns = std::max(node.repair.heartbeat_max_ns, views.heartbeat_ns);
  }
}

// A node that says no status for suspect_after is cut off. Below this capacity the statuses of all
// streams do not fit into that time at the rate that control has in front of a share, which is two
// thirds of the reserve, divided by the number of nodes. Few nodes get by with that little. Among
// many, signs of life take as much again, and no status may be lost: they have room for all that
// they send at rest.
uint64_t least_capacity(const Scenario& scenario) {
  const uint64_t nodes = scenario.nodes.size();
  const membership::MembershipConfig& views = scenario.membership.views;
  const uint64_t suspect_us = views.suspect_after_ns / 1'000;
  const uint64_t status_bits = 8 * nodes * wire::kStatusEntryBytes;
  uint64_t control_bps = status_bits * kMega / suspect_us;
  if (nodes > kFewNodes) {
    const uint64_t at_rest_bps =
        bits_per_second(rate_control::ControlAtRest{.nodes = nodes,
                                                    .member_heartbeat_ns = views.heartbeat_ns,
                                                    .heartbeat_ns = views.heartbeat_ns,
                                                    .suspect_after_ns = views.suspect_after_ns});
    control_bps = std::max(control_bps, at_rest_bps);
  }
  return control_bps / 2 * 3 * nodes / kLeastReservePercent * 100;
}

}  // namespace

Scenario random_rate_scenario(uint64_t seed) {
  base::SplitMix64 random(base::mix64(seed ^ 0x4a7e5));
  Scenario scenario = random_view_scenario(kViewSeeds + seed % kViewSeeds);
  scenario.membership.rates = true;
  slow_down(scenario);
  const auto rate = [&] { return (1'000 + random.below(39'000)) * kMega; };
  // Alike, as a rule, as on one fabric; or each its own.
  const bool alike = random.below(2) == 0;
  const uint64_t capacity = rate();
  const uint64_t least_bps = least_capacity(scenario);
  for (NodeScenario& node : scenario.nodes) {
    rate_control::RateConfig& config = node.rate;
    config.policy = rate_control::Policy::kFair;
    config.capacity_bps = std::max(least_bps, alike ? capacity : rate());
    config.need_bps = random.below(2) == 0 ? 0 : rate() >> random.below(7);
    config.reserve_percent = static_cast<uint32_t>(kLeastReservePercent + random.below(10));
    config.burst_ns = 1'000 + random.below(20'000);
    config.demand_ns = 100'000 + random.below(2'000'000);
    if (random.below(4) == 0) config.limit_bps = std::max(config.need_bps, rate() >> 4);
  }
  // Some agree on nothing: nobody has a capacity, and each has a window.
  if (seed % 8 == 7) {
    scenario.membership.rates = false;
    for (NodeScenario& node : scenario.nodes) {
      node.rate.policy = rate_control::Policy::kWindow;
      node.rate.capacity_bps = node.rate.need_bps = 0;
    }
  }
  const uint64_t busy_ns = std::max<uint64_t>(scenario.fabric.faults_end_ns, 10'000'000);
  for (uint64_t changes = random.below(60); changes != 0; --changes) {
    const uint64_t need = random.below(4) == 0 ? 0 : rate() >> random.below(7);
    scenario.actions.push_back(
        {random.below(busy_ns), random.below(scenario.nodes.size()), Action::What::kNeed, need});
  }
  // Repairs behind faults go at the rates of nodes that have no share yet. Among many nodes control
  // may take nearly all of such a rate: repairs wait, and with them the agreement on shares.
  const bool many = scenario.nodes.size() > kFewNodes;
  const uint64_t more_ns = (many ? 600 : 200) * uint64_t{1'000'000};
  scenario.unshared_ns = many ? more_ns : 0;
  scenario.epilogue_ns += more_ns;
  scenario.end_ns += 2 * more_ns;
  return scenario;
}

}  // namespace lambdacast::sim
