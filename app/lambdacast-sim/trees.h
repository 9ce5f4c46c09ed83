// SPDX-License-Identifier: BSD-3-Clause
// Headers of multicast groups in a data centre, and whom a failure affects.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lambdacast::sim_program {

struct TreesOptions {
  std::string graph;
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
  int jobs = 0;      // threads; 0: one a core
  std::string json;  // a file, "-" for standard output, empty for none
  std::string svg;   // a folder, empty for none
};

// Prints the mean bytes of a header by scheme, the spanner's stretch, and how many groups a failure
// would affect. Returns an exit code: failed if a header was found not to say its tree.
[[nodiscard]] int run_trees(const TreesOptions& options);

}  // namespace lambdacast::sim_program
