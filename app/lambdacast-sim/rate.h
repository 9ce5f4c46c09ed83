// SPDX-License-Identifier: BSD-3-Clause
// The tables of doc/benchmarks.md: what agreeing on rates takes and gives in virtual time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lambdacast::sim_program {

struct RateOptions {
  std::vector<size_t> nodes = {3, 4, 8, 16, 32, 64};
  uint64_t latency_ns = 5'000;
  uint64_t ack_ns = 5'000;
  uint64_t raises = 16;
  uint64_t plateau_ms = 200;
  std::string json;  // a file, "-" for standard output, empty for none
  uint64_t seed = 1;
};

// Prints a row for each number of nodes, at rest and under load, and one for each plateau of
// FastCast's Figure 5. Returns an exit code: failed if a bound was exceeded.
[[nodiscard]] int run_rate(const RateOptions& options);

}  // namespace lambdacast::sim_program
