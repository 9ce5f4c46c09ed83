// SPDX-License-Identifier: BSD-3-Clause
// Checks what switches that mend multicast trees have ended with, by code that shares nothing with
// them: packets are followed by what the switches know, and trees are compared with those of one
// hand (trees/set_cover_tree.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "congest/graph.h"
#include "sim/fabrics/recovery_path.h"

namespace lambdacast::sim::fabrics {

struct TreeChecks {
  uint32_t spanner_k = 0;
  bool above = false;  // as RepairImprovements has it
  // When a controller installed its trees: what had failed then no flood names. Null: it has not.
  const congest::LiveGraph* before = nullptr;
};

// One line a fault, at most a few. Each component of what is alive has nothing to mend, or
//
// - all its switches follow one flood, which names every failed neighbour of theirs,
// - fathers make one tree over it,
// - a packet of each group reaches each receiver once by the bitmaps (recovery_path.h). With
//   `above` it crosses as few links of that tree as can be,
// - the links of the spanner are known at both ends, and if spanner_k is not 0 no link's ends are
//   more than 2 spanner_k - 1 hops apart on it,
// - each group's tree is that of one hand.
[[nodiscard]] std::vector<std::string> check_trees(const congest::LiveGraph& live,
                                                   const TreeCores& cores,
                                                   const TreeChecks& checks);

}  // namespace lambdacast::sim::fabrics
