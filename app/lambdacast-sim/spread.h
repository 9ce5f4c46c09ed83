// SPDX-License-Identifier: BSD-3-Clause
// Mean and quantiles of the runs of a row.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace lambdacast::sim_program {

struct Spread {
  double mean = 0, p50 = 0, p99 = 0;
};

[[nodiscard]] inline Spread spread(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](double part) {
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<size_t>(std::ceil(part * last))];
  };
  return {std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()),
          at(0.5), at(0.99)};
}

// The spread of the values `of(run)` of all runs.
template <typename Runs, typename Of>
[[nodiscard]] Spread spread_of(const Runs& runs, Of of) {
  std::vector<double> values;
  for (const auto& run : runs) values.push_back(static_cast<double>(of(run)));
  return spread(std::move(values));
}

}  // namespace lambdacast::sim_program
