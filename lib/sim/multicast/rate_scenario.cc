// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/rate_scenario.h"

#include "base/wire_bytes.h"

namespace lambdacast::sim {

namespace {
constexpr uint64_t kRestNs = 20'000'000;  // behind the last change
}

Scenario rate_scenario(const RateSurroundings& around, const rate_control::RateConfig& rate) {
  Scenario scenario = quiet_scenario(around.nodes);
  scenario.path_mtu = 4'096;
  scenario.membership.on = scenario.membership.rates = true;
  membership::MembershipConfig& views = scenario.membership.views;
  views.suspect_after_ns = 100'000'000;
  views.heartbeat_ns = 2'000'000;
  views.ack_ns = around.ack_ns;
  scenario.membership.order.stream_pkts = around.window_pkts;
  for (NodeScenario& each : scenario.nodes) {
    reliability::ReliabilityConfig& repair = each.repair;
    repair.receive_window_pkts = repair.transmit_window_pkts = around.window_pkts;
    repair.in_flight_pkts = around.window_pkts;
    repair.hold_pkts = around.window_pkts * static_cast<uint32_t>(around.nodes - 1);
    repair.heartbeat_max_ns = 2'000'000;
    repair.status_ns = repair.status_max_ns = 2'000'000;
    repair.suspect_after_ns = 100'000'000;
    repair.evict_lag_ns = 100'000'000;
    repair.retain_ns = 1'000'000'000;
    each.rate = rate;
    each.subscribe = {kRateGroup};
    each.traffic.publish_to = {kRateGroup};
    each.traffic.start_ns = rate_view_ns(around.nodes);
  }
  scenario.fabric.latency_ns = around.latency_ns;
  scenario.fabric.faults_end_ns = 0;
  return scenario;
}

void end_rate_scenario(Scenario& scenario, uint64_t last_ns) {
  scenario.epilogue_ns = last_ns + kRestNs;
  scenario.end_ns = scenario.epilogue_ns + kRestNs;
}

uint64_t rate_frame_bytes(uint32_t message_bytes) {
  constexpr uint32_t kHeaders = 14 + 20 + 8 + 12 + 8 + 4 + 4;
  return base::wire_bytes(kHeaders + wire::kTransportHeaderBytes + message_bytes);
}

void publish_at(Scenario& scenario, size_t node, uint32_t message_bytes, uint64_t bps,
                uint64_t end_ns) {
  const uint64_t every_ns = rate_frame_bytes(message_bytes) * 8 * 1'000'000'000 / bps;
  Traffic& traffic = scenario.nodes[node].traffic;
  traffic.min_message_bytes = traffic.max_message_bytes = message_bytes;
  traffic.publish_every_ns = every_ns;
  traffic.start_ns += every_ns * node / scenario.nodes.size();
  traffic.messages = (end_ns - traffic.start_ns) / every_ns;
}

}  // namespace lambdacast::sim
