// SPDX-License-Identifier: BSD-3-Clause
// FastCast's Figures 6, 7 and 8 (FastCast 2013, section 4) in virtual time: the stages that ship
// beside LCR and Ring Paxos on one fabric. Their shapes and ratios are compared, no absolutes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lambdacast::sim_program {

struct FiguresOptions {
  int figure = 6;
  std::vector<uint32_t> nodes = {2, 3, 4, 5, 6, 7, 8};  // of figures 6 and 8
  std::vector<uint64_t> loads_mbps = {100, 200, 300, 400, 500, 600, 700, 800, 900, 1'000};  // of 7
  uint32_t message_bytes = 10'000;
  uint64_t line_mbps = 942;
  uint64_t latency_us = 20;
  uint64_t measure_ms = 100;
  std::string plot;  // a file, empty for none
  std::string json;  // a file, "-" for standard output, empty for none
  uint64_t seed = 1;
};

// Prints a row for each number of nodes, or for each load. Returns an exit code: failed if a shape
// is not the paper's.
[[nodiscard]] int run_figures(const FiguresOptions& options);

}  // namespace lambdacast::sim_program
