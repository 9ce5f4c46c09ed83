// SPDX-License-Identifier: BSD-3-Clause
// Graphs of switches by name, and their figures.
#pragma once

#include <cstdint>
#include <string>

namespace lambdacast::sim_program {

struct GraphOptions {
  std::string graph;
  uint64_t seed = 1;  // of a graph that is drawn
  std::string json;   // a file, "-" for standard output, empty for none
};

// Prints nodes, links, diameter and degree. Returns an exit code.
[[nodiscard]] int run_graph(const GraphOptions& options);

}  // namespace lambdacast::sim_program
