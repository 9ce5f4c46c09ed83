// SPDX-License-Identifier: BSD-3-Clause
// The window pace: each receiver says how far it has read each sender, in shared memory of the
// process; a sender stays within a window of the slowest. A benchmark's aid, not a protocol: it
// keeps an open-loop flood from measuring nothing but the receivers' overruns.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/cacheline.h"

namespace lambdacast::bench {

class Credit {
 public:
  // receivers[s]: the nodes that hear sender s.
  Credit(uint32_t nodes, uint64_t window) : nodes_(nodes), window_(window), rows_(nodes) {
    for (Row& row : rows_) row.taken = std::vector<Cell>(nodes);
  }

  // Receiver: packets up to and including this one of `sender` have left its ring.
  void taken(uint32_t receiver, uint32_t sender, uint64_t count) {
    rows_[receiver].taken[sender].value.store(count, std::memory_order_release);
  }

  // Sender: how many packets it may have sent in all by now.
  [[nodiscard]] uint64_t limit(uint32_t sender) const {
    uint64_t slowest = ~uint64_t{0};
    for (uint32_t receiver = 0; receiver < nodes_; ++receiver) {
      if (receiver == sender) continue;
      slowest =
          std::min(slowest, rows_[receiver].taken[sender].value.load(std::memory_order_acquire));
    }
    return slowest == ~uint64_t{0} ? slowest : slowest + window_;
  }

  [[nodiscard]] uint64_t window() const { return window_; }

 private:
  // Written by one receiver, read by one sender: a line pair each.
  struct alignas(base::kCacheLinePairBytes) Cell {
    std::atomic<uint64_t> value{0};
  };
  struct Row {
    std::vector<Cell> taken;
  };
  uint32_t nodes_;
  uint64_t window_;
  std::vector<Row> rows_;
};

}  // namespace lambdacast::bench
