// Time that moves only when the simulation says so.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lambdacast::sim {

class VirtualClock {
 public:
  [[nodiscard]] uint64_t now_ns() const { return now_ns_; }
  // Never backwards: an earlier time leaves the clock as it is.
  void advance_to(uint64_t time_ns) { now_ns_ = std::max(now_ns_, time_ns); }

 private:
  uint64_t now_ns_ = 0;
};

}  // namespace lambdacast::sim
