// SPDX-License-Identifier: BSD-3-Clause
// A sender's side of the window pace (credit.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/counter.h"
#include "credit.h"

namespace lambdacast::bench {

class Window {
 public:
  // A window that has been closed for timeout_ns counts as lost and the sender goes on: otherwise a
  // receiver that lost every packet of a window would end the run.
  static constexpr uint64_t kTimeoutNs = 100'000'000;

  Window(const Credit& credit, uint32_t sender) : credit_(credit), sender_(sender) {}

  // How many may go now, after `sent` in all (beyond the limit, perhaps).
  [[nodiscard]] uint64_t allowance(uint64_t sent, uint64_t now_ns) {
    if (sent < limit_) return limit_ - sent;
    limit_ = std::max(credit_.limit(sender_) + forgiven_, limit_);
    if (sent < limit_) {
      closed_since_ns_ = 0;
    } else if (closed_since_ns_ == 0) {
      closed_since_ns_ = now_ns;
    } else if (now_ns - closed_since_ns_ > kTimeoutNs) {
      timeouts_.add(1);
      forgiven_ += credit_.window();
      closed_since_ns_ = 0;
    }
    return sent < limit_ ? limit_ - sent : 0;
  }

  [[nodiscard]] uint64_t timeouts() const { return timeouts_.get(); }  // from any thread

 private:
  const Credit& credit_;
  const uint32_t sender_;
  uint64_t limit_ = 0;     // as last looked at
  uint64_t forgiven_ = 0;  // beyond the credit, by timeouts
  uint64_t closed_since_ns_ = 0;
  base::Counter timeouts_;
};

}  // namespace lambdacast::bench
