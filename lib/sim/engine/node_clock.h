// SPDX-License-Identifier: BSD-3-Clause
// A node's own clock: off by a constant, and faster or slower than true time by a constant rate.
// The code under test sees nothing else.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lambdacast::sim {

inline constexpr uint64_t kNever = ~uint64_t{0};

class NodeClock {
 public:
  // rate_ppm: in (-500'000, 500'000); real oscillators stay below 100.
  explicit NodeClock(uint64_t offset_ns = 0, int32_t rate_ppm = 0)
      : offset_ns_(offset_ns), parts_(1'000'000 + rate_ppm) {}

  [[nodiscard]] uint64_t local_ns(uint64_t true_ns) const {
    return offset_ns_ + static_cast<uint64_t>(static_cast<unsigned __int128>(true_ns) *
                                              static_cast<uint64_t>(parts_) / 1'000'000);
  }
  // The earliest true time at which this clock shows `local_ns` or more; kNever stays kNever.
  [[nodiscard]] uint64_t true_ns(uint64_t local_ns) const {
    if (local_ns == kNever) return kNever;
    if (local_ns <= offset_ns_) return 0;
    const auto parts = static_cast<uint64_t>(parts_);
    const auto scaled = static_cast<unsigned __int128>(local_ns - offset_ns_) * 1'000'000;
    const unsigned __int128 at_ns = (scaled + parts - 1) / parts;
    return at_ns >= kNever ? kNever : static_cast<uint64_t>(at_ns);
  }

 private:
  uint64_t offset_ns_;
  int64_t parts_;  // of a million: how much this clock advances while true time advances a million
};

}  // namespace lambdacast::sim
