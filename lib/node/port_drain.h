// SPDX-License-Identifier: BSD-3-Clause
// Tells whether everything has been taken that waited in the port when rate_control asked: no frame
// waits there any more, or as many were taken as it holds, for under overload it is never empty. An
// empty burst alone does not say so: a port may hold frames back, as the embedded fabric does for a
// delay or a receive rate.
//
// rate_control's lcore asks, and receive's answers.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cacheline.h"

namespace lambdacast::node {

class alignas(base::kCacheLinePairBytes) PortDrain {
 public:
  // `holds`: frames that may wait in the port.
  explicit PortDrain(uint32_t holds) : holds_(holds) {}

  // --- rate_control's lcore ---------------------------------------------------------------------
  void ask() {
    asked_.store(asked_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  [[nodiscard]] bool drained() const {
    return answered_.load(std::memory_order_acquire) == asked_.load(std::memory_order_relaxed);
  }

  // --- receive's lcore --------------------------------------------------------------------------
  // The port gave so many frames. `empty()` says whether none waits there now; only a question that
  // is not answered yet calls it.
  template <typename Empty>
  void polled(uint32_t frames, Empty&& empty) {
    const uint32_t asked = asked_.load(std::memory_order_acquire);
    if (asked == answered_.load(std::memory_order_relaxed)) [[likely]]
      return;
    taken_ += frames;
    if (taken_ < holds_ && !empty()) return;
    taken_ = 0;
    answered_.store(asked, std::memory_order_release);
  }

 private:
  std::atomic<uint32_t> asked_{0};
  std::atomic<uint32_t> answered_{0};
  uint32_t taken_ = 0;  // since the question; receive's
  const uint32_t holds_;
};

}  // namespace lambdacast::node
