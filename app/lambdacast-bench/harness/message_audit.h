// SPDX-License-Identifier: BSD-3-Clause
// Which numbered messages of one sender came: 0, 1, 2, ... each once, and in order where that was
// asked for. Of the benchmark, so that no code under test judges itself.
#pragma once

#include <cstdint>
#include <vector>

namespace lambdacast::bench {

class MessageAudit {
 public:
  enum class Finding : uint8_t { kRight, kTwice, kOutOfOrder, kTooFar };

  // window: how far apart messages may come, a power of two.
  explicit MessageAudit(uint32_t window = 1u << 16) : mask_(window - 1), came_(window) {}

  Finding accept(uint64_t number, bool ordered) {
    if (number < done_) return Finding::kTwice;
    if (number - done_ > mask_) return Finding::kTooFar;
    if (came_[number & mask_]) return Finding::kTwice;
    const bool in_order = number >= highest_;
    if (in_order) highest_ = number + 1;
    came_[number & mask_] = true;
    while (came_[done_ & mask_]) came_[done_++ & mask_] = false;
    return ordered && !in_order ? Finding::kOutOfOrder : Finding::kRight;
  }
  // Messages up to here have all come.
  [[nodiscard]] uint64_t complete() const { return done_; }
  // `count` messages from the first one that has not come were declared lost.
  void skip(uint64_t count) {
    for (; count != 0; --count) came_[done_++ & mask_] = false;
    while (came_[done_ & mask_]) came_[done_++ & mask_] = false;
    if (highest_ < done_) highest_ = done_;
  }

 private:
  uint64_t mask_;
  uint64_t done_ = 0;
  uint64_t highest_ = 0;
  std::vector<bool> came_;
};

}  // namespace lambdacast::bench
