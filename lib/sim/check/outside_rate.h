// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "sim/multicast/log.h"
#include "sim/multicast/scenario.h"

namespace lambdacast::sim {

inline constexpr uint64_t kNoLimit = ~uint64_t{0};  // a rate

// The highest rate that a life may have had without a share, bit/s: a third of a reserve, for all
// at once. kNoLimit: it was in a view in which nobody has a capacity.
[[nodiscard]] uint64_t outside_bps(const Scenario& scenario, const Log& log, uint32_t life);

}  // namespace lambdacast::sim
