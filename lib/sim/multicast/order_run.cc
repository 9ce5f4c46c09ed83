// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/order_run.h"

#include <algorithm>
#include <vector>

#include "ordering/total_order.h"
#include "sim/multicast/run_figures.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {

namespace {

constexpr uint32_t kGroup = 1;
constexpr uint64_t kStartNs = 5'000'000;  // the view has begun
constexpr uint64_t kRestNs = 2'000'000;   // and the last message been delivered
constexpr uint32_t kWindowPkts = 4096;

struct Roles {
  size_t sender = 0;
  size_t sequencer = 0;
};

// The first view has its members in the order of their addresses, which is that of the nodes.
Roles roles_of(const Scenario& scenario) {
  const size_t nodes = scenario.nodes.size();
  const uint32_t domain = ordering::domain_of(kGroup, scenario.membership.order.domains);
  const size_t sequencer = ordering::sequencer_of(domain, nodes);
  return {(sequencer + 1) % nodes, sequencer};
}

void set_level(Traffic& traffic, wire::Qos level) {
  traffic.ordered_weight = 0;
  if (level < wire::Qos::kTotallyOrdered) {
    traffic.ordered_weight = 1;
  } else {
    traffic.total_weights[static_cast<size_t>(level) -
                          static_cast<size_t>(wire::Qos::kTotallyOrdered)] = 1;
  }
}

Scenario scenario_of(const OrderRun& run) {
  Scenario scenario = quiet_scenario(run.nodes);
  scenario.path_mtu = run.path_mtu;
  scenario.membership.on = true;
  scenario.membership.order.k = run.k;
  scenario.membership.views.suspect_after_ns = run.suspect_after_ns;
  scenario.membership.views.ack_ns = run.ack_ns;
  scenario.membership.order.stream_pkts = kWindowPkts;
  for (NodeScenario& each : scenario.nodes) {
    each.repair.receive_window_pkts = each.repair.transmit_window_pkts = kWindowPkts;
    each.repair.hold_pkts = each.repair.in_flight_pkts = kWindowPkts;
    each.poll_every_ns = run.poll_ns;
    each.subscribe = {kGroup};
  }
  Traffic& traffic = scenario.nodes[roles_of(scenario).sender].traffic;
  set_level(traffic, run.level);
  traffic.messages = run.messages;
  traffic.publish_to = {kGroup};
  traffic.min_message_bytes = traffic.max_message_bytes = 64;
  traffic.start_ns = kStartNs;
  traffic.publish_every_ns = run.every_ns;
  scenario.fabric.latency_ns = run.latency_ns;
  // Nothing is lost, in front of a port either: 80 nodes that speak in step at a small path MTU
  // have more on the way at a time than a ring holds.
  scenario.fabric.faults_end_ns = 0;
  scenario.epilogue_ns = kStartNs + run.messages * run.every_ns + kRestNs;
  scenario.end_ns = scenario.epilogue_ns + kRestNs;
  return scenario;
}

}  // namespace

OrderFigures measure_order(const OrderRun& run, const EndpointFactory& factory) {
  const Scenario scenario = scenario_of(run);
  const Roles roles = roles_of(scenario);
  Simulation simulation(scenario, run.seed, factory);
  uint64_t acks = 0;
  simulation.at_end = [&](size_t, const SimEndpoint& endpoint) {
    acks += endpoint.node().view()->membership().counters().members;
  };
  const Log log = simulation.run().log;

  std::vector<uint64_t> latency_ns;
  for (const Told& told : log.told) {
    const size_t node = log.lives[told.receiver].node;
    if (!told.is_message() || told.publication == kNobody || node == roles.sequencer) continue;
    const Publication& publication = log.publications[told.publication];
    if (publication.epilogue || node == roles.sender) continue;
    latency_ns.push_back(told.at_ns - publication.accepted_ns);
  }
  std::sort(latency_ns.begin(), latency_ns.end());
  uint64_t marks = 0;
  for (const SentFrame& frame : log.frames) {
    marks += frame.marks && !frame.repair && frame.at_ns < scenario.epilogue_ns ? 1 : 0;
  }

  OrderFigures figures;
  figures.delivered = latency_ns.size();
  figures.expected = run.messages * (run.nodes - 2);
  figures.one_view = is_one_view(log, run.nodes);
  figures.p50_ns = value_at(latency_ns, 0.5);
  figures.p99_ns = value_at(latency_ns, 0.99);
  const double messages = static_cast<double>(run.messages);
  figures.acks_per_ms = static_cast<double>(acks) / static_cast<double>(run.nodes) /
                        (messages * static_cast<double>(run.every_ns) / 1e6);
  figures.marks_per_message = static_cast<double>(marks) / messages;
  return figures;
}

}  // namespace lambdacast::sim
