// SPDX-License-Identifier: BSD-3-Clause
// The bytes that a frame occupies on a line.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lambdacast::base {

// The bytes that Ethernet sends around a frame (IEEE 802.3): preamble 8, FCS 4, gap 12. A frame is
// never shorter than 60 bytes without its FCS.
inline constexpr uint32_t kWireOverheadBytes = 24;
inline constexpr uint32_t kShortestFrameBytes = 60;

// `frame_bytes`: without FCS.
[[nodiscard]] constexpr uint32_t wire_bytes(uint32_t frame_bytes) {
  return std::max(frame_bytes, kShortestFrameBytes) + kWireOverheadBytes;
}

}  // namespace lambdacast::base
