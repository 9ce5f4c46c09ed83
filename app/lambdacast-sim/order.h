// SPDX-License-Identifier: BSD-3-Clause
// The table of doc/benchmarks.md: latency of the levels of service in virtual time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace lambdacast::sim_program {

struct OrderOptions {
  std::vector<size_t> nodes = {3, 4, 5, 6, 7, 8};
  uint32_t path_mtu = 1'024;  // RoCE payload, bytes
  uint64_t messages = 1'000;
  uint64_t latency_ns = 5'000;
  uint64_t ack_ns = 5'000;
  uint64_t seed = 1;
  std::string order = "sequencer";  // or "ring", "mixed"
  uint64_t false_views_s = 0;       // instead: does one view last as long, with suspect_us?
  uint64_t suspect_us = 800;
};

// Prints a row for each level and number of nodes. Returns an exit code: failed if a bound was
// exceeded.
[[nodiscard]] int run_order(const OrderOptions& options);

}  // namespace lambdacast::sim_program
