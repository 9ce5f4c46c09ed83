// SPDX-License-Identifier: BSD-3-Clause
// One seed from its scenario to its verdict.
#pragma once

#include <cstdint>

#include "sim/check/checkers.h"
#include "sim/check/coverage.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {

struct SeedResult {
  Violations violations;
  Coverage coverage;
  uint64_t trace_hash = 0;
};

// The surroundings of the nodes: drawn from the seed too (random_wild.h), or calm.
enum class Weather : uint8_t { kCalm, kWild };

// The scenario of a seed, by its range (random_scenario.h, random_views.h).
[[nodiscard]] Scenario scenario_of_seed(uint64_t seed, Weather weather = Weather::kWild);

[[nodiscard]] SeedResult run_seed(uint64_t seed,
                                  const EndpointFactory& factory = make_shipped_endpoint,
                                  const Trace::Listener& trace = nullptr,
                                  const Simulation::Tap& tap = nullptr,
                                  Weather weather = Weather::kWild);

}  // namespace lambdacast::sim
