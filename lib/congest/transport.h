// SPDX-License-Identifier: BSD-3-Clause
// The common part of the two ways to send lost frames again (stored_frames.h, link_window.h): when
// a switch looks at what it has stored.
//
// Each packet that comes, ours or not, has the switch look at one of its slots in turn; an idle
// switch makes packets to that end. Slot s of n is so looked at at (s + j n) check_ns. No event is
// made of it: the first look that can find something is computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace lambdacast::congest {

inline constexpr uint64_t kNoDeadline = std::numeric_limits<uint64_t>::max();

struct TransportConfig {
  uint64_t timeout_ns = 33'720;  // 3 (2 frame times + 2 propagations) at 100 Mb/s
  uint64_t check_ns = 100;       // from one look to the next: under traffic; 1 us when idle
  unsigned window = 4;           // of LinkWindow: frames a direction and class, at most 128
  bool bare = false;             // of LinkWindow: each frame is acknowledged by one of its own
};

// The first look at that slot no earlier than `due_ns`.
[[nodiscard]] inline constexpr uint64_t first_look(size_t slot, size_t slots, uint64_t check_ns,
                                                   uint64_t due_ns) {
  const uint64_t cycle_ns = slots * check_ns;
  const uint64_t first_ns = slot * check_ns;
  if (due_ns <= first_ns) return first_ns;
  return first_ns + (due_ns - first_ns + cycle_ns - 1) / cycle_ns * cycle_ns;
}

}  // namespace lambdacast::congest
