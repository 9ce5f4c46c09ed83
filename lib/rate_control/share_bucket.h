// SPDX-License-Identifier: BSD-3-Clause
// Holds all that an endpoint transmits to its limits, by bytes on the wire. Data and repairs wait
// for the share. Control is paid from a bucket of its own, and beyond that from half of the share,
// into debt, which data pays off: what repairs and ballots need each other for, neither may starve.
// Urgent control does not wait. What can wait, because a later frame
// covers it, has a part of the share, which is smaller while data waits.
//
// Without a limit each call costs one compare. Not thread-safe: the rate_control lcore owns it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rate_control/limits.h"
#include "rate_control/pacer.h"

namespace lambdacast::rate_control {

class ShareBucket {
 public:
  // Credit is cut to the new burst, and debt stays.
  void set(const Limits& limits, uint64_t now_ns) {
    limited_ = !limits.unlimited();
    share_.set_rate(bucket(limits.bits_per_second, limits.burst_bytes), now_ns);
    control_.set_rate(bucket(limits.control_bps, limits.burst_bytes), now_ns);
    has_control_ = limits.control_bps >= 8;
    half_.set_rate(bucket(halved(limits.bits_per_second), limits.burst_bytes), now_ns);
    limits_ = limits;
    set_lazy(now_ns);
  }
  // Does data wait for the share?
  void data_waits(bool waits, uint64_t now_ns) {
    if (waits == data_waits_) return;
    data_waits_ = waits;
    set_lazy(now_ns);
  }

  [[nodiscard]] bool data_waits() const { return data_waits_; }
  [[nodiscard]] bool limited() const { return limited_; }
  // May a frame of data or a repair go? The last one may be in debt. At a rate of 0 none may,
  // whatever was left of the rate before.
  [[nodiscard]] bool allows(uint64_t now_ns) {
    return !limited_ || (limits_.bits_per_second != 0 && share_.allowance(now_ns) != 0);
  }
  // How many frames of at most so many bytes may go, the last of which may be in debt.
  [[nodiscard]] uint64_t frames_allowed(uint64_t longest_bytes, uint64_t now_ns) {
    if (!limited_) return Pacer::kUnlimited;
    const uint64_t credit = limits_.bits_per_second == 0 ? 0 : share_.allowance(now_ns);
    return credit == 0 ? 0 : 1 + (credit - 1) / longest_bytes;
  }
  void spend(uint64_t wire_bytes) {
    if (limited_) share_.spend(wire_bytes);
  }
  void spend_control(uint64_t wire_bytes, uint64_t now_ns) {
    if (!limited_) return;
    const uint64_t own = has_control_ ? std::min(control_.allowance(now_ns), wire_bytes) : 0;
    control_.spend(own);
    const uint64_t paid = std::min(half_.allowance(now_ns), wire_bytes - own);
    half_.spend(paid);
    (void)share_.allowance(now_ns);  // what has been earned comes first
    share_.spend(paid);
  }
  // May control go that can wait?
  [[nodiscard]] bool allows_lazy(uint64_t now_ns) {
    return !limited_ || lazy_.allowance(now_ns) != 0;
  }
  void spend_lazy(uint64_t wire_bytes, uint64_t now_ns) {
    if (!limited_) return;
    lazy_.spend(wire_bytes);
    spend_control(wire_bytes, now_ns);
  }
  [[nodiscard]] uint64_t lazy_deadline_ns() const {
    return limited_ ? lazy_.next_deadline_ns() : 0;
  }
  // When allows() is true; 0: now; ~0: not at this rate.
  [[nodiscard]] uint64_t next_deadline_ns() const {
    if (!limited_) return 0;
    return limits_.bits_per_second == 0 ? ~uint64_t{0} : share_.next_deadline_ns();
  }

 private:
  // A rate of nothing at all would be none to a Pacer: a byte a second is the least.
  [[nodiscard]] static PacerConfig bucket(uint64_t bps, uint64_t burst_bytes) {
    if (bps == kUnlimitedBps) return {};
    return {std::max<uint64_t>(bps / 8, 1), burst_bytes};
  }

  [[nodiscard]] static uint64_t halved(uint64_t bps) {
    return bps == kUnlimitedBps ? bps : bps / 2;
  }
  void set_lazy(uint64_t now_ns) {
    constexpr uint64_t kIdlePart = 8;  // of the share, where no data waits for it
    constexpr uint64_t kBusyPart = 64;
    if (!limited_) return;
    const uint64_t part = limits_.bits_per_second / (data_waits_ ? kBusyPart : kIdlePart);
    const bool free = limits_.control_bps == kUnlimitedBps;
    lazy_.set_rate(bucket(free ? kUnlimitedBps : limits_.control_bps + part, kLazyBurstBytes),
                   now_ns);
  }

  static constexpr uint64_t kLazyBurstBytes = 2'000;  // some eight frames

  bool limited_ = false;
  bool has_control_ = false;
  bool data_waits_ = false;
  Limits limits_;
  Pacer share_;    // bytes on the wire
  Pacer control_;  // the same
  Pacer half_;     // of the share, that control may use
  Pacer lazy_;     // the same
};

}  // namespace lambdacast::rate_control
