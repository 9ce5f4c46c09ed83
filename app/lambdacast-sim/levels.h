// SPDX-License-Identifier: BSD-3-Clause
// The table of doc/benchmarks.md: throughput of the levels of service in virtual time, with a
// sequencer and with a ring. Neither the level nor the number of receivers may change it by much
// (RMP 1996, section 2).
#pragma once

#include <cstdint>
#include <vector>

namespace CLI {
class App;
}

namespace lambdacast::sim_program {

struct LevelsOptions {
  std::vector<uint32_t> nodes = {2, 3, 4, 5, 6, 7, 8};
  uint32_t message_bytes = 10'000;
  uint64_t line_mbps = 942;
  uint64_t latency_us = 20;
  uint64_t measure_ms = 100;
  double loss = 0.05;
  uint64_t seed = 1;
};

// The options refer to `levels`.
CLI::App* add_levels(CLI::App& cli, LevelsOptions& levels);

// Prints a row for each engine and number of nodes. Returns an exit code: failed if a bound was
// missed.
[[nodiscard]] int run_levels(const LevelsOptions& options);

}  // namespace lambdacast::sim_program
