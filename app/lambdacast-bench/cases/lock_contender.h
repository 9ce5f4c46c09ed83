// SPDX-License-Identifier: BSD-3-Clause
// Waits for the one lock of a group that all nodes of a benchmark have joined. One node gets it
// first; the others ask for it when they are told of that, and wait in a queue. When the holder
// stops, whoever waited longest gets it.
#pragma once

#include <atomic>
#include <cstdint>

#include "dpdk/clock.h"
#include "group/handlers.h"
#include "rack/endpoint.h"

namespace lambdacast::bench {

class LockContender final : private group::Handlers {
 public:
  // Both outlive it. Lives on the lcore of the endpoint's application.
  LockContender(rack::Endpoint& endpoint, bool first, const dpdk::TscClock& clock)
      : endpoint_(endpoint), first_(first), clock_(clock) {}

  // Once a poll, behind the deliveries.
  void poll() {
    if (asked_) return;
    dpdk::Groups& groups = *endpoint_.named_groups();
    if (!joined_) joined_ = groups.join(kGroup, *this) == group::Result::kOk;
    if (member_ && (first_ || held_))
      asked_ = groups.acquire(kGroup, kLock, false) == group::Result::kOk;
  }

  // From any thread. Has the lock, or waits for it behind its holder.
  [[nodiscard]] bool contends() const { return contends_.load(std::memory_order_acquire); }
  // By the rack's clock, when it was told that it has the lock; 0: it has it not.
  [[nodiscard]] uint64_t held_since_ns() const {
    return held_since_ns_.load(std::memory_order_acquire);
  }

 private:
  static constexpr const char* kGroup = "failover";
  static constexpr uint32_t kLock = 0;

  void delivered(const group::Delivery&, std::span<const uint8_t>) override {}
  void view(const group::GroupView&) override { member_ = true; }
  void handler(const group::HandlerEvent& event) override {
    using What = group::HandlerEvent::What;
    held_ = event.what != What::kFreed;
    held_since_ns_.store(held_ && event.own ? clock_.now_ns() : 0, std::memory_order_release);
    if (event.what == What::kQueued || event.own) contends_.store(true, std::memory_order_release);
  }

  rack::Endpoint& endpoint_;
  const bool first_;
  const dpdk::TscClock& clock_;
  bool joined_ = false;
  bool member_ = false;
  bool held_ = false;   // by anybody
  bool asked_ = false;  // for it
  std::atomic<bool> contends_{false};
  std::atomic<uint64_t> held_since_ns_{0};
};

}  // namespace lambdacast::bench
