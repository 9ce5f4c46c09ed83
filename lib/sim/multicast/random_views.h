// SPDX-License-Identifier: BSD-3-Clause
// Random scenarios with views and total order, in the numbers from kViewSeeds on: a scenario of
// random_scenario.h, with ordered levels in its traffic, and with more that happens to views: two
// nodes at once, the fabric in two parts, returns of those excluded.
#pragma once

#include <cstdint>

#include "sim/multicast/scenario.h"

namespace lambdacast::sim {

inline constexpr uint64_t kViewSeeds = uint64_t{1} << 32;

[[nodiscard]] Scenario random_view_scenario(uint64_t seed);

// Seeds from here on draw the same scenarios, with groups that have names besides.
inline constexpr uint64_t kGroupSeeds = uint64_t{1} << 33;

[[nodiscard]] Scenario random_group_scenario(uint64_t seed);

// The same, and the applications use the groups' locks.
inline constexpr uint64_t kHandlerSeeds = uint64_t{8} << 32;
// From here on applications also ask for locks of a group that is suspended with one member.
inline constexpr uint64_t kSuspendedSeeds = kHandlerSeeds + (uint64_t{1} << 31);
inline constexpr uint64_t kHandlerSeedsEnd = uint64_t{9} << 32;

[[nodiscard]] Scenario random_handler_scenario(uint64_t seed);

// Seeds from here on draw scenarios with ordered messages of several packets.
inline constexpr uint64_t kLongSeeds = uint64_t{3} << 32;

[[nodiscard]] Scenario random_long_scenario(uint64_t seed);

// Seeds from here on, behind those of random_scenario.h, draw them with such messages of all
// levels.
inline constexpr uint64_t kViewPartsSeeds = uint64_t{5} << 32;

[[nodiscard]] Scenario random_view_parts_scenario(uint64_t seed);

// Seeds from here on draw the scenarios of kViewSeeds, half of them with groups that have names, on
// a fabric that knows for certain whose lives have ended. It tells some nodes at once, others late
// or not at all; and more lives end, and others of the same nodes begin at once.
inline constexpr uint64_t kDeathSeeds = uint64_t{11} << 32;

[[nodiscard]] Scenario random_death_scenario(uint64_t seed);

}  // namespace lambdacast::sim
