// SPDX-License-Identifier: BSD-3-Clause
// Says who uses a queue: its lcore for one burst, or the control thread while it makes a queue pair
// anew. An lcore never waits: a burst that finds the queue taken moves nothing.
#pragma once

#include <sched.h>

#include <atomic>

namespace lambdacast::net_verbs {

class Turn {
 public:
  [[nodiscard]] bool try_take() { return !taken_.exchange(true, std::memory_order_acquire); }
  void give_back() { taken_.store(false, std::memory_order_release); }
  // Control thread: a burst is short.
  void take() {
    while (!try_take()) ::sched_yield();
  }

 private:
  std::atomic<bool> taken_{false};
};

}  // namespace lambdacast::net_verbs
