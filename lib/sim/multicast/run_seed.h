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

[[nodiscard]] SeedResult run_seed(uint64_t seed,
                                  const EndpointFactory& factory = make_shipped_endpoint,
                                  const Simulation::Trace& trace = nullptr,
                                  const Simulation::Tap& tap = nullptr);

}  // namespace lambdacast::sim
