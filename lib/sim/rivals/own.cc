// SPDX-License-Identifier: BSD-3-Clause
#include "sim/rivals/own.h"

#include <algorithm>
#include <unordered_map>

#include "ordering/total_order.h"
#include "sim/multicast/run_figures.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim::rivals {

namespace {

constexpr uint64_t kViewNs = 30'000'000;  // the view has begun by then
constexpr uint64_t kTailNs = 5'000'000;   // what was published to the end may come behind it
constexpr uint64_t kRestNs = 50'000'000;
constexpr uint32_t kWindowPkts = 4'096;
constexpr uint32_t kMessagesAtOnce = 2;  // of a share

// The last node, which may send alone, does not order its own messages.
uint32_t group_of(const OwnRun& run, const ordering::TotalOrderConfig& order) {
  uint32_t group = 1;
  while (ordering::sequencer_of(ordering::domain_of(group, order.domains), run.load.nodes) + 1 ==
         run.load.nodes)
    ++group;
  return group;
}

uint64_t share_bps(const OwnRun& run) {
  const uint32_t others = run.alone ? 1 : run.load.nodes - 1;
  const double share = static_cast<double>(run.load.line_bps) / others;
  return static_cast<uint64_t>(run.of_share * share);
}

void set_level(Traffic& traffic, wire::Qos level) {
  traffic.ordered_weight = level < wire::Qos::kTotallyOrdered ? 1 : 0;
  if (level < wire::Qos::kTotallyOrdered) return;
  traffic
      .total_weights[static_cast<size_t>(level) - static_cast<size_t>(wire::Qos::kTotallyOrdered)] =
      1;
}

void set_node(const OwnRun& run, uint32_t group, NodeScenario& node) {
  reliability::ReliabilityConfig& repair = node.repair;
  repair.receive_window_pkts = repair.transmit_window_pkts = kWindowPkts;
  repair.in_flight_pkts = kWindowPkts;
  repair.hold_pkts = kWindowPkts * (run.load.nodes - 1);
  repair.heartbeat_max_ns = 2'000'000;
  // What all nodes say of what they have has to fit what their shares leave of a line.
  repair.status_ns = repair.status_max_ns = 10'000'000;
  repair.suspect_after_ns = 100'000'000;
  repair.evict_lag_ns = 100'000'000;
  repair.retain_ns = 1'000'000'000;
  node.rate.policy = rate_control::Policy::kFixed;
  node.rate.limit_bps = share_bps(run);
  node.rate.burst_ns =
      Lines::duration_ns(kMessagesAtOnce * wire_bytes(run.load), node.rate.limit_bps);
  node.subscribe = {group};
  node.max_publications = 64;
  node.reassembly.memory_bytes = size_t{1} << 22;
  node.reassembly.max_messages = 256;
}

Scenario scenario_of(const OwnRun& run) {
  const LoadRun& load = run.load;
  Scenario scenario = quiet_scenario(load.nodes);
  scenario.path_mtu = load.path_mtu;
  scenario.membership.on = true;
  scenario.membership.order.order = run.order;
  membership::MembershipConfig& views = scenario.membership.views;
  views.suspect_after_ns = 100'000'000;
  views.heartbeat_ns = 2'000'000;
  views.ack_ns = run.ack_ns;
  scenario.membership.order.stream_pkts = kWindowPkts;
  const uint32_t group = group_of(run, scenario.membership.order);
  for (uint32_t number = 0; number < load.nodes; ++number) {
    NodeScenario& node = scenario.nodes[number];
    set_node(run, group, node);
    Traffic& traffic = node.traffic;
    set_level(traffic, run.level);
    traffic.publish_to = {group};
    traffic.min_message_bytes = traffic.max_message_bytes = load.message_bytes;
    traffic.messages = sends(load, number) ? ~uint64_t{0} : 0;
    // There is always one more to send, where no load is given.
    const uint64_t period = period_ns(load);
    traffic.publish_every_ns =
        period != 0 ? period : Lines::duration_ns(load.message_bytes, 4 * share_bps(run));
    traffic.start_ns = kViewNs + traffic.publish_every_ns * number / load.nodes;
  }
  scenario.fabric.latency_ns = load.latency_ns;
  scenario.fabric.lines = {load.line_bps, load.line_bps};
  scenario.epilogue_ns = kViewNs + load.warm_up_ns + load.measure_ns + kTailNs;
  scenario.fabric.receivers.assign(load.nodes, {.loss = run.loss});
  scenario.fabric.faults_end_ns = run.loss == 0 ? 0 : scenario.epilogue_ns;
  scenario.end_ns = scenario.epilogue_ns + kRestNs;
  return scenario;
}

}  // namespace

LoadFigures measure_own(const OwnRun& run, const EndpointFactory& factory) {
  const Scenario scenario = scenario_of(run);
  Simulation simulation(scenario, run.seed, factory);
  const Log log = simulation.run().log;
  LoadLedger ledger(run.load);
  std::unordered_map<uint32_t, uint32_t> numbers;  // by publication
  std::vector<uint32_t> next(run.load.nodes);
  const auto node_of = [&](uint32_t life) { return static_cast<uint32_t>(log.lives[life].node); };
  for (uint32_t i = 0; i < log.publications.size(); ++i) {
    const Publication& each = log.publications[i];
    if (each.epilogue) continue;
    numbers[i] = next[node_of(each.life)]++;
    ledger.published(node_of(each.life), each.accepted_ns);
  }
  for (const Told& told : log.told) {
    const auto found = numbers.find(told.publication);
    if (!told.is_message() || told.publication == kNobody || found == numbers.end()) continue;
    ledger.delivered(node_of(told.receiver), node_of(log.publications[told.publication].life),
                     found->second, told.at_ns);
  }
  LoadFigures figures = ledger.figures(kViewNs + run.load.warm_up_ns);
  figures.one_order = figures.one_order && is_one_view(log, run.load.nodes) && log.misuse.empty();
  return figures;
}

}  // namespace lambdacast::sim::rivals
