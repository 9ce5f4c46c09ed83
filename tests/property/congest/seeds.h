// SPDX-License-Identifier: BSD-3-Clause
// Small cases by seed, of one algorithm each (sim/fabrics/congest_equal.h).
#pragma once

#include <cstdint>
#include <string>

#include "sim/fabrics/congest_equal.h"

namespace lambdacast::congest {

// Empty: no fault in any.
template <typename Algorithm, typename Differs>
std::string first_fault(uint64_t seeds, size_t nodes, Differs differs) {
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const std::string said = sim::fabrics::fault_of<Algorithm>(seed, nodes, differs);
    if (!said.empty()) return "seed " + std::to_string(seed) + ": " + said;
  }
  return {};
}

}  // namespace lambdacast::congest
