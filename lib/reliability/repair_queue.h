// SPDX-License-Identifier: BSD-3-Clause
// Positions to be sent again, oldest request first, and how much of the sending may go to them: one
// repair serves all who asked, and while data waits repairs have at most their share, so that
// recovery never becomes the disruption (QSM 2008, section 6, 4a).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace lambdacast::reliability {

// How long after its last repair a position is not sent again, though asked for. `once_ns`: what a
// repair and its NACK take. One that was sent again in vain many times waits twice as long each
// time, so that a packet that never arrives costs little.
[[nodiscard]] inline uint64_t hold_off_ns(uint32_t repairs, uint64_t once_ns, uint64_t most_ns) {
  constexpr uint32_t kPrompt = 6, kMostDoublings = 12;
  if (repairs <= kPrompt) return once_ns;
  return std::min(once_ns << std::min(repairs - kPrompt, kMostDoublings), most_ns);
}

class RepairQueue {
 public:
  // positions: a power of two, of the window. A position is queued once at a time. One that waits
  // is overtaken by others of two windows at most, its own and the next, before it is stable; it
  // may then be overwritten.
  RepairQueue(uint32_t positions, uint32_t share_percent)
      : queue_(2 * size_t{positions}),
        mask_(queue_.size() - 1),
        share_(std::clamp<uint32_t>(share_percent, 1, 99)) {}

  void push(uint64_t position) { queue_[pushed_++ & mask_] = position; }
  [[nodiscard]] bool empty() const { return pushed_ == popped_; }
  [[nodiscard]] uint64_t front() const { return queue_[popped_ & mask_]; }
  void pop() { ++popped_; }
  [[nodiscard]] uint64_t size() const { return pushed_ - popped_; }

  // May a repair go now? Each frame of data earns its share of one; without data there is no limit.
  [[nodiscard]] bool may_send(bool data_waits) const { return !data_waits || credit_ >= cost(); }
  void sent_data(uint64_t frames) {
    credit_ = std::min(credit_ + static_cast<int64_t>(frames * share_), kMostCredit);
  }
  void sent_repair() { credit_ = std::max<int64_t>(credit_ - cost(), 0); }

 private:
  static constexpr int64_t kMostCredit = 64 * 99;  // what an idle time may save up
  [[nodiscard]] int64_t cost() const { return 100 - share_; }

  std::vector<uint64_t> queue_;
  uint64_t mask_;
  uint64_t pushed_ = 0;
  uint64_t popped_ = 0;
  int64_t share_;
  int64_t credit_ = kMostCredit;
};

}  // namespace lambdacast::reliability
