// SPDX-License-Identifier: BSD-3-Clause
// Scenarios drawn from a seed: every fault there is, absent as often as present.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "sim/multicast/scenario.h"

namespace lambdacast::sim {

// 2 to 8 nodes, up to 64 in one seed of a hundred; sequences often just below 2^24, 2^32 or 2^63.
[[nodiscard]] Scenario random_scenario(uint64_t seed);

// Seeds from here on draw the same scenarios with messages of several packets, which have to be put
// together under loss and short of time. random_views.h has the numbers below.
inline constexpr uint64_t kPartsSeeds = uint64_t{1} << 34;

[[nodiscard]] Scenario random_parts_scenario(uint64_t seed);

// Adds messages of several packets at all levels of service that the scenario has.
void add_long_messages(Scenario& scenario, base::SplitMix64& random);

}  // namespace lambdacast::sim
