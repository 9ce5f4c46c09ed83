// SPDX-License-Identifier: BSD-3-Clause
// Histogram against the sorted list of its values.

#include "base/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace lambdacast::base {
namespace {

TEST(HistogramProperty, random_values__expect_quantiles_of_the_sorted_list_within_the_bound) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    SplitMix64 random(seed);
    Histogram histogram;
    std::vector<uint64_t> values(1 + random.below(3000));
    const uint64_t magnitude = 1 + random.below(63);
    for (uint64_t& value : values) {
      value = random() >> (64 - 1 - random.below(magnitude));
      histogram.record(value);
    }
    std::sort(values.begin(), values.end());
    ASSERT_EQ(histogram.min(), values.front());
    ASSERT_EQ(histogram.max(), values.back());
    // Every rank as the quantile that names it, and the least beyond it.
    for (size_t rank = 1; rank <= values.size(); ++rank) {
      const double quantile = static_cast<double>(rank) / static_cast<double>(values.size());
      const uint64_t wanted = values[rank - 1];
      const uint64_t told = histogram.value_at(quantile);
      ASSERT_GE(told, wanted) << "seed " << seed << " rank " << rank;
      ASSERT_LE(told - wanted, wanted / 256) << "seed " << seed << " rank " << rank;
    }
    uint64_t seen = 0;
    histogram.for_each([&](const Histogram::Bucket& bucket) {
      const auto in_bucket = [&](uint64_t v) { return bucket.lowest <= v && v <= bucket.highest; };
      EXPECT_EQ(static_cast<uint64_t>(std::count_if(values.begin(), values.end(), in_bucket)),
                bucket.count);
      seen += bucket.count;
    });
    ASSERT_EQ(seen, values.size());
  }
}

}  // namespace
}  // namespace lambdacast::base
