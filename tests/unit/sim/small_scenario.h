// A scenario small enough to know its outcome by hand: node 0 publishes to node 1 and node 2.
#pragma once

#include "sim/scenario.h"

namespace lambdacast::sim {

inline Scenario small_scenario(uint64_t messages, size_t nodes = 3) {
  Scenario scenario;
  scenario.nodes.resize(nodes);
  scenario.fabric.receivers.resize(nodes);
  scenario.nodes[0].messages = messages;
  scenario.nodes[0].first_frame_seq = (uint64_t{1} << 24) - 3;
  scenario.nodes[0].publish_to = {7};
  for (NodeScenario& node : scenario.nodes) node.subscribe = {7};
  return scenario;
}

}  // namespace lambdacast::sim
