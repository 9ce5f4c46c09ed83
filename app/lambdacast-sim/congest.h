// SPDX-License-Identifier: BSD-3-Clause
// Algorithms of message passing on fabrics of switches: how long they take in round trips of a
// link, and how many messages a switch sends, by each synchroniser and at each loss.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/fabrics/congest_schemes.h"

namespace lambdacast::sim_program {

struct CongestOptions {
  std::vector<std::string> graphs = {"fat-tree:8"};
  std::vector<std::string> algorithms = {"all"};
  std::vector<std::string> syncs = {"beta"};
  std::string transport = "stored";  // or window
  std::vector<double> losses = {1e-4};
  sim::fabrics::Model model = sim::fabrics::Model::kA;
  uint64_t budget_bps = 100'000'000;
  uint64_t propagation_ns = 500;
  uint64_t check_ns = 100;
  unsigned window = 4;
  uint64_t timeout_ns = 0;  // 0: 3 (2 frame times + 2 propagations)
  sim::fabrics::CongestInputs inputs;
  uint64_t seeds = 20;
  uint64_t first_seed = 1;
  uint64_t small = 0;  // instead: so many small random runs
  bool each = false;   // in JSON: the runs of a row, one by one
  int jobs = 0;        // threads; 0: one a core
  std::string json;    // a file, "-" for standard output, empty for none
  std::string svg;     // a folder, empty for none
  std::string resume;  // a file that keeps finished rows, empty for none
  bool trace = false;  // each frame of one row with one seed
};

// Prints a row for each graph, algorithm, synchroniser and loss. Returns an exit code: failed if a
// result is not that of rounds without a network, or a checker objects.
[[nodiscard]] int run_congest(const CongestOptions& options);

}  // namespace lambdacast::sim_program
