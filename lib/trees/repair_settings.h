// SPDX-License-Identifier: BSD-3-Clause
// The settings of switches that mend multicast trees, alike at all of them, and the improvements of
// the published protocol (FRANCIS, section 4.2) that are in force.
#pragma once

#include <cstdint>

namespace lambdacast::trees {

inline constexpr uint64_t kNever = ~uint64_t{0};

// Without any of them a switch does what was published, as we read it (doc/design.md).
struct RepairImprovements {
  bool asks = false;       // who misses one probe asks at once, and does not wait for more
  bool suspects = false;   // neighbours of a switch that a flood names ask it at once
  bool piggyback = false;  // every frame acknowledges
  bool sharing = false;    // records share a frame, and several frames may be under way
  bool ranges = false;     // sets go as bits where that is shorter than a list
  bool sources = false;    // searches are by source, and not by group
  bool above = false;      // packets turn below the root where that is enough
};

struct RepairSettings {
  RepairImprovements improvements;

  uint64_t interval_ns = 100'000;  // between two probes of a neighbour
  uint64_t frame_ns = 5'120;       // between two frames of a port
  uint64_t hop_ns = 5'620;         // from a frame's start until it has come
  uint64_t reply_ns = 13'240;      // from a frame's start until its answer has come at the latest
  uint64_t timeout_ns = 33'720;    // until a frame is sent again
  uint64_t slack_ns = 7'000;       // that a probe may be late
  uint32_t probes = 2;             // that have to be lost, one behind the other

  uint32_t spanner_k = 3;
  uint64_t seed = 1;  // of the spanner's draws, and of when each switch probes

  static constexpr unsigned kWindow = 16;  // frames under way, with `sharing`
  [[nodiscard]] unsigned window() const { return improvements.sharing ? kWindow : 1; }
};

}  // namespace lambdacast::trees
