// SPDX-License-Identifier: BSD-3-Clause
// The streams that have something to hand on, in the order of their turns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lambdacast::reliability {

class Backlog {
 public:
  explicit Backlog(size_t max_peers) : peers_(max_peers), contains_(max_peers) {}

  [[nodiscard]] size_t size() const { return count_; }
  [[nodiscard]] size_t peer(size_t turn) const { return peers_[turn]; }

  void add(size_t peer) {
    if (contains_[peer] != 0) return;
    contains_[peer] = 1;
    peers_[count_++] = static_cast<uint16_t>(peer);
  }
  // The last one takes its turn.
  void remove(size_t turn) {
    contains_[peers_[turn]] = 0;
    peers_[turn] = peers_[--count_];
  }
  // The stream behind this turn comes first in the next round, this one last.
  void begin_behind(size_t turn) {
    if (turn >= count_) return;
    const auto begin = peers_.begin();
    std::rotate(begin, begin + static_cast<std::ptrdiff_t>(turn) + 1,
                begin + static_cast<std::ptrdiff_t>(count_));
  }

 private:
  std::vector<uint16_t> peers_;  // sized once
  std::vector<uint8_t> contains_;
  size_t count_ = 0;
};

}  // namespace lambdacast::reliability
