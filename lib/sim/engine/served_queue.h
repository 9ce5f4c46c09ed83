// SPDX-License-Identifier: BSD-3-Clause
// A queue that is served at a rate. Exact: bits of a billionth of a second.
#pragma once

#include <cstdint>

namespace lambdacast::sim {

class ServedQueue {
 public:
  explicit ServedQueue(uint64_t bps) : bps_(bps) {}
  // A frame comes; returns the bytes that wait behind it. Times ascend.
  uint64_t offer(uint64_t at_ns, uint64_t bytes) {
    constexpr uint64_t kNsPerSecond = 1'000'000'000;
    const unsigned __int128 served = static_cast<unsigned __int128>(at_ns - last_ns_) * bps_;
    waiting_ = served >= waiting_ ? 0 : waiting_ - served;
    last_ns_ = at_ns;
    waiting_ += static_cast<unsigned __int128>(bytes) * 8 * kNsPerSecond;
    return static_cast<uint64_t>(waiting_ / 8 / kNsPerSecond);
  }

 private:
  const uint64_t bps_;
  unsigned __int128 waiting_ = 0;
  uint64_t last_ns_ = 0;
};

}  // namespace lambdacast::sim
