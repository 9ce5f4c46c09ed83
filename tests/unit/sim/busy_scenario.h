// SPDX-License-Identifier: BSD-3-Clause
// A scenario small enough to know its outcome by hand: node 0 publishes to node 1 and node 2.
#pragma once

#include "sim/multicast/scenario.h"

namespace lambdacast::sim {

inline Scenario busy_scenario(uint64_t messages, size_t nodes = 3) {
  Scenario scenario = quiet_scenario(nodes);
  for (NodeScenario& node : scenario.nodes) node.subscribe = {7};
  NodeScenario& sender = scenario.nodes[0];
  sender.first_frame_seq = (uint64_t{1} << 24) - 3;
  sender.repair.first_rel_seq = (uint64_t{1} << 32) - 3;
  sender.traffic.messages = messages;
  sender.traffic.publish_to = {7};
  sender.traffic.start_ns = 1'000'000;
  scenario.epilogue_ns = 5'000'000;
  scenario.end_ns = 10'000'000;
  return scenario;
}

}  // namespace lambdacast::sim
