// SPDX-License-Identifier: BSD-3-Clause
// Small runs of clocks that a seed draws: graph, scheme, medium and failures. All the checkers look
// at each.
#pragma once

#include <cstdint>
#include <string>

#include "sim/fabrics/clock_run.h"

namespace lambdacast::sim::fabrics {

struct RandomClock {
  Fabric fabric;
  ClockTree tree;
  ClockScenario scenario;
  std::string text;  // what was drawn, in a line
};
// A graph of 2 ... `most_nodes` switches.
[[nodiscard]] RandomClock random_clock(uint64_t seed, uint32_t most_nodes);

}  // namespace lambdacast::sim::fabrics
