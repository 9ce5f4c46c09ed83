// SPDX-License-Identifier: BSD-3-Clause
// The settings of what an endpoint may send. Rates are bits a second on the wire
// (base/wire_bytes.h); times are in nanoseconds of the endpoint's own clock.
#pragma once

#include <algorithm>
#include <cstdint>

#include "wire/control/rate_message.h"

namespace lambdacast::rate_control {

enum class Policy : uint8_t {
  kNone,    // line and limit
  kFixed,   // the limit, which it has
  kFair,    // a share of the receivers, agreed with the members of the view
  kWindow,  // what the slowest receiver is heard to take (window.h)
  kAuto,    // kFair with membership, and kNone without: chosen before a node is made
};

struct RateConfig {
  Policy policy = Policy::kAuto;
  uint64_t need_bps = 0;         // 0: as measured
  uint64_t limit_bps = 0;        // under any policy; 0: none
  uint64_t capacity_bps = 0;     // that it takes in all; 0: no limit
  uint64_t each_bps = 0;         // that it takes of one transmitter; 0: no limit
  uint64_t line_bps = 0;         // that its port transmits; 0: no limit
  uint32_t reserve_percent = 3;  // of the capacity, kept for control and for those outside the view
  uint64_t outside_bps = 0;      // without a share; 0: a part of the reserve
  uint64_t burst_ns = 10'000;    // of the share, sent at once
  uint64_t demand_ns = 10'000'000;  // of one measurement of the need
  uint64_t buffer_bytes = 0;        // that may wait in front of it; 0: not known
};

// A part of a rate, in percent, down to whole bits a second.
[[nodiscard]] constexpr uint64_t percent_of(uint64_t bps, uint64_t part) {
  return bps / 100 * part + bps % 100 * part / 100;
}
// A capacity less its reserve, and no less than a member can announce; 0: no limit.
[[nodiscard]] constexpr uint64_t without_reserve(uint64_t bps, uint64_t reserve_percent) {
  return bps == 0 ? 0 : std::max(percent_of(bps, 100 - reserve_percent), wire::kLeastBps);
}
// The rate at which it receives all streams together, less its reserve; 0: no limit.
[[nodiscard]] constexpr uint64_t room_bps(const RateConfig& config) {
  return without_reserve(config.capacity_bps, config.reserve_percent);
}

}  // namespace lambdacast::rate_control
