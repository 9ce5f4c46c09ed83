// Scenarios drawn from a seed: every fault there is, absent as often as present.
#pragma once

#include <cstdint>

#include "sim/scenario.h"

namespace lambdacast::sim {

// 2 to 8 nodes, up to 64 in one seed of a hundred; sequences often just below 2^24, 2^32 or 2^63.
[[nodiscard]] Scenario random_scenario(uint64_t seed);

}  // namespace lambdacast::sim
