// SPDX-License-Identifier: BSD-3-Clause
// Messages of a fixed size from one thread to one other, in place and bounded: neither side waits,
// locks or allocates. Producer: fill begin() and push(). Consumer: take(), or read front() and
// pop().
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "base/cacheline.h"

namespace lambdacast::base {

template <typename T, size_t kSlots>
class Mailbox {
  static_assert((kSlots & (kSlots - 1)) == 0, "a power of two");

 public:
  Mailbox() : slots_(std::make_unique<T[]>(kSlots)) {}

  // Producer only. Null: the box is full.
  [[nodiscard]] T* begin() {
    const size_t pushed = pushed_.load(std::memory_order_relaxed);
    if (pushed - popped_.load(std::memory_order_acquire) == kSlots) return nullptr;
    return &slots_[pushed % kSlots];
  }
  void push() {
    pushed_.store(pushed_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  // Consumer only. The oldest message, out of the box; nothing: it is empty.
  [[nodiscard]] std::optional<T> take() {
    T* const oldest = front();
    if (oldest == nullptr) return std::nullopt;
    std::optional<T> message(std::move(*oldest));
    pop();
    return message;
  }
  // The same in two steps. Null: the box is empty.
  [[nodiscard]] T* front() {
    const size_t popped = popped_.load(std::memory_order_relaxed);
    if (pushed_.load(std::memory_order_acquire) == popped) return nullptr;
    return &slots_[popped % kSlots];
  }
  void pop() {
    popped_.store(popped_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

 private:
  std::unique_ptr<T[]> slots_;
  alignas(kCacheLinePairBytes) std::atomic<size_t> pushed_{0};  // the producer's
  alignas(kCacheLinePairBytes) std::atomic<size_t> popped_{0};  // the consumer's
};

}  // namespace lambdacast::base
