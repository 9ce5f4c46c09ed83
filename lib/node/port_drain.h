// SPDX-License-Identifier: BSD-3-Clause
// Tells whether everything has been judged that waited in the port when rate_control asked last.
// The port has no such frame when none waits there any more, or when as many were taken as it
// holds, for under overload it is never empty. A short burst alone does not say so: a port may hold
// frames back, as the embedded fabric does for a delay or a receive rate. What was taken then waits
// between receive and reliability, in order.
//
// rate_control's lcore asks, and receive's answers.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

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
  // `judged`: frames that reliability has judged so far.
  [[nodiscard]] bool drained(uint64_t judged) const {
    return answered_.load(std::memory_order_acquire) == asked_.load(std::memory_order_relaxed) &&
           judged >= forwarded_.load(std::memory_order_relaxed);
  }

  // --- receive's lcore --------------------------------------------------------------------------
  // The port gave so many frames, and receive has handed on so many to reliability in all.
  // `empty()` says whether none waits in the port now; only a question that is not answered yet
  // calls it.
  template <typename Empty>
  void polled(uint32_t frames, uint64_t forwarded, Empty&& empty) {
    const uint32_t asked = asked_.load(std::memory_order_acquire);
    if (asked == answered_.load(std::memory_order_relaxed)) [[likely]]
      return;
    if (std::exchange(counts_for_, asked) != asked) taken_ = 0;
    taken_ += frames;
    if (taken_ < holds_ && !empty()) return;
    forwarded_.store(forwarded, std::memory_order_relaxed);
    answered_.store(asked, std::memory_order_release);
  }

 private:
  std::atomic<uint32_t> asked_{0};
  std::atomic<uint32_t> answered_{0};
  std::atomic<uint64_t> forwarded_{0};  // when receive answered
  uint32_t counts_for_ = 0;             // the question that taken_ is about; receive's
  uint32_t taken_ = 0;                  // since that question; receive's
  const uint32_t holds_;
};

}  // namespace lambdacast::node
