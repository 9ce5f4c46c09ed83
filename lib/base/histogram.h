// SPDX-License-Identifier: BSD-3-Clause
// Counts of values by magnitude, for latencies: log-linear buckets as those of HdrHistogram (Gil
// Tene), any 64-bit value, no configuration. Values below 512 are exact; above, a bucket is
// narrower than 1/256 (0.4 %) of the values in it. The least, the greatest and the sum are exact.
// One writer; nobody reads meanwhile. Allocates once, when constructed.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lambdacast::base {

class Histogram {
 public:
  static constexpr unsigned kPrecisionBits = 8;
  static constexpr size_t kBuckets = (size_t{65 - kPrecisionBits} << kPrecisionBits);

  struct Bucket {
    uint64_t lowest = 0;
    uint64_t highest = 0;
    uint64_t count = 0;
  };

  Histogram() : counts_(kBuckets) {}

  void record(uint64_t value) {
    ++counts_[index_of(value)];
    ++count_;
    sum_ += value;
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }

  void add(const Histogram& other) {
    for (size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
  }

  void clear() { *this = Histogram(); }

  [[nodiscard]] uint64_t count() const { return count_; }
  // The least and the greatest value; both are 0 while there are none.
  [[nodiscard]] uint64_t min() const { return count_ == 0 ? 0 : min_; }
  [[nodiscard]] uint64_t max() const { return max_; }
  [[nodiscard]] double mean() const {
    return count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_);
  }
  // The standard deviation, computed from the middles of the buckets.
  [[nodiscard]] double standard_deviation() const {
    double squares = 0;
    for_each([&](const Bucket& bucket) {
      const double middle = static_cast<double>(bucket.lowest) +
                            static_cast<double>(bucket.highest - bucket.lowest) / 2;
      squares += (middle - mean()) * (middle - mean()) * static_cast<double>(bucket.count);
    });
    return count_ == 0 ? 0 : std::sqrt(squares / static_cast<double>(count_));
  }

  // The least value such that at least `quantile` (0..1) of all values are no greater, rounded up
  // to its bucket's highest but never beyond max(). Of no values: 0.
  [[nodiscard]] uint64_t value_at(double quantile) const {
    // 0.99 of 100 values are 99 of them, whatever the product rounds to.
    const double rank = std::ceil(std::nextafter(quantile, 0.0) * static_cast<double>(count_));
    const auto wanted = static_cast<uint64_t>(std::max(rank, 1.0));
    uint64_t seen = 0;
    for (size_t i = 0; i < kBuckets; ++i) {
      seen += counts_[i];
      if (seen >= wanted) return std::min(bucket_at(i).highest, max_);
    }
    return max_;
  }

  // Buckets that are not empty, from the lowest up.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (size_t i = 0; i < kBuckets; ++i) {
      if (counts_[i] != 0) visit(bucket_at(i));
    }
  }

 private:
  static size_t index_of(uint64_t value) {
    const unsigned width = static_cast<unsigned>(std::bit_width(value));
    const unsigned shift = width > kPrecisionBits + 1 ? width - (kPrecisionBits + 1) : 0;
    return (size_t{shift} << kPrecisionBits) + static_cast<size_t>(value >> shift);
  }

  [[nodiscard]] Bucket bucket_at(size_t index) const {
    const size_t octave = index >> kPrecisionBits;
    const size_t shift = octave < 2 ? 0 : octave - 1;
    const uint64_t lowest = uint64_t{index - (shift << kPrecisionBits)} << shift;
    return {lowest, lowest + ((uint64_t{1} << shift) - 1), counts_[index]};
  }

  std::vector<uint64_t> counts_;
  uint64_t count_ = 0;
  unsigned __int128 sum_ = 0;
  uint64_t min_ = ~uint64_t{0};
  uint64_t max_ = 0;
};

}  // namespace lambdacast::base
