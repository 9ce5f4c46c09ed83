// SPDX-License-Identifier: BSD-3-Clause
// What `lambdacast-bench failover` found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "failover_options.h"

namespace lambdacast::bench {

struct FailoverReport {
  // Of each run: from when polling stopped to the first delivery in the new view at the last of the
  // survivors to have one.
  std::vector<uint64_t> standstill_ns;
  std::vector<uint64_t> view_ns;  // likewise until the last of them was told of that view
  uint64_t runs = 0;
  uint64_t measured = 0;
  // Of the runs: a view ended before any node was stopped, or without a survivor. Timers too short
  // for this machine: nothing is measured.
  uint64_t disturbed = 0;
  uint64_t stuck = 0;         // no new view, or no delivery in it, within the patience
  uint64_t published = 0;     // by survivors
  uint64_t missing = 0;       // deliveries of these at survivors
  uint64_t wrong = 0;         // content
  uint64_t out_of_order = 0;  // of their sender
  uint64_t gaps = 0;          // packets declared lost at survivors
  uint64_t different = 0;     // runs in which survivors delivered in different orders

  [[nodiscard]] bool sound() const {
    return measured != 0 && stuck + missing + wrong + out_of_order + gaps + different == 0;
  }
  // The least that so large a share of the runs does not exceed; exact, for a millisecond matters
  // beside a suspicion of many. 0: nothing was measured.
  [[nodiscard]] static uint64_t value_at(std::vector<uint64_t> samples, double share);
  [[nodiscard]] uint64_t standstill_at(double share) const {
    return value_at(standstill_ns, share);
  }
  // The median beyond the time of suspicion.
  [[nodiscard]] int64_t suspect_plus_ns(const FailoverOptions& options) const {
    return static_cast<int64_t>(standstill_at(0.5)) - int64_t{options.suspect_after_us} * 1000;
  }
};

[[nodiscard]] std::string text_of(const FailoverReport& report, const FailoverOptions& options);
[[nodiscard]] std::string json_of(const FailoverReport& report, const FailoverOptions& options);

}  // namespace lambdacast::bench
