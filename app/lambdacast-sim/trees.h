// SPDX-License-Identifier: BSD-3-Clause
// Headers of multicast groups in a data centre, whom a failure affects, and how fast switches mend
// the trees.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/fabrics/medium.h"

namespace lambdacast::sim_program {

// With `failures` or `small` repairs are measured, and no headers.
struct MendingOptions {
  std::vector<uint32_t> failures;
  std::string failing = "switch";  // or link
  std::vector<std::string> schemes = {"published", "ours"};
  std::vector<std::string> with;  // improvements, beside those of the scheme
  std::vector<std::string> without;
  bool ablation = false;
  std::vector<uint64_t> budgets_bps = {100'000'000};
  sim::fabrics::Model model = sim::fabrics::Model::kA;
  double loss = 1e-4;
  uint64_t interval_us = 100;
  uint32_t probes = 0;  // 0: by the target for false recoveries
  uint64_t seeds = 20;
  uint64_t first_seed = 1;
  uint64_t small = 0;  // so many small random runs
  double bin_us = 0;   // of the series in JSON; 0: none
  std::string resume;  // a file that keeps finished rows, empty for none
  bool trace = false;  // each frame of one row with one seed
};

struct TreesOptions {
  std::string graph;                 // empty with `mending.small` alone
  std::vector<std::string> schemes;  // empty: all
  uint64_t groups = 10'000;
  uint64_t seed = 1;
  double mean_size = 0;  // VMs a group; 0: a hundredth of the switches
  uint32_t vms_per_rack = 12;
  uint32_t spanner_k = 3;
  bool turn_on_spanner = false;
  uint32_t elmo_redundancy = 0;
  double orca_false_positives = 0.01;
  bool check = false;
  MendingOptions mending;
  int jobs = 0;      // threads; 0: one a core
  std::string json;  // a file, "-" for standard output, empty for none
  std::string svg;   // a folder, empty for none
};

// Prints the mean bytes of a header by scheme, the spanner's stretch, and how many groups a failure
// would affect. Returns an exit code: failed if a header was found not to say its tree.
[[nodiscard]] int run_trees(const TreesOptions& options);

// The part of run_trees() that mends trees.
[[nodiscard]] int run_mending(const TreesOptions& options);

}  // namespace lambdacast::sim_program
