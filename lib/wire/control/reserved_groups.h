// SPDX-License-Identifier: BSD-3-Clause
// The groups that belong to the protocol, each number once. No application sends to them, and
// configurations refuse them.
#pragma once

#include <cstdint>

namespace lambdacast::wire {

inline constexpr uint32_t kMarksGroup = 0xffffffff;      // control/view_control.h
inline constexpr uint32_t kDirectoryGroup = 0xfffffffe;  // control/group_message.h
inline constexpr uint32_t kPassGroup = 0xfffffffd;       // control/pass.h
inline constexpr uint32_t kRateGroup = 0xfffffffc;       // control/rate_message.h
inline constexpr uint32_t kFindGroup = 0xfffffffb;       // control/request.h

// Do its packets say what comes next?
[[nodiscard]] constexpr bool is_order_group(uint32_t group) {
  return group == kMarksGroup || group == kPassGroup;
}

}  // namespace lambdacast::wire
