// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/run_seed.h"

#include "sim/multicast/random_rates.h"
#include "sim/multicast/random_ring.h"
#include "sim/multicast/random_scenario.h"
#include "sim/multicast/random_views.h"
#include "sim/multicast/random_wild.h"

namespace lambdacast::sim {

Scenario scenario_of_seed(uint64_t seed, Weather weather) {
  Scenario scenario = seed >= kDeathSeeds      ? random_death_scenario(seed)
                      : seed < kViewSeeds      ? random_scenario(seed)
                      : seed < kGroupSeeds     ? random_view_scenario(seed)
                      : seed < kLongSeeds      ? random_group_scenario(seed)
                      : seed < kPartsSeeds     ? random_long_scenario(seed)
                      : seed < kViewPartsSeeds ? random_parts_scenario(seed)
                      : seed < kRateSeeds      ? random_view_parts_scenario(seed)
                      : seed < kRateSeedsEnd   ? random_rate_scenario(seed)
                      : seed < kHandlerSeeds   ? random_ring_scenario(seed)
                                               : random_handler_scenario(seed);
  if (weather == Weather::kWild) make_wild(scenario, seed);
  return scenario;
}

SeedResult run_seed(uint64_t seed, const EndpointFactory& factory, const Trace::Listener& trace,
                    const Simulation::Tap& tap, Weather weather) {
  const Scenario scenario = scenario_of_seed(seed, weather);
  Simulation simulation(scenario, seed, factory);
  simulation.set_trace(trace);
  simulation.set_tap(tap);
  const Report report = simulation.run();
  SeedResult result;
  result.violations = check_all(scenario, report.log);
  result.coverage.add(report.log);
  result.trace_hash = report.trace_hash;
  return result;
}

}  // namespace lambdacast::sim
