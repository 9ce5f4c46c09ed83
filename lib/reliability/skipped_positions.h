// SPDX-License-Identifier: BSD-3-Clause
// Positions that the holder of a departing sender's stream does not have either (kSkip). They are
// still missing, but members that must have everything before the next view do not wait for them.
// Should the sender stay after all, it is asked for them.
//
// A bit a position; positions behind the window are forgotten when a new one needs their place.
#pragma once

#include <cstdint>
#include <vector>

namespace lambdacast::reliability {

class SkippedPositions {
 public:
  // positions: of the receive window, a power of two, at least 64.
  explicit SkippedPositions(uint32_t positions) : mask_(positions - 1), words_(positions / 64) {}

  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] bool has(uint64_t position) const {
    return any_ && position - from_ <= mask_ && (word_of(position) & bit_of(position)) != 0;
  }
  // `next`: the window's lowest missing position; `position` lies in the window.
  void add(uint64_t position, uint64_t next) {
    if (!any_) from_ = next;
    any_ = true;
    if (position - from_ > mask_) {
      for (; from_ < next; ++from_) word_of(from_) &= ~bit_of(from_);
    }
    word_of(position) |= bit_of(position);
  }
  void clear() {
    if (!any_) return;
    any_ = false;
    words_.assign(words_.size(), 0);
  }

 private:
  [[nodiscard]] uint64_t& word_of(uint64_t position) { return words_[(position & mask_) / 64]; }
  [[nodiscard]] const uint64_t& word_of(uint64_t position) const {
    return words_[(position & mask_) / 64];
  }
  [[nodiscard]] static uint64_t bit_of(uint64_t position) { return uint64_t{1} << position % 64; }

  uint64_t mask_;
  uint64_t from_ = 0;  // bits are of [from_, from_ + positions)
  bool any_ = false;
  std::vector<uint64_t> words_;
};

}  // namespace lambdacast::reliability
