// SPDX-License-Identifier: BSD-3-Clause
// One run of a tree of clocks over the links of a graph: it works, something fails, and the run
// ends when the switches have mended it, or at its limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clock_sync/settings.h"
#include "congest/algorithm.h"
#include "sim/fabrics/failure.h"
#include "sim/fabrics/graphs_fabric.h"
#include "sim/fabrics/medium.h"
#include "sim/fabrics/trace_lines.h"

namespace lambdacast::sim::fabrics {

struct ClockScenario {
  MediumConfig medium{};
  clock_sync::Improvements improvements{};
  clock_sync::Speaks speaks = clock_sync::Speaks::kLeast;
  uint64_t interval_ns = 100'000;
  double base_ns = 5;
  double drift = 200e-6;
  double candidates = 4;
  uint64_t slack_ns = 2'000;
  uint32_t probes = 0;  // 0: from the target for false recoveries
  std::vector<Failure> failures{};
  uint64_t failure_ns = 350'000;  // of the first
  uint64_t limit_ns = 50'000'000;
  uint64_t install_behind_ns = 0;  // a controller's tree, so long behind the last; 0: none
  uint64_t bin_ns = 0;             // of the series; 0: none
  TraceSink trace{};               // gets a line a frame
  uint64_t seed = 1;
};

struct ClockRun {
  bool flooded = false;  // there was something to mend
  uint64_t fast_ns = 0;  // behind the first failure: the last switch has joined the last flood
  uint64_t full_ns = 0;  // the last switch has got its place in the final tree
  double peak_ns = 0;    // the most that two clocks may have been apart
  double normal_ns = 0;  // before
  uint32_t height = 0;   // of the final tree
  uint64_t floods = 0;   // begun
  uint64_t frames = 0;   // behind the first failure
  uint64_t events = 0;
  uint64_t trace = 0;
  std::vector<std::string> violations;
  // By bin, from the start: the uncertainty at its end, and the bits on its busiest direction.
  std::vector<double> epsilon_ns;
  std::vector<uint64_t> busiest_bits;
};

// The root of a graph's clocks and the lowest tree from it, computed once. The root is a switch
// from which the furthest one is as near as can be; among those, one of the highest layer.
struct ClockTree {
  congest::NodeId root = 0;
  uint32_t height = 0;
  std::vector<congest::TreePlace> places;  // by node
};
[[nodiscard]] ClockTree lowest_tree(const Fabric& fabric);
// Breadth first over what is alive, of parents in the order of their ports.
[[nodiscard]] ClockTree tree_from(const congest::LiveGraph& live, congest::NodeId root);

[[nodiscard]] clock_sync::Settings clock_settings(const ClockScenario& scenario,
                                                  const congest::Graph& graph, uint32_t height);
[[nodiscard]] ClockRun run_clock(const Fabric& fabric, const ClockTree& tree,
                                 const ClockScenario& scenario);

}  // namespace lambdacast::sim::fabrics
