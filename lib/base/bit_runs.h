// SPDX-License-Identifier: BSD-3-Clause
// Runs of bits in bitmaps of 64-bit words: the words that a run lies in, one after the other.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lambdacast::base {

// visit(word, bits) for the words that bits [from, from + count) lie in: word = bit / 64.
template <typename Visitor>
inline void for_each_word(uint64_t from, uint64_t count, Visitor&& visit) {
  while (count != 0) {
    const uint64_t offset = from % 64;
    const uint64_t bits = std::min(count, 64 - offset);
    visit(from / 64, ~uint64_t{0} >> (64 - bits) << offset);
    from += bits;
    count -= bits;
  }
}

}  // namespace lambdacast::base
