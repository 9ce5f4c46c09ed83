// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/loss_run.h"

#include <algorithm>
#include <vector>

#include "rate_control/max_min.h"
#include "sim/multicast/rate_scenario.h"
#include "sim/multicast/run_figures.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {

namespace {

Scenario scenario_of(const LossRun& run) {
  const rate_control::RateConfig rate{.policy = rate_control::Policy::kFair,
                                      .need_bps = run.capacity_bps,
                                      .capacity_bps = run.capacity_bps};
  Scenario scenario =
      rate_scenario({.nodes = run.nodes, .latency_ns = run.latency_ns, .ack_ns = run.ack_ns}, rate);
  const uint64_t share =
      rate_control::room_bps({.capacity_bps = run.capacity_bps}) / (run.nodes - 1);
  const uint64_t end_ns = rate_load_ns(run.nodes) + run.duration_ns;
  for (size_t node = 0; node < run.nodes; ++node) {
    Traffic& traffic = scenario.nodes[node].traffic;
    traffic.ordered_weight = 0;
    traffic.total_weights[0] = 1;
    publish_at(scenario, node, run.message_bytes,
               static_cast<uint64_t>(static_cast<double>(share) * run.load), end_ns);
    scenario.fabric.receivers[node].loss = run.loss;
  }
  scenario.fabric.faults_end_ns = end_ns;
  end_rate_scenario(scenario, end_ns);
  return scenario;
}

}  // namespace

LossFigures measure_loss(const LossRun& run, const EndpointFactory& factory) {
  const Scenario scenario = scenario_of(run);
  Simulation simulation(scenario, run.seed, factory);
  LossFigures figures;
  simulation.at_end = [&](size_t, const SimEndpoint& endpoint) {
    figures.repairs += endpoint.node().sender().counters().repairs;
  };
  const Log log = simulation.run().log;
  figures.one_view = is_one_view(log, run.nodes);
  for (const Publication& each : log.publications) figures.accepted += each.epilogue ? 0 : 1;
  std::vector<uint64_t> times_ns;
  for (const Told& told : log.told) {
    if (!told.is_message() || told.publication == kNobody) continue;
    const Publication& publication = log.publications[told.publication];
    if (publication.epilogue || publication.life != told.receiver) continue;
    times_ns.push_back(told.at_ns - publication.accepted_ns);
  }
  std::sort(times_ns.begin(), times_ns.end());
  figures.returned = times_ns.size();
  figures.p50_ns = value_at(times_ns, 0.5);
  figures.p99_ns = value_at(times_ns, 0.99);
  return figures;
}

}  // namespace lambdacast::sim
