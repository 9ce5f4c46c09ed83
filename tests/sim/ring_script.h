// SPDX-License-Identifier: BSD-3-Clause
// Scripted scenarios about the token ring. A run without the fault tells when the pass in question
// is made.
#pragma once

#include <algorithm>
#include <functional>

#include "scripted.h"

namespace lambdacast::sim {

inline constexpr uint64_t kQuietNs = 5 * kMs;  // the first view has begun
inline constexpr uint64_t kHopNs = 5'000;

// All send, of two levels by turns, to one group. suspect_after is 10 ms.
inline Scenario ring(size_t nodes, ordering::Order order = ordering::Order::kRing) {
  Scenario scenario = quiet_scenario(nodes);
  scenario.membership.on = true;
  scenario.membership.order.order = order;
  scenario.fabric.latency_ns = kHopNs;
  for (NodeScenario& node : scenario.nodes) {
    node.subscribe = {kGroup};
    node.traffic.messages = 300;
    node.traffic.publish_to = {kGroup};
    node.traffic.ordered_weight = 0;
    node.traffic.total_weights = {1, 0, 1, 1};
    node.traffic.start_ns = kQuietNs;
    node.traffic.publish_every_ns = 37'000;
  }
  scenario.fabric.faults_end_ns = 20 * kMs;
  scenario.epilogue_ns = 80 * kMs;
  scenario.end_ns = 120 * kMs;
  return scenario;
}

using Wanted = std::function<bool(const Log&, const PassSent&)>;
inline bool has_items(const Log&, const PassSent& pass) { return !pass.items.empty(); }

// The first such pass from 7 ms on.
inline PassSent find_pass(const Scenario& scenario, const Wanted& wanted = has_items) {
  const Log log = Simulation(scenario, 1).run().log;
  const auto found = std::ranges::find_if(log.passes, [&](const PassSent& pass) {
    return pass.at_ns >= kQuietNs + 2 * kMs && wanted(log, pass);
  });
  EXPECT_NE(found, log.passes.end());
  return found == log.passes.end() ? PassSent{} : *found;
}

// What that node sends about then reaches `only` alone.
inline void cut_off(Scenario& scenario, size_t from, size_t only, uint64_t at_ns,
                    uint64_t length_ns) {
  for (size_t to = 0; to < scenario.nodes.size(); ++to) {
    if (to != from && to != only)
      scenario.fabric.partitions.push_back({from, to, at_ns - 1'000, at_ns + length_ns});
  }
}
inline void crash(Scenario& scenario, size_t node, uint64_t at_ns) {
  scenario.actions.push_back({at_ns, node, Action::What::kCrash});
}

// A site dies whose pass one other has, and that one, which is the next site, dies with its own
// pass at the others.
inline Scenario hole() {
  Scenario scenario = ring(5);
  const PassSent pass = find_pass(scenario);
  const size_t next = (pass.life + 1) % 5;
  cut_off(scenario, pass.life, next, pass.at_ns, 40'000);
  crash(scenario, pass.life, pass.at_ns + 2'000);
  crash(scenario, next, pass.at_ns + 30'000);
  return scenario;
}

}  // namespace lambdacast::sim
