// SPDX-License-Identifier: BSD-3-Clause
// The table of doc/benchmarks.md: how long locks and calls take, in virtual time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lambdacast::sim_program {

struct CallsOptions {
  std::vector<size_t> nodes = {4, 5, 6, 7, 8};
  uint64_t calls = 200;
  uint64_t latency_ns = 5'000;
  uint64_t ack_ns = 5'000;
  uint64_t seed = 1;
  std::string order = "sequencer";  // or "ring"
};

// The options refer to `calls`.
CLI::App* add_calls(CLI::App& cli, CallsOptions& calls);

// Prints a row for each number of nodes. Returns an exit code: failed if a bound was exceeded.
[[nodiscard]] int run_calls(const CallsOptions& options);

}  // namespace lambdacast::sim_program
