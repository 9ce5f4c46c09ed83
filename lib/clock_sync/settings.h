// SPDX-License-Identifier: BSD-3-Clause
// The settings of a tree of clocks, alike at all of its switches, and the improvements of the
// published protocol (FRANCIS, section 4.1) that are in force.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace lambdacast::clock_sync {

inline constexpr uint64_t kNever = ~uint64_t{0};

// Without any of them a switch does what was published, as we read it (doc/design.md).
struct Improvements {
  bool reports = false;      // children speak half an interval behind each wave
  bool phases = false;       // the root spreads its wave over its children
  bool generations = false;  // trees have generations; within one the earliest is in force
  bool suspects = false;     // neighbours of a switch that a flood names ask it at once
  bool piggyback = false;    // every frame acknowledges
  bool sharing = false;      // all that is due on a link shares a frame, and several may be out
  bool timed = false;        // floods and results carry the time
  bool direct = false;       // results go down a candidate's own tree, and move its root
  bool defers = false;       // an answer waits for the verdict on the father, if that is at hand
  bool ranks = false;        // a child waits two hops for each sibling before it
};

// The switches that flood when several have detected one failure.
enum class Speaks : uint8_t {
  kEverybody,  // FRANCIS taken literally
  kLeast,      // the first child of the switch that has failed; the others wait two hops for it
};

struct Settings {
  Improvements improvements;
  Speaks speaks = Speaks::kLeast;

  uint64_t interval_ns = 100'000;   // between two waves
  uint64_t frame_ns = 5'120;        // between two frames of a port
  uint64_t hop_ns = 5'620;          // from a frame's start until it has come
  uint64_t reply_ns = 13'240;       // from a frame's start until its answer has come at the latest
  uint64_t timeout_ns = 33'720;     // until a frame is sent again
  uint64_t slack_ns = 2'000;        // that a wave may be late
  uint64_t grace_ns = 60'000;       // that the first wave of a tree may be late
  uint64_t patience_ns = 200'000;   // with a neighbour who has to say something of a new tree
  uint64_t silence_ns = 2'000'000;  // without waves, from a father who lives
  uint32_t probes = 2;              // that have to be lost, one behind the other

  // With `defers`: how much longer than its father a switch waits for a wave, and how long an
  // answer may wait. The spare time is what reply_ns has beyond two hops. An answer that waits is
  // in time if answer_wait_ns is less than that. It waits for a child's last probe if the spare
  // time is no more than both together: 100 ns in the simulator's model A.
  uint64_t hop_slack_ns = 50;
  uint64_t answer_wait_ns = 60;

  double base_ns = 5;     // of uncertainty, a hop
  double drift = 200e-6;  // the most that a clock is off the root's, a nanosecond
  double candidates = 4;  // for the root of the final tree, on average, beside the detector
  uint64_t nodes = 1;     // switches
  uint64_t seed = 1;      // of the draw of candidates
};

// The least number of probes in a row for which links that lose frames with probability `loss`
// look failed at most twice an hour, over all `edges` of a tree in both directions: a wave is lost,
// and of each probe either it or its answer.
[[nodiscard]] inline uint32_t least_probes(double loss, size_t edges, uint64_t interval_ns) {
  constexpr uint32_t kMost = 64;
  const double intervals_an_hour = 3.6e12 / static_cast<double>(interval_ns);
  double an_hour = 2 * static_cast<double>(edges) * loss * intervals_an_hour;
  for (uint32_t probes = 1; probes < kMost; ++probes) {
    an_hour *= 1 - (1 - loss) * (1 - loss);
    if (an_hour <= 2) return probes;
  }
  return kMost;
}

}  // namespace lambdacast::clock_sync
