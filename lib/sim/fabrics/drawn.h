// SPDX-License-Identifier: BSD-3-Clause
// Small graphs and media that a seed draws, for runs that all the checkers look at.
#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"
#include "sim/fabrics/medium.h"

namespace lambdacast::sim::fabrics {

// The name of a graph of 2 ... `most` switches (graphs_spec.h).
[[nodiscard]] std::string draw_graph(base::SplitMix64& random, uint32_t most);
void draw_medium(base::SplitMix64& random, MediumConfig& medium);

}  // namespace lambdacast::sim::fabrics
