// SPDX-License-Identifier: BSD-3-Clause
// Small runs of switches that mend multicast trees, which a seed draws: graph, groups, scheme,
// medium and failures. All the checkers look at each.
#pragma once

#include <cstdint>
#include <string>

#include "sim/fabrics/tree_run.h"

namespace lambdacast::sim::fabrics {

struct RandomTrees {
  Fabric fabric;
  trees::InstalledGroups installed{{}};
  TreeScenario scenario;
  std::string text;  // what was drawn, in a line
};
// A graph of 2 ... `most_nodes` switches.
[[nodiscard]] RandomTrees random_trees(uint64_t seed, uint32_t most_nodes);

}  // namespace lambdacast::sim::fabrics
