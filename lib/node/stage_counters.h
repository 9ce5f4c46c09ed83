// SPDX-License-Identifier: BSD-3-Clause
// What every stage counts.
#pragma once

#include <cstdint>

#include "counters/drop_reason.h"

namespace lambdacast::node {

// The counters of one stage. They have one writer; see counters::DropCounters.
struct StageCounters {
  uint64_t received = 0;
  uint64_t forwarded = 0;
  counters::DropCounters drops;

  // Counts one packet that came in with its outcome, which it returns.
  counters::DropReason count(counters::DropReason outcome) {
    ++received;
    if (outcome == counters::DropReason::kNone) [[likely]] {
      ++forwarded;
    } else {
      drops.add(outcome);
    }
    return outcome;
  }
};

}  // namespace lambdacast::node
