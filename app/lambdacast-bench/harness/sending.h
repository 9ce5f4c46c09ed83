// SPDX-License-Identifier: BSD-3-Clause
// What the benchmarks' senders have in common: packets borrowed to be written in place, and how
// many may go now.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "node/stage.h"
#include "options.h"
#include "rack/endpoint.h"
#include "rate_control/pacer.h"
#include "window.h"

namespace lambdacast::bench {

[[nodiscard]] inline uint32_t burst_of(const rack::Endpoint& endpoint) {
  return std::min(endpoint.config().burst, node::kMaxBurst);
}

// Messages written in place, a packet each.
class Loans {
 public:
  explicit Loans(rack::Endpoint& endpoint) : endpoint_(endpoint), burst_(burst_of(endpoint)) {}
  ~Loans() { give_back(); }
  Loans(const Loans&) = delete;
  Loans& operator=(const Loans&) = delete;

  // Publishes that many at most; returns how many. `write` has each packet once, a burst at a time
  // and ahead of when they go: what does not go now goes next.
  template <typename Write>
  uint32_t publish(uint64_t most, Write&& write) {
    if (count_ == 0) {
      count_ = endpoint_.loan({loans_.data(), burst_});
      for (uint32_t i = 0; i < count_; ++i) write(loans_[i]);
    }
    const auto wanted = static_cast<uint32_t>(std::min<uint64_t>(count_, most));
    const uint32_t published = endpoint_.publish({loans_.data(), wanted});
    std::copy(loans_.begin() + published, loans_.begin() + count_, loans_.begin());
    count_ -= published;
    return published;
  }
  // The same, but only those that go now are written: what is in them is of this moment.
  template <typename Write>
  uint32_t publish_now(uint32_t most, Write&& write) {
    count_ = endpoint_.loan({loans_.data(), std::min(most, burst_)});
    for (uint32_t i = 0; i < count_; ++i) write(loans_[i]);
    const uint32_t published = endpoint_.publish({loans_.data(), count_});
    std::copy(loans_.begin() + published, loans_.begin() + count_, loans_.begin());
    count_ -= published;
    give_back();
    return published;
  }

 private:
  void give_back() {
    endpoint_.give_back({loans_.data(), count_});
    count_ = 0;
  }

  rack::Endpoint& endpoint_;
  const uint32_t burst_;
  std::array<dpdk::Loan, node::kMaxBurst> loans_{};
  uint32_t count_ = 0;
};

// How many may go now: by the window of a credit, or at a rate.
class Throttle {
 public:
  // credit: of the window pace, else null. rate: a second; 0: unlimited.
  Throttle(const Credit* credit, uint32_t sender, uint64_t rate, uint32_t burst)
      : pacer_({rate, burst}) {
    if (credit != nullptr) window_.emplace(*credit, sender);
  }

  // sent: in all, in what the credit counts.
  [[nodiscard]] uint64_t allowance(uint64_t sent, uint64_t now_ns) {
    return window_ ? window_->allowance(sent, now_ns) : pacer_.allowance(now_ns);
  }
  void spend(uint64_t count) { pacer_.spend(count); }
  [[nodiscard]] uint64_t timeouts() const { return window_ ? window_->timeouts() : 0; }

 private:
  std::optional<Window> window_;
  rate_control::Pacer pacer_;
};

}  // namespace lambdacast::bench
