// SPDX-License-Identifier: BSD-3-Clause
// What scripted scenarios have in common: a rack of one sender, and how its run is checked.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/check/checkers.h"
#include "sim/check/coverage.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {

using counters::DropReason;
using reliability::LateJoin;
using reliability::LossReason;
using reliability::SlowReceiver;
using What = reliability::ReceiverEvent::What;

inline constexpr uint64_t kMs = 1'000'000;
inline constexpr uint32_t kGroup = 7;

// All receive, node 0 sends a message every 10 us from 1 ms on. suspect_after is 10 ms.
inline Scenario rack(size_t nodes, uint64_t messages) {
  Scenario scenario = quiet_scenario(nodes);
  for (NodeScenario& node : scenario.nodes) node.subscribe = {kGroup};
  Traffic& traffic = scenario.nodes[0].traffic;
  traffic.messages = messages;
  traffic.publish_to = {kGroup};
  traffic.start_ns = kMs;
  traffic.publish_every_ns = 10'000;
  scenario.epilogue_ns = 60 * kMs;
  scenario.end_ns = 80 * kMs;
  return scenario;
}

struct Outcome {
  Log log;
  Coverage seen;
  uint64_t window_closed = 0;  // of node 0
  uint64_t expired = 0;
};

inline Outcome run_checked(const Scenario& scenario, uint64_t seed = 1) {
  Simulation simulation(scenario, seed);
  Outcome run;
  simulation.at_end = [&](size_t node, const SimEndpoint& endpoint) {
    if (node != 0) return;
    run.window_closed = endpoint.node().sender().counters().window_closed;
    run.expired = endpoint.node().sender().counters().expired;
  };
  run.log = simulation.run().log;
  EXPECT_EQ(check_all(scenario, run.log), Violations{});
  run.seen.add(run.log);
  return run;
}

inline void pause(Scenario& scenario, size_t node, uint64_t from_ns, uint64_t to_ns) {
  scenario.actions.push_back({from_ns, node, Action::What::kPause});
  scenario.actions.push_back({to_ns, node, Action::What::kResume});
}

inline uint64_t declared(const Outcome& run) {
  return run.seen.lost_outside_retention + run.seen.lost_sender_gone + run.seen.lost_deadline +
         run.seen.lost_evicted;
}

// Messages of the rack's sender that `node` got, before `end_ns`.
inline uint64_t delivered(const Outcome& run, size_t node, uint64_t end_ns = kNever) {
  return static_cast<uint64_t>(
      std::count_if(run.log.told.begin(), run.log.told.end(), [&](const Told& told) {
        return told.is_message() && told.group == kGroup && told.at_ns < end_ns &&
               run.log.lives[told.receiver].node == node;
      }));
}

}  // namespace lambdacast::sim
