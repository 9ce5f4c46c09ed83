// SPDX-License-Identifier: BSD-3-Clause
// A set of ports, one bit each: to whom a multicast goes (dynamic multicast). An algorithm changes
// and tests bits; only the engine goes through them, for a switch has no loop over its ports.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lambdacast::congest {

class Filter {
 public:
  explicit Filter(size_t ports = 0) : words_((ports + 63) / 64) {}

  void set(size_t port) { words_[port / 64] |= bit(port); }
  void reset(size_t port) { words_[port / 64] &= ~bit(port); }
  void clear() { words_.assign(words_.size(), 0); }
  [[nodiscard]] bool test(size_t port) const { return (words_[port / 64] & bit(port)) != 0; }
  // Words at a time, as a switch joins bitmaps.
  void add(const Filter& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  void remove(const Filter& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  }
  bool operator==(const Filter&) const = default;

 private:
  friend struct FilterPorts;
  [[nodiscard]] static uint64_t bit(size_t port) { return uint64_t{1} << port % 64; }
  std::vector<uint64_t> words_;
};

// For the engine and for checkers.
struct FilterPorts {
  template <typename Act>
  static void each(const Filter& filter, Act act) {
    for (size_t i = 0; i < filter.words_.size(); ++i)
      for (uint64_t left = filter.words_[i]; left != 0; left &= left - 1)
        act(64 * i + static_cast<size_t>(std::countr_zero(left)));
  }
  [[nodiscard]] static size_t count(const Filter& filter) {
    size_t count = 0;
    for (const uint64_t word : filter.words_) count += static_cast<size_t>(std::popcount(word));
    return count;
  }
};

}  // namespace lambdacast::congest
