// SPDX-License-Identifier: BSD-3-Clause
// A token bucket in integers: so many units a second, so many at once. The unit is the caller's
// (packets or bytes) and stays the same for one pacer.
//
// Exact: credit is kept in billionths of a unit, so no rate drifts. In any interval of t ns at most
// burst + rate * (t + 1) / 1e9 units are allowed, and a caller that comes at every deadline and
// spends its allowance gets that many. One that comes later loses what exceeds the burst: choose a
// burst of at least what a loop of the caller earns.
//
// Usage, once a burst:  n = min(wanted, pacer.allowance(now_ns)); send n; pacer.spend(n).
// Unlimited (units_per_second = 0) is the default and costs one compare in each call.
// Not thread-safe: one lcore owns it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lambdacast::rate_control {

struct PacerConfig {
  uint64_t units_per_second = 0;  // 0: unlimited; at most 2^40
  uint64_t burst_units = 1;       // allowance after a pause; 1 .. 2^32 (0 counts as 1)
};

// That rate with bursts of at most `most_units`, and of no more than the rate brings in 10 ms: a
// sender of two messages a second says them one at a time, also at its start.
[[nodiscard]] constexpr PacerConfig smooth(uint64_t units_per_second, uint64_t most_units) {
  return {units_per_second, std::clamp<uint64_t>(units_per_second / 100, 1, most_units)};
}

class Pacer {
 public:
  static constexpr uint64_t kUnlimited = ~uint64_t{0};
  static constexpr uint64_t kMaxUnitsPerSecond = uint64_t{1} << 40;
  static constexpr uint64_t kMaxBurstUnits = uint64_t{1} << 32;

  explicit Pacer(PacerConfig config = {}) { apply(config); }

  // Whole units that may go now; kUnlimited without a limit. The clock starts at the first call
  // with a full burst. A clock that steps back earns nothing and is otherwise ignored.
  [[nodiscard]] uint64_t allowance(uint64_t now_ns) {
    if (rate_ == 0) return kUnlimited;
    refill(now_ns);
    if (credit_ < kBillion) return 0;
    return std::min(static_cast<uint64_t>(credit_) / kBillion, burst_);
  }

  // Units that went. More than the allowance is a debt, paid before anything more may go (a
  // packet larger than the bytes left, for instance). At most 2^32 units a call.
  void spend(uint64_t units) {
    if (rate_ == 0) return;
    const int64_t debt_floor = -kMaxCredit;
    const auto cost = static_cast<int64_t>(std::min(units, kMaxBurstUnits)) * kBillion;
    credit_ = std::max(credit_ - cost, debt_floor);
  }

  // The earliest time at which allowance() is at least 1; 0 if that is now (or there is no limit).
  [[nodiscard]] uint64_t next_deadline_ns() const {
    if (rate_ == 0 || !running_ || credit_ >= kBillion) return 0;
    const auto lacking = static_cast<uint64_t>(kBillion - credit_);
    return last_ns_ + (lacking + rate_ - 1) / rate_;
  }

  // A new rate from now on. Credit earned at the old rate is kept up to the new burst; so is debt.
  void set_rate(PacerConfig config, uint64_t now_ns) {
    if (rate_ != 0) refill(now_ns);
    const int64_t kept = credit_;
    const bool was_limited = rate_ != 0 && running_;
    apply(config);
    if (was_limited) credit_ = std::min(kept, cap_);
    last_ns_ = now_ns;
    running_ = true;
  }

  [[nodiscard]] bool unlimited() const { return rate_ == 0; }
  [[nodiscard]] uint64_t units_per_second() const { return rate_; }

 private:
  static constexpr int64_t kBillion = 1'000'000'000;
  static constexpr int64_t kMaxCredit = static_cast<int64_t>(kMaxBurstUnits) * kBillion;

  void apply(PacerConfig config) {
    rate_ = std::min(config.units_per_second, kMaxUnitsPerSecond);
    burst_ = std::clamp<uint64_t>(config.burst_units, 1, kMaxBurstUnits);
    credit_ = static_cast<int64_t>(burst_) * kBillion;
    // Deadlines are whole nanoseconds: what the last one earned too much must not be cut off.
    cap_ = credit_ + static_cast<int64_t>(rate_);
  }

  void refill(uint64_t now_ns) {
    if (!running_) {
      running_ = true;
      last_ns_ = now_ns;
      return;
    }
    if (now_ns <= last_ns_) return;
    const __int128 earned = static_cast<__int128>(now_ns - last_ns_) * rate_;
    last_ns_ = now_ns;
    credit_ = earned >= cap_ - credit_ ? cap_ : credit_ + static_cast<int64_t>(earned);
  }

  uint64_t rate_ = 0;   // units a second = billionths of a unit a nanosecond
  int64_t credit_ = 0;  // billionths of a unit; negative: debt
  uint64_t burst_ = 1;  // units
  int64_t cap_ = 0;     // billionths: the burst, and one nanosecond's earnings
  uint64_t last_ns_ = 0;
  bool running_ = false;
};

}  // namespace lambdacast::rate_control
