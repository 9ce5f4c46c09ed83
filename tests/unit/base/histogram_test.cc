// SPDX-License-Identifier: BSD-3-Clause
#include "base/histogram.h"

#include <gtest/gtest.h>

namespace lambdacast::base {
namespace {

TEST(HistogramTest, record_nothing__expect_zeros) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), 0u);
  EXPECT_EQ(histogram.mean(), 0);
  EXPECT_EQ(histogram.standard_deviation(), 0);
  EXPECT_EQ(histogram.value_at(0.5), 0u);
}

TEST(HistogramTest, record_small_values__expect_them_exactly) {
  Histogram histogram;
  for (uint64_t value = 1; value <= 100; ++value) histogram.record(value);
  EXPECT_EQ(histogram.value_at(0), 1u);
  EXPECT_EQ(histogram.value_at(0.01), 1u);
  EXPECT_EQ(histogram.value_at(0.5), 50u);
  EXPECT_EQ(histogram.value_at(0.99), 99u);
  EXPECT_EQ(histogram.value_at(0.991), 100u);
  EXPECT_EQ(histogram.value_at(1), 100u);
  EXPECT_DOUBLE_EQ(histogram.mean(), 50.5);
  EXPECT_NEAR(histogram.standard_deviation(), 28.866, 0.001);
}

// The nearest rank of a quantile that is exact in decimals only.
TEST(HistogramTest, ask_for_decimal_quantiles__expect_no_rank_too_many) {
  Histogram histogram;
  for (int i = 0; i < 9999; ++i) histogram.record(1);
  histogram.record(2);
  EXPECT_EQ(histogram.value_at(0.9999), 1u);
  EXPECT_EQ(histogram.value_at(0.99991), 2u);
}

TEST(HistogramTest, record_the_ends_of_the_range__expect_least_and_greatest_exactly) {
  Histogram histogram;
  histogram.record(0);
  histogram.record(~uint64_t{0});
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), ~uint64_t{0});
  EXPECT_EQ(histogram.value_at(1), ~uint64_t{0});
}

TEST(HistogramTest, visit_the_buckets__expect_each_to_hold_its_value_narrowly) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const uint64_t value : {uint64_t{1} << bit, (uint64_t{2} << bit) - 1}) {
      Histogram histogram;
      histogram.record(value);
      int visited = 0;
      histogram.for_each([&](const Histogram::Bucket& bucket) {
        ++visited;
        EXPECT_EQ(bucket.count, 1u);
        EXPECT_LE(bucket.lowest, value);
        EXPECT_GE(bucket.highest, value);
        EXPECT_LE(bucket.highest - bucket.lowest, bucket.lowest / 256) << value;
      });
      EXPECT_EQ(visited, 1);
    }
  }
}

TEST(HistogramTest, add_one_to_another__expect_what_recording_all_in_one_gives) {
  Histogram first;
  Histogram second;
  Histogram both;
  for (uint64_t value : {3u, 70'000u, 12u}) first.record(value), both.record(value);
  for (uint64_t value : {1u, 900'000u}) second.record(value), both.record(value);
  first.add(second);
  EXPECT_EQ(first.count(), 5u);
  EXPECT_EQ(first.min(), 1u);
  EXPECT_EQ(first.max(), 900'000u);
  EXPECT_EQ(first.mean(), both.mean());
  EXPECT_EQ(first.value_at(0.7), both.value_at(0.7));
}

TEST(HistogramTest, clear__expect_nothing_left) {
  Histogram histogram;
  histogram.record(7);
  histogram.clear();
  EXPECT_EQ(histogram.count(), 0u);
  histogram.record(9);
  EXPECT_EQ(histogram.min(), 9u);
  EXPECT_EQ(histogram.max(), 9u);
}

}  // namespace
}  // namespace lambdacast::base
