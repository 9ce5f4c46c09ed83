// SPDX-License-Identifier: BSD-3-Clause
// How wild a node's surroundings are: what the data path's machine may do to it beside what the
// fabric does to its frames. A scenario without any of this is calm: one lcore, links that never
// fill, a pool without a bound, a port and an application that take everything at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sim/engine/node_clock.h"

namespace lambdacast::sim {

// Probabilities a call, in [0, 1].
struct PortWild {
  bool keeps = true;         // it knows the keep flag
  double short_burst = 0;    // receives fewer frames than wait
  double partial_burst = 0;  // takes a part of what it is offered
  double refusal = 0;        // takes nothing for up to refusal_ns
  uint64_t refusal_ns = 0;
  uint64_t late_free_ns = 0;  // what it has sent it gives back up to so much later
  uint64_t until_ns = 0;      // then, in true time, it takes and gives back everything at once
};

struct PoolWild {
  size_t packets = 0;  // in use at a time; 0: without a bound
  double refusal = 0;  // an allocation fails, and so do those of up to refusal_ns
  uint64_t refusal_ns = 0;
  uint64_t until_ns = 0;  // no refusals from then on, in true time
};

// Counts of what has occurred at a port.
struct PortCounts {
  uint64_t partial_bursts = 0;
  uint64_t refusals = 0;
  uint64_t late_frees = 0;  // packets that it still had when somebody asked
};

// An lcore that wants to go on at once does so this much later.
inline constexpr uint64_t kShortestLoopNs = 100;
// The stages in the order of a turn; the application runs with ordering.
inline constexpr size_t kPlaces = 4;  // receive, reliability, ordering, rate_control

struct NodeWild {
  bool on = false;
  std::array<uint8_t, kPlaces> lcores{};  // by stage: the lcore that polls it, 0 to 3
  bool shuffles = false;                  // a turn polls its stages in a drawn order
  uint64_t most_delay_ns = 0;             // between what wakes an lcore and its turn
  uint32_t link_slots = 0;                // of links between stages; 0: as the calm ones
  uint32_t control_slots = 0;
  PoolWild pool;
  PortWild port;
  double application_refusal = 0;  // a poll: it takes nothing for up to application_refusal_ns
  uint64_t application_refusal_ns = 0;
};

}  // namespace lambdacast::sim
