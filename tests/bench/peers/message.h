// SPDX-License-Identifier: BSD-3-Clause
// What every peer's messages begin with. Sender and receiver run on one machine, so that one
// monotonic clock serves both.
#pragma once

#include <chrono>
#include <cstdint>

namespace lambdacast::peers {

enum class Kind : uint32_t {
  kWarmUp = 0x57a2,  // not measured: joins, first announcements, caches
  kMeasured = 0x3ea5,
  kEnd = 0xe4d0,  // of the measured ones: `number` says how many were sent
};

struct Header {
  Kind kind = Kind::kWarmUp;
  uint32_t bytes = 0;  // of the whole message
  uint64_t number = 0;
  uint64_t sent_ns = 0;
};

inline constexpr uint32_t kLeastBytes = sizeof(Header);
inline constexpr uint32_t kMostBytes = 1400;  // a datagram each, whatever headers a peer adds

inline uint64_t now_ns() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

}  // namespace lambdacast::peers
