// SPDX-License-Identifier: BSD-3-Clause
// Loads for which the figures of a rival follow from its rules by hand: where nothing else is under
// way the time of a message is a sum of frames and latencies, and where all send the busiest line
// says how much.
#pragma once

#include "sim/rivals/load.h"

namespace lambdacast::sim::rivals {

inline LoadRun light(uint32_t nodes) {
  LoadRun run;
  run.nodes = nodes;
  run.load_bps = 10'000'000;  // a message each 8 ms
  run.senders = 1;
  return run;
}
inline LoadRun saturated(uint32_t nodes) {
  LoadRun run;
  run.nodes = nodes;
  return run;
}
// A message, or a control frame, from one node to another.
inline double whole_ns(const LoadRun& run) {
  return static_cast<double>(Lines::duration_ns(wire_bytes(run), run.line_bps) + run.latency_ns);
}
inline double control_ns(const LoadRun& run) {
  return static_cast<double>(Lines::duration_ns(kControlBytes, run.line_bps) + run.latency_ns);
}

}  // namespace lambdacast::sim::rivals
