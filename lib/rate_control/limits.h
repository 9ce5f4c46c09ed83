// SPDX-License-Identifier: BSD-3-Clause
// The rate an endpoint may send at, and the reason why it is no higher. A policy decides it, and
// the buckets of the rate_control stage hold to it.
#pragma once

#include <cstdint>

#include "rate_control/max_min.h"

namespace lambdacast::rate_control {

enum class LimitedBy : uint8_t {
  kNothing,
  kLine,
  kLimit,     // as configured
  kNeed,      // it has no need of more
  kReceiver,  // that is full: `whom`
  kSettling,  // a member, `whom`, has not acknowledged the last event yet
  kNewcomer,  // it does not know the others' needs yet
  kOutside,   // in no view, or alone in one
  kLease,     // no quorum of its view has been heard for long
  kPause,     // it did not run, and what it hears may be old
  kWindow,    // of what may be under way to the slowest receiver
};

struct Limits {
  static constexpr uint16_t kNobody = 0xffff;

  uint64_t bits_per_second = kUnlimitedBps;  // of all that it transmits
  uint64_t control_bps = 0;  // of control beside that; kUnlimitedBps: control costs nothing
  uint64_t burst_bytes = 0;  // on the wire, at once
  LimitedBy limited_by = LimitedBy::kNothing;
  uint16_t whom = kNobody;  // the rank of a member

  [[nodiscard]] bool unlimited() const { return bits_per_second == kUnlimitedBps; }
  bool operator==(const Limits&) const = default;
};

}  // namespace lambdacast::rate_control
