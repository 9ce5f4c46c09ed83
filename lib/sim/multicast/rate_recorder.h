// SPDX-License-Identifier: BSD-3-Clause
// Writes into the log what lives send, and may send by their own account, where nodes agree on
// their rates.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/wire_bytes.h"
#include "rate_control/limits.h"
#include "sim/multicast/log.h"

namespace lambdacast::sim {

class RateRecorder {
 public:
  explicit RateRecorder(Log& log) : log_(log) {}

  void transmitted(uint32_t life, size_t frame_bytes, uint64_t now_ns) {
    if (!log_.rates) return;
    log_.wire.push_back({life, base::wire_bytes(static_cast<uint32_t>(frame_bytes)), now_ns});
  }
  // A line for the trace about a change of the limits; empty if there is none.
  std::string allowed(uint32_t life, const rate_control::Limits& limits, uint64_t now_ns) {
    using rate_control::LimitedBy;
    last_.resize(log_.lives.size(), rate_control::Limits{.limited_by = LimitedBy::kPause});
    if (!log_.rates || last_[life] == limits) return {};
    last_[life] = limits;
    const bool shared = limits.limited_by != LimitedBy::kOutside &&
                        limits.limited_by != LimitedBy::kNewcomer &&
                        limits.limited_by != LimitedBy::kLease;
    log_.allowances.push_back({life, now_ns, limits.bits_per_second, shared});
    return " may send " + std::to_string(limits.bits_per_second) + " bit/s" +
           (shared ? "" : " without a share");
  }

 private:
  Log& log_;
  std::vector<rate_control::Limits> last_;  // by life
};

}  // namespace lambdacast::sim
