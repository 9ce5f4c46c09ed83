// SPDX-License-Identifier: BSD-3-Clause
// The mbufs that a work queue holds, in the order in which they were posted: a device completes
// them in that order, or is closed and gives none back. One writer; its length is read by others.
#pragma once

#include <rte_mbuf.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

namespace lambdacast::net_verbs {

class Ring {
 public:
  explicit Ring(uint32_t slots) : mask_(std::bit_ceil(slots) - 1), depth_(slots) {
    mbufs_ = std::make_unique<rte_mbuf*[]>(mask_ + 1);
  }
  ~Ring() { release(posted()); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  [[nodiscard]] uint32_t depth() const { return depth_; }
  // How many have been posted, and given back, since it was made.
  [[nodiscard]] uint64_t posted() const { return posted_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t done() const { return done_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint32_t room() const { return depth_ - static_cast<uint32_t>(posted() - done()); }
  [[nodiscard]] bool empty() const { return posted() == done(); }

  // room() is not 0. Null: a request that holds no mbuf.
  void push(rte_mbuf* m) {
    mbufs_[posted() & mask_] = m;
    posted_.store(posted() + 1, std::memory_order_relaxed);
  }
  // The ring must not be empty.
  rte_mbuf* pop() {
    rte_mbuf* const m = mbufs_[done() & mask_];
    done_.store(done() + 1, std::memory_order_relaxed);
    return m;
  }
  // Frees all up to the one posted as number `end` (the first is number 1).
  void release(uint64_t end) {
    while (done() < end) {
      if (rte_mbuf* const m = pop(); m != nullptr) rte_pktmbuf_free_seg(m);
    }
  }

 private:
  uint32_t mask_;
  uint32_t depth_;
  std::atomic<uint64_t> posted_{0};
  std::atomic<uint64_t> done_{0};
  std::unique_ptr<rte_mbuf*[]> mbufs_;
};

}  // namespace lambdacast::net_verbs
