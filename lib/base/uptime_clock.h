// SPDX-License-Identifier: BSD-3-Clause
// Time in which this endpoint was alive: suspicion, deadlines and the lifetime of incomplete
// messages count it, so that a process that was stopped accuses nobody of silence when it wakes,
// and reads what waits for it first. A gap between two calls advances it by `most_ns` at most, as a
// rule one heartbeat (doc/decisions/0012-time-lived.md).
#pragma once

#include <algorithm>
#include <cstdint>

namespace lambdacast::base {

class UptimeClock {
 public:
  explicit UptimeClock(uint64_t most_ns) : most_ns_(most_ns) {}

  uint64_t advance(uint64_t now_ns) {
    if (!started_) last_ns_ = now_ns;
    started_ = true;
    if (now_ns <= last_ns_) return uptime_ns_;
    const uint64_t passed = now_ns - last_ns_;
    if (passed > most_ns_) ++starved_;
    uptime_ns_ += std::min(passed, most_ns_);
    last_ns_ = now_ns;
    return uptime_ns_;
  }
  // Time in which nobody could have been heard, because our own application takes nothing: it
  // counts against nobody.
  void skip(uint64_t now_ns) {
    last_ns_ = std::max(now_ns, last_ns_);
    started_ = true;
  }
  [[nodiscard]] uint64_t uptime_ns() const { return uptime_ns_; }
  // When to call advance() for that time lived to come, or earlier: a longer gap would not count.
  // ~0 stays ~0.
  [[nodiscard]] uint64_t wake_ns(uint64_t uptime_ns) const {
    if (uptime_ns == ~uint64_t{0}) return uptime_ns;
    return last_ns_ + std::min(uptime_ns - std::min(uptime_ns, uptime_ns_), most_ns_);
  }
  [[nodiscard]] uint64_t starved() const { return starved_; }  // gaps longer than that

 private:
  uint64_t most_ns_;
  uint64_t last_ns_ = 0;
  uint64_t uptime_ns_ = 1;  // 0 stands for never
  uint64_t starved_ = 0;
  bool started_ = false;
};

}  // namespace lambdacast::base
