#include "sim/run_seed.h"

#include "sim/random_scenario.h"

namespace lambdacast::sim {

SeedResult run_seed(uint64_t seed, const EndpointFactory& factory, const Simulation::Trace& trace) {
  const Scenario scenario = random_scenario(seed);
  Simulation simulation(scenario, seed, factory);
  simulation.set_trace(trace);
  const Report report = simulation.run();
  SeedResult result;
  result.violations = check_all(scenario, report.log);
  result.coverage.add(report.log);
  result.trace_hash = report.trace_hash;
  return result;
}

}  // namespace lambdacast::sim
