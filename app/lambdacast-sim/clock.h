// SPDX-License-Identifier: BSD-3-Clause
// Trees of clocks over fabrics of switches: how fast each scheme mends them, and how far two clocks
// may be apart meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/fabrics/medium.h"

namespace lambdacast::sim_program {

struct ClockOptions {
  std::vector<std::string> graphs = {"fat-tree:8"};
  std::vector<std::string> schemes = {"published", "ours"};
  std::vector<uint64_t> budgets_bps = {100'000'000};
  std::vector<uint32_t> failures = {1};
  std::string failing = "switch";  // or link
  sim::fabrics::Model model = sim::fabrics::Model::kA;
  double loss = 1e-4;
  uint64_t propagation_ns = 500;
  uint64_t interval_us = 100;
  double drift_ppm = 200;
  double base_ns = 5;
  double candidates = 0;  // 0: 4, and 2 at 10 Mb/s and below
  uint32_t probes = 0;    // 0: by the target for false recoveries
  double slack_us = 2;
  std::vector<std::string> with;  // improvements, beside those of the scheme
  std::vector<std::string> without;
  bool ablation = false;
  uint64_t seeds = 20;
  uint64_t first_seed = 1;
  uint64_t small = 0;    // instead: so many small random runs
  int jobs = 0;          // threads; 0: one a core
  uint64_t calm_ms = 0;  // before the first failure; 0: ten intervals
  double bin_us = 0;     // of the series in JSON; 0: none
  std::string json;      // a file, "-" for standard output, empty for none
  std::string svg;       // a folder, empty for none
  std::string resume;    // a file that keeps finished rows, empty for none
  bool trace = false;    // each frame of one row with one seed
};

// Prints a row for each graph, scheme, budget and number of failures. Returns an exit code: failed
// if a checker objects.
[[nodiscard]] int run_clock(const ClockOptions& options);

}  // namespace lambdacast::sim_program
