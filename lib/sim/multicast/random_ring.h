// SPDX-License-Identifier: BSD-3-Clause
// Random scenarios with a token ring, in the numbers from kRingSeeds on: one of random_views.h, by
// turns plain, with groups that have names and with long messages, whose domains are the ring's or,
// each other time, half of them a sequencer's. Neighbours on the ring crash at once, and a member
// is paused, while passes go.
#pragma once

#include <cstdint>

#include "sim/multicast/scenario.h"

namespace lambdacast::sim {

inline constexpr uint64_t kRingSeeds = uint64_t{7} << 32;
inline constexpr uint64_t kRingSeedsEnd = uint64_t{8} << 32;

[[nodiscard]] Scenario random_ring_scenario(uint64_t seed);

}  // namespace lambdacast::sim
