// SPDX-License-Identifier: BSD-3-Clause
// Does the application take nothing, so that the links up to the reliability stage are full and
// nobody is heard? Then a peer's silence means nothing, and this node is not silent for all that:
// its statuses go on.
//
// Written by reliability's lcore when it changes; any thread reads it.
#pragma once

#include <atomic>

#include "base/cacheline.h"

namespace lambdacast::node {

class alignas(base::kCacheLinePairBytes) RxBlocked {
 public:
  [[nodiscard]] bool get() const { return blocked_.load(std::memory_order_relaxed); }
  void set(bool blocked) {
    if (blocked != get()) blocked_.store(blocked, std::memory_order_relaxed);
  }

 private:
  std::atomic<bool> blocked_{false};
};

}  // namespace lambdacast::node
