// SPDX-License-Identifier: BSD-3-Clause
// The two states of Gilbert's channel (Gilbert, "Capacity of a burst-noise channel", 1960; Elliott,
// 1963): good, and bad for a burst of frames.
//
//   good -> bad with probability `enter` a frame, bad -> good with `leave`
//   share of frames in the bad state  enter / (enter + leave)
//   mean burst                        1 / leave frames
//
// The state at a frame is a function of (key, index) alone, whatever was asked before. Frame n's
// draw decides the step from n - 1 to n; some draws lead to the same state from either, and the
// state follows from the last of those ("coupling from the past", Propp and Wilson, 1996). So no
// chain has to be run from the beginning, and it is exactly the stationary one.
#pragma once

#include <cstdint>

#include "base/random.h"

namespace lambdacast::fabric {

// Bounds that keep the search for such a draw short: 1e6 draws on average at the most.
inline constexpr double kMaxBurstEnter = 0.5;
inline constexpr double kMinBurstLeave = 1e-6;

class BurstChain {
 public:
  BurstChain() = default;
  // enter 0 .. kMaxBurstEnter, leave kMinBurstLeave .. 1; key: any random number (keys that lie
  // close together make the same bursts a few frames apart).
  BurstChain(double enter, double leave, uint64_t key)
      : key_(key), enter_(enter), stay_(1.0 - leave) {}

  [[nodiscard]] bool possible() const { return enter_.possible(); }

  // Is the channel in the bad state at this frame? Cheap for the frame after the one last asked of.
  [[nodiscard]] bool bad(uint64_t index) {
    uint64_t from = index;
    while (from != known_ && from != 0 && !forgets(from)) --from;
    // Before the first frame the channel is good; where a draw forgets, either will do.
    bool state = from == known_ && bad_before_known_;
    for (; from <= index; ++from) state = step(state, from);
    known_ = index + 1;
    bad_before_known_ = state;
    return state;
  }

 private:
  [[nodiscard]] uint64_t draw(uint64_t index) const { return base::mix64(key_ + index); }
  [[nodiscard]] bool step(bool is_bad, uint64_t index) const {
    return is_bad ? stay_.hit(draw(index)) : enter_.hit(draw(index));
  }
  [[nodiscard]] bool forgets(uint64_t index) const {
    return enter_.hit(draw(index)) == stay_.hit(draw(index));
  }

  uint64_t key_ = 0;
  base::Chance enter_;
  base::Chance stay_;
  uint64_t known_ = 0;             // of the frame before this index the state is known:
  bool bad_before_known_ = false;  // this
};

}  // namespace lambdacast::fabric
