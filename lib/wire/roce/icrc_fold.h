// SPDX-License-Identifier: BSD-3-Clause
// The ICRC by carry-less multiplication, 16 bytes at a time, masks and seed included: one pass over
// the packet where it lies, no copy of its head and one reduction. For short packets it takes half
// the time of two calls of a CRC library.
#pragma once

#include <span>

#include "wire/roce/icrc.h"

namespace lambdacast::wire {

// Those that this processor can do: none without PCLMULQDQ.
[[nodiscard]] std::span<const IcrcMethod> folding_methods();

}  // namespace lambdacast::wire
