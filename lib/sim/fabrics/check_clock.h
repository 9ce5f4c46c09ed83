// SPDX-License-Identifier: BSD-3-Clause
// Checks what a run of clocks has ended with, by code that shares nothing with the switches. An
// empty string: it is right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "congest/graph.h"
#include "sim/fabrics/clock_log.h"

namespace lambdacast::sim::fabrics {

// The last state of a switch, by its own account.
struct ClockEnd {
  ClockPlace place{};
  std::vector<size_t> children{};  // ports
  bool final = false;              // its tree is no passing one
  uint32_t told_height = 0;        // of the whole tree; 0: nothing was told
};

struct ClockTrees {
  std::string wrong;
  uint32_t height = 0;  // of the highest tree
};

// Each component of what is alive has one tree, of which all its switches know the same, whose root
// is alive and that spans it. If a height was told it is the tree's, and the least from any root of
// it. A tree that a leaf has died of since is lower: `exact`, none has.
[[nodiscard]] ClockTrees check_clock_trees(const congest::LiveGraph& live,
                                           const std::vector<ClockEnd>& ends, bool exact);

}  // namespace lambdacast::sim::fabrics
