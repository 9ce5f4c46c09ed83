// SPDX-License-Identifier: BSD-3-Clause
#include "base/bit_runs.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace lambdacast::base {
namespace {

using Words = std::vector<std::pair<uint64_t, uint64_t>>;

Words words_of(uint64_t from, uint64_t count) {
  Words words;
  for_each_word(from, count, [&](uint64_t word, uint64_t bits) { words.emplace_back(word, bits); });
  return words;
}

TEST(BitRuns, run_inside_a_word_expect_its_bits) {
  EXPECT_EQ(words_of(5, 3), (Words{{0, 0xe0}}));
  EXPECT_EQ(words_of(64 * 7 + 63, 1), (Words{{7, uint64_t{1} << 63}}));
}

TEST(BitRuns, whole_words_expect_all_their_bits) {
  EXPECT_EQ(words_of(64, 128), (Words{{1, ~uint64_t{0}}, {2, ~uint64_t{0}}}));
}

TEST(BitRuns, run_across_words_expect_the_end_of_one_and_the_beginning_of_the_next) {
  EXPECT_EQ(words_of(62, 4), (Words{{0, uint64_t{3} << 62}, {1, 3}}));
}

TEST(BitRuns, no_bits_expect_no_word) { EXPECT_EQ(words_of(9, 0), Words{}); }

TEST(BitRuns, last_word_there_is_expect_it) {
  EXPECT_EQ(words_of(~uint64_t{0}, 1), (Words{{~uint64_t{0} / 64, uint64_t{1} << 63}}));
}

}  // namespace
}  // namespace lambdacast::base
