// SPDX-License-Identifier: BSD-3-Clause
// Whether a receiver that lags again and again is waited for. A sender that evicts cuts it off
// after evict_lag and admits it when it asks to join, so that one which is always too slow would
// hold the window back for evict_lag each time. From its first relapse on it is therefore on trial:
// it hears the stream, and nobody waits for it. It is admitted once it has kept up for a time that
// doubles with each relapse (doc/decisions/0020-a-receiver-on-trial.md). Owner: the rate_control
// lcore.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lambdacast::reliability {

class Trial {
 public:
  // A status of the receiver, and how far the sender was. Positions, and losses of its own count.
  struct Status {
    uint64_t contiguous = 0;
    uint64_t room = 0;
    uint64_t first_losses = 0;
    uint64_t last_sent = 0;
  };

  // It was cut off for its lag `stayed_ns` after its admission. A stay of `long_ns` counts as no
  // relapse.
  void note_cut_off(uint64_t stayed_ns, uint64_t long_ns) {
    relapses_ = cut_off_ && stayed_ns < long_ns ? std::min(relapses_ + 1, kMostRelapses) : 0;
    cut_off_ = true;
  }
  // It is not to be admitted before it has kept up for a while.
  [[nodiscard]] bool due() const { return relapses_ != 0; }

  void begin() { on_ = fresh_ = true; }
  void end() { on_ = false; }
  [[nodiscard]] bool on() const { return on_; }

  // Takes a status. True: it has kept up for `least_ns`, doubled with each relapse, at most
  // `most_ns`. It keeps up while the window has room for it and it misses few packets.
  [[nodiscard]] bool passes(const Status& status, uint64_t uptime_ns, uint64_t least_ns,
                            uint64_t most_ns) {
    if (fresh_ || !keeps_up(status)) {
      fresh_ = false;
      since_ns_ = uptime_ns;
      since_ = status;
      return false;
    }
    return uptime_ns - since_ns_ >= std::min(least_ns << relapses_, most_ns);
  }

 private:
  static constexpr uint32_t kMostRelapses = 16;
  // What an ordinary link loses, and a receiver can have repaired once it is admitted.
  static constexpr uint64_t kFreeLosses = 8;
  static constexpr uint64_t kPacketsALoss = 16;

  [[nodiscard]] bool keeps_up(const Status& status) const {
    const uint64_t sent = status.last_sent - std::min(since_.last_sent, status.last_sent);
    const uint64_t lost = status.first_losses - std::min(since_.first_losses, status.first_losses);
    return status.contiguous + status.room >= status.last_sent &&
           lost <= kFreeLosses + sent / kPacketsALoss;
  }

  Status since_;  // when it began to keep up
  uint64_t since_ns_ = 0;
  uint32_t relapses_ = 0;
  bool cut_off_ = false;
  bool on_ = false;
  bool fresh_ = false;  // no status since it began
};

// Frames that go out for receivers on trial alone: one for so many frames of data.
class TrialFrames {
 public:
  void earn(uint64_t data_frames) { credit_ = std::min(credit_ + data_frames, kMostCredit); }
  // False: none may go now.
  [[nodiscard]] bool spend() {
    if (credit_ < kCost) return false;
    credit_ -= kCost;
    return true;
  }

 private:
  static constexpr uint64_t kCost = 32;
  static constexpr uint64_t kMostCredit = 64 * kCost;
  uint64_t credit_ = 0;
};

}  // namespace lambdacast::reliability
