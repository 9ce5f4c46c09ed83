// SPDX-License-Identifier: BSD-3-Clause
// A counter with one writer and any readers. The writer's add compiles to a plain addition; readers
// on other lcores see whole values, a little late.
#pragma once

#include <atomic>
#include <cstdint>

namespace lambdacast::base {

class Counter {
 public:
  void add(uint64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  [[nodiscard]] uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace lambdacast::base
