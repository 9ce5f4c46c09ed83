// SPDX-License-Identifier: BSD-3-Clause
// How a log (log.h) names lives, locks and grants of locks.
#pragma once

#include <compare>
#include <cstdint>

namespace lambdacast::sim {

inline constexpr uint32_t kNobody = ~uint32_t{0};  // no life

// A lock of a group, and a grant of it: lineage, epoch and place of its token.
struct LockName {
  uint32_t group = 0;  // its number
  uint32_t handler = 0;
  auto operator<=>(const LockName&) const = default;
};
struct LockGrant {
  uint32_t lineage = 0;
  uint64_t epoch = 0;
  uint64_t place = 0;
  auto operator<=>(const LockGrant&) const = default;
};

}  // namespace lambdacast::sim
