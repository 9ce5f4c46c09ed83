// SPDX-License-Identifier: BSD-3-Clause
// The incarnation number of an endpoint.
#pragma once

#include <cstdint>

namespace lambdacast::rack {

// Differs at every start and grows with time: peers hear a newer number at once, and an older one,
// of a clock that was set back, when the one before has been silent for suspect_after. Units
// of 2^26 ns (67 ms) since 1970, of which 2^31 are four and a half years.
[[nodiscard]] uint32_t incarnation_now();
// The number of the incarnation that follows `last`.
[[nodiscard]] uint32_t incarnation_after(uint32_t last);

}  // namespace lambdacast::rack
