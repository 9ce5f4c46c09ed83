// SPDX-License-Identifier: BSD-3-Clause
#include "histogram_file.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

namespace lambdacast::bench {
namespace {

// Lines each time the distance to 100 % has halved, as HdrHistogram's default.
constexpr double kLinesPerHalfDistance = 5;

double next_level(double level) {
  const double halvings = std::floor(std::log2(1 / (1 - level))) + 1;
  return level + 1 / (kLinesPerHalfDistance * std::exp2(halvings));
}

std::string line_of(double value, double level, uint64_t seen) {
  return level < 1 ? fmt::format("{:12.3f} {:2.12f} {:10} {:14.2f}\n", value, level, seen,
                                 1 / (1 - level))
                   : fmt::format("{:12.3f} {:2.12f} {:10}\n", value, level, seen);
}

}  // namespace

std::string hgrm_of(const base::Histogram& histogram, double unit) {
  std::string text = fmt::format("{:>12} {:>14} {:>10} {:>14}\n\n", "Value", "Percentile",
                                 "TotalCount", "1/(1-Percentile)");
  const auto total = static_cast<double>(histogram.count());
  uint64_t seen = 0;
  double level = 0;
  histogram.for_each([&](const base::Histogram::Bucket& bucket) {
    seen += bucket.count;
    const double reached = static_cast<double>(seen) / total;
    const auto value = static_cast<double>(std::min(bucket.highest, histogram.max())) / unit;
    for (; level <= reached && level < 1 && seen < histogram.count(); level = next_level(level)) {
      text += line_of(value, level, seen);
    }
  });
  text += line_of(static_cast<double>(histogram.max()) / unit, 1, histogram.count());
  text += fmt::format("#[Mean    = {:12.3f}, StdDeviation   = {:12.3f}]\n", histogram.mean() / unit,
                      histogram.standard_deviation() / unit);
  text += fmt::format("#[Max     = {:12.3f}, Total count    = {:12}]\n",
                      static_cast<double>(histogram.max()) / unit, histogram.count());
  return text + fmt::format("#[Buckets = {:12}, SubBuckets     = {:12}]\n",
                            65 - base::Histogram::kPrecisionBits,
                            1u << base::Histogram::kPrecisionBits);
}

std::string beside(const std::string& file, const std::string& what) {
  std::filesystem::path path(file);
  const std::string extension = path.extension().string();
  return path.replace_extension(what + extension).string();
}

}  // namespace lambdacast::bench
