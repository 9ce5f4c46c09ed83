// SPDX-License-Identifier: BSD-3-Clause
// A set of small numbers: ranks in a view, or a sender's receivers. An ODBSS has up to 80
// transmitters (ODBSS 2019, II.A), so a 64-bit mask is too small; two words hold 128.
//
// Trivially copyable. All operations but count() and for_each() are constant in time.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace lambdacast::base {

class NodeSet {
 public:
  static constexpr size_t kCapacity = 128;  // numbers are 0 .. kCapacity - 1

  constexpr NodeSet() = default;
  // Exactly one member.
  [[nodiscard]] static constexpr NodeSet of(size_t number) {
    NodeSet set;
    set.add(number);
    return set;
  }
  // The numbers 0 .. count - 1.
  [[nodiscard]] static constexpr NodeSet first(size_t count) {
    NodeSet set;
    for (size_t word = 0; word < kWords; ++word) {
      const size_t below = count > word * 64 ? count - word * 64 : 0;
      set.words_[word] = below >= 64 ? ~uint64_t{0} : (uint64_t{1} << below) - 1;
    }
    return set;
  }

  constexpr void add(size_t number) { words_[number / 64] |= bit(number); }
  constexpr void remove(size_t number) { words_[number / 64] &= ~bit(number); }
  constexpr void clear() { words_ = {}; }

  [[nodiscard]] constexpr bool contains(size_t number) const {
    return (words_[number / 64] & bit(number)) != 0;
  }
  [[nodiscard]] constexpr bool empty() const { return (words_[0] | words_[1]) == 0; }
  [[nodiscard]] constexpr size_t count() const {
    return static_cast<size_t>(std::popcount(words_[0]) + std::popcount(words_[1]));
  }
  // The lowest member; kCapacity: the set is empty.
  [[nodiscard]] constexpr size_t lowest() const {
    if (words_[0] != 0) return static_cast<size_t>(std::countr_zero(words_[0]));
    return 64 + static_cast<size_t>(std::countr_zero(words_[1]));
  }
  // Is every member of this set in `other`?
  [[nodiscard]] constexpr bool within(const NodeSet& other) const {
    return (*this - other).empty();
  }

  // Calls visit(number) for each member, ascending.
  template <typename Visit>
  constexpr void for_each(Visit&& visit) const {
    for (size_t word = 0; word < kWords; ++word) {
      for (uint64_t left = words_[word]; left != 0; left &= left - 1)
        visit(word * 64 + static_cast<size_t>(std::countr_zero(left)));
    }
  }

  // The words of the set, for formats: bit i of word w stands for the number 64 w + i.
  static constexpr size_t kWords = kCapacity / 64;
  [[nodiscard]] constexpr uint64_t word(size_t i) const { return words_[i]; }
  constexpr void set_word(size_t i, uint64_t value) { words_[i] = value; }

  constexpr bool operator==(const NodeSet&) const = default;
  constexpr NodeSet& operator|=(const NodeSet& other) {
    for (size_t i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  constexpr NodeSet& operator&=(const NodeSet& other) {
    for (size_t i = 0; i < kWords; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  // Difference.
  constexpr NodeSet& operator-=(const NodeSet& other) {
    for (size_t i = 0; i < kWords; ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  friend constexpr NodeSet operator|(NodeSet a, const NodeSet& b) { return a |= b; }
  friend constexpr NodeSet operator&(NodeSet a, const NodeSet& b) { return a &= b; }
  friend constexpr NodeSet operator-(NodeSet a, const NodeSet& b) { return a -= b; }

 private:
  [[nodiscard]] static constexpr uint64_t bit(size_t number) { return uint64_t{1} << number % 64; }

  std::array<uint64_t, kWords> words_{};
};

}  // namespace lambdacast::base
