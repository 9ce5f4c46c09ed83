// SPDX-License-Identifier: BSD-3-Clause
// The table of doc/benchmarks.md: repair in virtual time against its bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lambdacast::sim_program {

struct RepairOptions {
  std::vector<size_t> nodes = {4, 8, 16, 32, 64};
  std::vector<double> loss = {0.001, 0.01, 0.05};
  uint64_t messages = 20'000;
  uint64_t seed = 1;
};

// Prints a row for each combination, and for losses at the transmitter. Returns an exit code:
// failed if a bound was exceeded.
[[nodiscard]] int run_repair(const RepairOptions& options);

}  // namespace lambdacast::sim_program
