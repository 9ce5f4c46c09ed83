// SPDX-License-Identifier: BSD-3-Clause
// Nanoseconds from the time-stamp counter: what the pure cores are given as now_ns.
#pragma once

#include <rte_cycles.h>

#include <cstdint>

namespace lambdacast::dpdk {

// The counter once every earlier load has its value: a plain rdtsc may run ahead of them, and times
// from one lcore to another then come out negative (Intel SDM vol. 2B, RDTSC).
[[nodiscard]] inline uint64_t fenced_tsc() {
  __builtin_ia32_lfence();
  return rte_rdtsc();
}

// Starts at 0 when constructed; all lcores of a process share one, so their times compare (the
// counter is invariant and synchronised on every machine DPDK runs on).
class TscClock {
 public:
  TscClock() : start_(rte_rdtsc()), scale_(kOne * 1'000'000'000 / rte_get_tsc_hz()) {}

  [[nodiscard]] uint64_t now_ns() const { return to_ns(rte_rdtsc() - start_); }
  [[nodiscard]] uint64_t to_ns(uint64_t ticks) const {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(ticks) * scale_) >> kShift);
  }

 private:
  static constexpr unsigned kShift = 32;
  static constexpr unsigned __int128 kOne = static_cast<unsigned __int128>(1) << kShift;
  uint64_t start_;
  unsigned __int128 scale_;  // nanoseconds a tick, times 2^32
};

}  // namespace lambdacast::dpdk
