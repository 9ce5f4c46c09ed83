// SPDX-License-Identifier: BSD-3-Clause
// A queue in front of a line of fixed rate, as a number: how much is in it at any time. It serves
// two ends: at a transmitter it is the port's queue in front of the fibre (what does not fit is not
// taken), at a receiver the port's buffer in front of a slow host (what does not fit is dropped).
//
// Exact integers, so that no rounding adds up: the unit is 1 bit / (ticks of the clock a second),
// of which the line serves `rate` in each tick.
#pragma once

#include <cstdint>

#include "base/wire_bytes.h"

namespace lambdacast::fabric {

inline constexpr uint64_t kMinRateBps = 1'000'000;
inline constexpr uint64_t kMaxRateBps = 1'600'000'000'000;
inline constexpr uint64_t kMaxQueueBytes = uint64_t{64} << 20;

class RateQueue {
 public:
  RateQueue() = default;
  // rate_bps 1 .. kMaxRateBps, or 0: no line; depth_bytes, on the wire, at most kMaxQueueBytes;
  // ticks_hz at most 8e9.
  RateQueue(uint64_t rate_bps, uint64_t depth_bytes, uint64_t ticks_hz)
      : rate_bps_(rate_bps), ticks_hz_(ticks_hz), depth_(depth_bytes * 8 * ticks_hz) {}

  [[nodiscard]] bool active() const { return rate_bps_ != 0; }

  // A frame comes at that time (one before the last frame's counts as the last's): does it fit?
  // If so it is in, and departure() is when its last bit will be out.
  [[nodiscard]] bool offer(uint64_t now_ticks, uint32_t frame_bytes) {
    serve_until(now_ticks);
    const uint64_t bits = uint64_t{base::wire_bytes(frame_bytes)} * 8 * ticks_hz_;
    if (backlog_ + bits > depth_) return false;
    backlog_ += bits;
    return true;
  }

  [[nodiscard]] uint64_t departure() const { return now_ + (backlog_ + rate_bps_ - 1) / rate_bps_; }

 private:
  void serve_until(uint64_t now_ticks) {
    const auto elapsed = static_cast<int64_t>(now_ticks - now_);
    if (elapsed <= 0) return;
    now_ = now_ticks;
    const unsigned __int128 served = static_cast<unsigned __int128>(elapsed) * rate_bps_;
    backlog_ = served >= backlog_ ? 0 : backlog_ - static_cast<uint64_t>(served);
  }

  uint64_t rate_bps_ = 0;
  uint64_t ticks_hz_ = 0;
  uint64_t depth_ = 0;
  uint64_t backlog_ = 0;  // not yet served at now_
  uint64_t now_ = 0;      // the time of the last frame
};

}  // namespace lambdacast::fabric
