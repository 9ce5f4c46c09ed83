// SPDX-License-Identifier: BSD-3-Clause
// Random scenarios of nodes that agree on their rates, in the numbers from kRateSeeds on: a
// scenario of random_views.h whose receivers have capacities and buffers, and whose nodes have
// needs, measured or set, and changing.
#pragma once

#include <cstdint>

#include "sim/multicast/scenario.h"

namespace lambdacast::sim {

inline constexpr uint64_t kRateSeeds = uint64_t{6} << 32;
inline constexpr uint64_t kRateSeedsEnd = uint64_t{7} << 32;

[[nodiscard]] Scenario random_rate_scenario(uint64_t seed);

}  // namespace lambdacast::sim
