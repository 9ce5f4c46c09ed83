// SPDX-License-Identifier: BSD-3-Clause
// One run of switches that mend multicast trees (trees/tree_core.h) over the links of a graph:
// something fails, and the run ends when all have found new trees, or at its limit. A controller
// may then install trees of its own, and something more fail.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/fabrics/failure.h"
#include "sim/fabrics/graphs_fabric.h"
#include "sim/fabrics/medium.h"
#include "sim/fabrics/trace_lines.h"
#include "trees/installed_groups.h"
#include "trees/repair_settings.h"

namespace lambdacast::sim::fabrics {

struct TreeScenario {
  MediumConfig medium{};
  trees::RepairImprovements improvements{};
  uint64_t interval_ns = 100'000;
  uint64_t slack_ns = 2'000;
  uint32_t probes = 0;  // 0: from the target for false recoveries
  uint32_t spanner_k = 3;
  std::vector<Failure> failures{};
  uint64_t failure_ns = 350'000;   // of the first
  std::vector<Failure> later{};    // once a controller has installed its own trees; empty: it
                                   // does not
  uint64_t limit_ns = 50'000'000;  // behind the start, or the controller's trees
  bool checks_spanner = false;  // that no link is longer on it than 2k - 1 hops: for small graphs
  uint64_t bin_ns = 0;          // of the series; 0: none
  TraceSink trace{};            // gets a line a frame
  uint64_t seed = 1;
};

struct TreeRun {
  bool flooded = false;  // there was something to mend
  uint64_t fast_ns = 0;  // behind the first failure: the last bitmaps have come
  uint64_t full_ns = 0;  // the last switch has its places in all trees
  uint64_t groups = 0;   // affected
  double links = 0;      // that a packet of such a group crosses by the bitmaps, on average
  uint64_t floods = 0;   // begun
  uint64_t frames = 0;   // behind the first failure
  uint64_t events = 0;
  uint64_t trace = 0;
  std::vector<std::string> violations;
  std::vector<uint64_t> busiest_bits;  // by bin, from the start: on its busiest direction
};

[[nodiscard]] trees::RepairSettings repair_settings(const TreeScenario& scenario,
                                                    const congest::Graph& graph);
// `installed`: by the controller, at first and with `scenario.later` again. Times, frames,
// groups and links of the run are those of the first failures; floods and events are those of both.
[[nodiscard]] TreeRun run_trees(const Fabric& fabric, const trees::InstalledGroups& installed,
                                const TreeScenario& scenario);

}  // namespace lambdacast::sim::fabrics
