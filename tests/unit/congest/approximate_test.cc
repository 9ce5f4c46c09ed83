// SPDX-License-Identifier: BSD-3-Clause
#include "congest/approximate.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace lambdacast::congest {
namespace {

constexpr double kError = 1.0 / 512;

double relative(uint64_t found, double exact) {
  return std::abs(static_cast<double>(found) - exact) / exact;
}

TEST(Approximate, logarithms_of_all_mantissas__expect_them_within_half_a_step_of_the_table) {
  for (uint64_t mantissa = 1 << 16; mantissa < 1 << 17; ++mantissa) {
    const double exact = std::log2(static_cast<double>(mantissa)) * (1 << Approximate::kPoint);
    EXPECT_NEAR(static_cast<double>(Approximate::log2(mantissa)), exact, 48.0) << mantissa;
  }
}

TEST(Approximate, products_and_quotients_of_all_mantissas__expect_the_stated_error) {
  base::SplitMix64 random(9);
  for (uint64_t mantissa = 1 << 16; mantissa < 1 << 17; ++mantissa) {
    const uint64_t other = (uint64_t{1} << 16) + random.below(1 << 16);
    const auto a = static_cast<double>(mantissa);
    const auto b = static_cast<double>(other);
    EXPECT_LE(relative(Approximate::product(mantissa, other), a * b), kError) << mantissa;
    EXPECT_LE(relative(Approximate::quotient(mantissa << 24, other), a * (1 << 24) / b), kError)
        << mantissa;
    const uint64_t below = Approximate::quotient_below(mantissa << 24, other);
    EXPECT_LE(below, (mantissa << 24) / other);
    EXPECT_LE(relative(below, a * (1 << 24) / b), 4 * kError);
  }
}

TEST(Approximate, ends_of_the_range__expect_nothing_and_the_greatest_number) {
  EXPECT_EQ(Approximate::product(0, 7), 0u);
  EXPECT_EQ(Approximate::quotient(0, 7), 0u);
  EXPECT_EQ(Approximate::quotient(3, 1000), 0u);
  EXPECT_EQ(Approximate::product(uint64_t{1} << 40, uint64_t{1} << 40), ~uint64_t{0});
  EXPECT_EQ(Exact::product(6, 7), 42u);
  EXPECT_EQ(Exact::quotient(20, 7), 2u);
}

}  // namespace
}  // namespace lambdacast::congest
