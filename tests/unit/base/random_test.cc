// SPDX-License-Identifier: BSD-3-Clause
#include "base/random.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace lambdacast::base {
namespace {

TEST(SplitMix64, seed_1234567_expect_the_published_sequence) {
  SplitMix64 random(1234567);
  for (const uint64_t value : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                               4593380528125082431u, 16408922859458223821u}) {
    EXPECT_EQ(random(), value);
  }
}

TEST(SplitMix64, equal_seeds_expect_equal_sequences_other_seeds_others) {
  SplitMix64 a(5), b(5), c(6);
  for (int i = 0; i < 100; ++i) {
    const uint64_t value = a();
    EXPECT_EQ(value, b());
    EXPECT_NE(value, c());
  }
}

TEST(SplitMix64, below_expect_in_range_and_even) {
  SplitMix64 random(1);
  uint64_t counts[10] = {};
  for (int i = 0; i < 100'000; ++i) ++counts[random.below(10)];  // an overflow would crash
  for (const uint64_t n : counts) EXPECT_NEAR(static_cast<double>(n), 10'000, 5 * std::sqrt(9'000));
  EXPECT_EQ(random.below(1), 0u);
}

TEST(SplitMix64, standard_distributions_expect_to_take_it) {
  SplitMix64 random(1);
  std::uniform_int_distribution<int> die(1, 6);
  for (int i = 0; i < 100; ++i) {
    const int n = die(random);
    EXPECT_TRUE(n >= 1 && n <= 6);
  }
}

TEST(Mix64, one_input_bit_flipped_expect_half_the_output_bits_flipped) {
  uint64_t flipped = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    for (int bit = 0; bit < 64; ++bit) {
      flipped += static_cast<uint64_t>(std::popcount(mix64(i) ^ mix64(i ^ uint64_t{1} << bit)));
    }
  }
  EXPECT_NEAR(static_cast<double>(flipped) / 64'000, 32.0, 0.1);
}

TEST(Chance, zero_and_less_expect_never) {
  for (const double p : {0.0, -1.0}) {
    EXPECT_FALSE(Chance(p).possible());
    EXPECT_FALSE(Chance(p).hit(0));
  }
  EXPECT_FALSE(Chance().possible());
}

TEST(Chance, one_and_more_expect_always) {
  for (const double p : {1.0, 2.0}) {
    EXPECT_TRUE(Chance(p).hit(0));
    EXPECT_TRUE(Chance(p).hit(std::numeric_limits<uint64_t>::max()));
  }
}

TEST(Chance, half_expect_the_threshold_in_the_middle) {
  const Chance half(0.5);
  EXPECT_TRUE(half.hit((uint64_t{1} << 63) - 1));
  EXPECT_FALSE(half.hit(uint64_t{1} << 63));
  EXPECT_TRUE(Chance(std::nextafter(1.0, 0.0)).possible());
  EXPECT_TRUE(Chance(1e-18).possible());
}

}  // namespace
}  // namespace lambdacast::base
