// SPDX-License-Identifier: BSD-3-Clause
// Scripted scenarios of four members that all have more to send than the others take: random ones
// send little, and rarely wait for their share.
#pragma once

#include "sim/multicast/simulation.h"

namespace lambdacast::sim {

inline constexpr uint64_t kMilli = 1'000'000;
inline constexpr uint64_t kMega = 1'000'000;
inline constexpr size_t kFlooding = 4;
inline constexpr uint64_t kFloodBegins = 5 * kMilli;
inline constexpr uint64_t kFloodEnds = 60 * kMilli;
inline constexpr uint32_t kFloodGroup = 7;

// Each takes 1 Gbit/s, and publishes unreliable messages at that rate. suspect_after is 10 ms, and
// a lease lasts for 2.5 ms.
inline Scenario flood() {
  Scenario scenario = quiet_scenario(kFlooding);
  scenario.membership.on = scenario.membership.rates = true;
  scenario.membership.views.heartbeat_ns = scenario.membership.views.suspect_after_ns / 8;
  scenario.membership.views.ack_ns = 50'000;
  for (NodeScenario& node : scenario.nodes) {
    node.subscribe = {kFloodGroup};
    node.rate.policy = rate_control::Policy::kFair;
    node.rate.need_bps = node.rate.capacity_bps = 1'000 * kMega;
    node.rate.reserve_percent = 6;
    node.repair.status_ns = 200'000;
    node.max_publications = 256;
    node.traffic.publish_to = {kFloodGroup};
    node.traffic.ordered_weight = 0;
    node.traffic.unreliable_weight = 1;
    node.traffic.min_message_bytes = node.traffic.max_message_bytes = 900;
    node.traffic.start_ns = kFloodBegins;
    node.traffic.publish_every_ns = 8'000;
    node.traffic.messages = ~uint64_t{0};
  }
  scenario.fabric.faults_end_ns = 0;
  scenario.epilogue_ns = kFloodEnds;
  scenario.end_ns = kFloodEnds + 200 * kMilli;
  return scenario;
}

// Statuses and acknowledgements so frequent that control has to wait for its part of a share.
inline Scenario chatty() {
  Scenario scenario = flood();
  for (NodeScenario& node : scenario.nodes) {
    node.rate.need_bps = node.rate.capacity_bps = 300 * kMega;
    node.traffic.publish_every_ns = 27'000;
    node.repair.status_ns = node.repair.status_max_ns = 20'000;
  }
  scenario.membership.views.ack_ns = 5'000;
  return scenario;
}

// Nothing of node 3 comes to the others, or nothing of theirs to it.
inline void cut_off(Scenario& scenario, bool to_others, uint64_t begin_ns, uint64_t end_ns) {
  for (size_t other = 0; other < 3; ++other) {
    const size_t from = to_others ? 3 : other;
    scenario.fabric.partitions.push_back({from, to_others ? other : 3, begin_ns, end_ns});
  }
  scenario.fabric.faults_end_ns = std::max(scenario.fabric.faults_end_ns, end_ns);
}

// The others hear nothing of node 3 and exclude it. It hears them up to then, so that its lease has
// just begun.
inline Scenario excluded_unheard() {
  Scenario scenario = flood();
  cut_off(scenario, true, 15 * kMilli, 40 * kMilli);
  cut_off(scenario, false, 24'800'000, 40 * kMilli);
  return scenario;
}

// As before, and its share has fallen a moment ago: it has not heard of that.
inline Scenario excluded_above_its_share() {
  Scenario scenario = flood();
  scenario.membership.order.domains = 8;  // node 0 marks what is said about rates
  cut_off(scenario, true, 15 * kMilli, 40 * kMilli);
  cut_off(scenario, false, 24'500'000, 40 * kMilli);
  for (size_t node = 0; node < 3; ++node) {
    scenario.nodes[node].rate.need_bps = 200 * kMega;
    scenario.actions.push_back({24'510'000, node, Action::What::kNeed, 1'000 * kMega});
  }
  return scenario;
}

// Node 3 does not run for longer than a lease, and in front of its port stands what came before it
// was cut off.
inline Scenario woken_in_the_past() {
  Scenario scenario = flood();
  scenario.actions.push_back({15 * kMilli, 3, Action::What::kPause});
  scenario.actions.push_back({23 * kMilli, 3, Action::What::kResume});
  cut_off(scenario, true, 17'900'000, 40 * kMilli);
  cut_off(scenario, false, 17'900'000, 40 * kMilli);
  return scenario;
}

// Node 3 takes fewer frames than come. What it hears is older than a lease when it is cut off, and
// what waits in its port is all that it hears from then on.
inline Scenario behind_its_port() {
  Scenario scenario = flood();
  for (NodeScenario& node : scenario.nodes) {
    node.traffic.min_message_bytes = node.traffic.max_message_bytes = 200;
    node.traffic.publish_every_ns = 2'500;
  }
  scenario.nodes[3].poll_every_ns = 900'000;
  scenario.nodes[3].ring_frames = 8192;
  cut_off(scenario, true, 30 * kMilli, 50 * kMilli);
  cut_off(scenario, false, 30 * kMilli, 50 * kMilli);
  return scenario;
}

}  // namespace lambdacast::sim
