// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/repair_run.h"

#include <algorithm>
#include <cmath>

#include "base/histogram.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {

namespace {

constexpr uint32_t kGroup = 1;
constexpr uint64_t kStartNs = 5'000'000;  // all have joined

Scenario scenario_of(const RepairRun& run) {
  Scenario scenario = quiet_scenario(run.nodes);
  scenario.path_mtu = 4096;
  for (size_t node = 0; node < run.nodes; ++node) {
    NodeScenario& each = scenario.nodes[node];
    each.repair.receive_window_pkts = each.repair.transmit_window_pkts = 4096;
    each.repair.hold_pkts = 4096;
    each.repair.in_flight_pkts = 4096;  // no receiver is slow here: statuses hold nobody back
    each.repair.status_ns = 50'000;
    each.max_publications = 4096;
    each.subscribe = {kGroup};
    if (node != 0 && !run.at_transmitter) scenario.fabric.receivers[node].loss = run.loss;
  }
  Traffic& traffic = scenario.nodes[0].traffic;
  traffic.messages = run.messages;
  traffic.publish_to = {kGroup};
  traffic.min_message_bytes = traffic.max_message_bytes = 64;
  traffic.start_ns = kStartNs;
  traffic.publish_every_ns = run.every_ns;
  if (run.at_transmitter) scenario.fabric.transmitter_loss = run.loss;
  scenario.fabric.latency_ns = run.latency_ns;
  scenario.fabric.faults_end_ns = kStartNs + (run.messages + 100) * run.every_ns * 3 / 2;
  scenario.epilogue_ns = scenario.fabric.faults_end_ns + 5'000'000;
  scenario.end_ns = scenario.epilogue_ns + 5'000'000;
  return scenario;
}

// Messages of which the first transmission did not reach everybody.
uint64_t count_missed(const Log& log, size_t receivers) {
  std::vector<uint32_t> reached(log.publications.size());
  for (const Arrival& arrival : log.arrivals) {
    const SentFrame& frame = log.frames[arrival.frame];
    if (!frame.repair && frame.publication != kNobody) ++reached[frame.publication];
  }
  uint64_t missed = 0;
  for (size_t i = 0; i < log.publications.size(); ++i) {
    if (!log.publications[i].epilogue && reached[i] < receivers) ++missed;
  }
  return missed;
}

}  // namespace

double expected_transmissions(double loss, size_t receivers) {
  double sum = 0;
  for (double lost = 1; lost > 1e-12; lost *= loss)
    sum += 1 - std::pow(1 - lost, static_cast<double>(receivers));
  return sum;
}

double RepairFigures::most_repairs_per_packet() const {
  const double expected = expected_transmissions - 1;
  return 1.1 * expected + 3 * std::sqrt(expected / static_cast<double>(messages));
}

RepairFigures measure_repair(const RepairRun& run, const EndpointFactory& factory) {
  Simulation simulation(scenario_of(run), run.seed, factory);
  base::Histogram latency_ns;
  simulation.at_end = [&](size_t, const SimEndpoint& endpoint) {
    latency_ns.add(endpoint.node().receiver().repair_ns());
  };
  const Log log = simulation.run().log;
  const double rtt_ns = 2.0 * static_cast<double>(run.latency_ns);

  RepairFigures figures;
  figures.messages = run.messages;
  std::vector<uint64_t> last_ns(run.nodes, 0);
  uint64_t stall_ns = 0;
  for (const Told& told : log.told) {
    if (told.is_gap()) {
      figures.declared_lost += told.count;
      continue;
    }
    if (told.publication == kNobody || log.publications[told.publication].epilogue) continue;
    ++figures.delivered;
    uint64_t& before_ns = last_ns[log.lives[told.receiver].node];
    if (before_ns != 0) stall_ns = std::max(stall_ns, told.at_ns - before_ns);
    before_ns = told.at_ns;
  }
  uint64_t repairs = 0;
  for (const SentFrame& frame : log.frames) repairs += frame.repair ? 1 : 0;
  figures.missed = count_missed(log, run.nodes - 1);
  figures.p50_rtt = static_cast<double>(latency_ns.value_at(0.5)) / rtt_ns;
  figures.p99_rtt = static_cast<double>(latency_ns.value_at(0.99)) / rtt_ns;
  figures.stall_rtt = static_cast<double>(stall_ns) / rtt_ns;
  figures.nacks_per_loss = static_cast<double>(log.nack_frames.size()) /
                           static_cast<double>(std::max<uint64_t>(figures.missed, 1));
  figures.repairs_per_packet = static_cast<double>(repairs) / static_cast<double>(run.messages);
  figures.expected_transmissions =
      expected_transmissions(run.loss, run.at_transmitter ? 1 : run.nodes - 1);
  return figures;
}

}  // namespace lambdacast::sim
