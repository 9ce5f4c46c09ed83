// SPDX-License-Identifier: BSD-3-Clause
// How far a sender goes ahead of what every receiver has heard of. What they take in a turn, the
// time from a packet until its status, keeps all of them busy; whatever is beyond stands in front
// of the slowest one, makes everybody's round trip longer, repairs included, and pushes what waits
// behind a gap out of that receiver's caches. Half a turn's worth more evens out bursts.
//
// Only a sender that uses all it may, turn after turn, knows what its receivers can take: a burst
// now and then goes out as a whole, up to the configured `most`. A turn in which either side has
// paused tells nothing.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lambdacast::reliability {

class InflightLimit {
 public:
  explicit InflightLimit(uint64_t most) : most_(most), packets_(most) {}

  // Goes from `most` down to this; receivers report progress at half of it at the latest.
  [[nodiscard]] static constexpr uint64_t least(uint64_t most) { return most - most / 4 * 3; }
  [[nodiscard]] uint64_t packets() const { return packets_; }

  // All receivers have heard of `heard` now, and until now `left` more might have been sent. A turn
  // takes `turn_ns` if nothing stands anywhere.
  void heard(uint64_t heard, uint64_t left, uint64_t turn_ns, uint64_t now_ns) {
    used_up_ = used_up_ || left <= packets_ / 8;
    if (now_ns < turn_end_ns_) return;
    if (now_ns > turn_end_ns_ + kPause * turn_ns || heard < begin_) {
      turns_ = 0;
    } else if (!used_up_) {
      turns_ = 0;
      packets_ = std::min(packets_ + std::max<uint64_t>(packets_ / 32, 1), most_);
    } else if (++turns_ > kTurns) {
      const uint64_t taken = (heard - begin_) * turn_ns / std::max<uint64_t>(now_ns - begin_ns_, 1);
      packets_ = std::clamp((3 * packets_ + taken + taken / 2) / 4, least(most_), most_);
      turns_ = 1;
    }
    if (turns_ <= 1) {
      begin_ = heard;
      begin_ns_ = now_ns;
    }
    used_up_ = false;
    turn_end_ns_ = now_ns + turn_ns;
  }

 private:
  static constexpr uint32_t kTurns = 4;  // that a measurement takes, behind the one it begins with
  static constexpr uint64_t kPause = 4;  // turns

  uint64_t most_;
  uint64_t packets_;
  uint64_t turn_end_ns_ = 0;
  bool used_up_ = false;  // in this turn
  uint32_t turns_ = 0;    // in a row in which it was
  uint64_t begin_ = 0;    // of the measurement: what had been heard of,
  uint64_t begin_ns_ = 0;
};

}  // namespace lambdacast::reliability
