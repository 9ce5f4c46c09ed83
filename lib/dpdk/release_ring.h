// SPDX-License-Identifier: BSD-3-Clause
// Handles of reassembled messages on their way back: one producer, one consumer, never full.
#pragma once

#include <rte_ring.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace lambdacast::dpdk {

class ReleaseRing {
 public:
  [[nodiscard]] static base::Result<ReleaseRing> create(const std::string& name, uint32_t slots);
  void push(uint16_t handle) {
    rte_ring_sp_enqueue(ring_.get(), reinterpret_cast<void*>(uintptr_t{handle}));
  }
  [[nodiscard]] bool pull(uint16_t& handle) {
    void* value = nullptr;
    if (rte_ring_sc_dequeue(ring_.get(), &value) != 0) return false;
    handle = static_cast<uint16_t>(reinterpret_cast<uintptr_t>(value));
    return true;
  }

 private:
  struct Free {
    void operator()(rte_ring* ring) const { rte_ring_free(ring); }
  };
  explicit ReleaseRing(rte_ring* ring) : ring_(ring) {}
  std::unique_ptr<rte_ring, Free> ring_;
};

}  // namespace lambdacast::dpdk
