// SPDX-License-Identifier: BSD-3-Clause
// The newest runs of first-time losses of one stream, each told in several statuses so that a lost
// one does no harm. The sender learns from them who missed what, and so where it was lost, whoever
// asked for it. Bounded: with more runs than places the oldest are told no more (and stay counted).
#pragma once

#include <array>
#include <cstdint>

#include "wire/control/control.h"

namespace lambdacast::reliability {

class LossRuns {
 public:
  static constexpr uint8_t kTellings = 3;

  void add(uint64_t first, uint64_t count) {
    losses_ += count;
    Run& run = runs_[next_++ % runs_.size()];
    if (run.tellings != 0) ++tellings_dropped_;
    run = {{first, static_cast<uint32_t>(count)}, kTellings};
  }

  // Into a status; counts it as told.
  void tell(wire::StatusEntry& entry) {
    entry.first_losses = losses_;
    entry.runs = 0;
    for (Run& run : runs_) {
      if (run.tellings == 0) continue;
      --run.tellings;
      entry.run[entry.runs++] = run.run;
    }
  }
  [[nodiscard]] bool pending() const {
    for (const Run& run : runs_) {
      if (run.tellings != 0) return true;
    }
    return false;
  }
  [[nodiscard]] uint64_t losses() const { return losses_; }
  [[nodiscard]] uint64_t tellings_dropped() const { return tellings_dropped_; }

 private:
  struct Run {
    wire::LossRun run;
    uint8_t tellings = 0;
  };
  std::array<Run, wire::kMaxLossRuns> runs_{};
  uint64_t next_ = 0;
  uint64_t losses_ = 0;
  uint64_t tellings_dropped_ = 0;
};

}  // namespace lambdacast::reliability
