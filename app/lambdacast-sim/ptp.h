// SPDX-License-Identifier: BSD-3-Clause
// The decisions of IEEE 1588's best master clock algorithm on a graph of switches, which can be
// laid beside those of another implementation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lambdacast::sim_program {

struct PtpOptions {
  std::string graph;
  uint64_t seed = 1;              // of a graph that is drawn, and of the run
  uint32_t best = 0;              // the switch with the best clock
  std::vector<uint32_t> failing;  // switches, once there are trees
  std::string json;               // a file, "-" for standard output, empty for none
};

// Prints each switch's grandmaster, its steps from it, and the states of its ports. Returns an exit
// code: failed if these make no trees.
[[nodiscard]] int run_ptp(const PtpOptions& options);

}  // namespace lambdacast::sim_program
