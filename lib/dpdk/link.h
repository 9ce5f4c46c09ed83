// SPDX-License-Identifier: BSD-3-Clause
// A bounded single-producer single-consumer queue between two stages. A full link stops its
// producer's pull (room()); nothing is dropped in between.
#pragma once

#include <rte_mbuf.h>
#include <rte_ring.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace lambdacast::dpdk {

class Link {
 public:
  // slots: a power of two; all of them are usable.
  [[nodiscard]] static base::Result<Link> create(const std::string& name, uint32_t slots);

  // Producer only. Everything given must fit room().
  void push(rte_mbuf* const* packets, uint32_t count) {
    rte_ring_sp_enqueue_bulk(ring_.get(), reinterpret_cast<void* const*>(packets), count, nullptr);
  }
  // Producer only: what push() would take now. The consumer can only make it more.
  [[nodiscard]] uint32_t room() const { return rte_ring_free_count(ring_.get()); }

  // Consumer only: up to `count` packets.
  [[nodiscard]] uint32_t pull(rte_mbuf** packets, uint32_t count) {
    return rte_ring_sc_dequeue_burst(ring_.get(), reinterpret_cast<void**>(packets), count,
                                     nullptr);
  }

  [[nodiscard]] bool empty() const { return rte_ring_empty(ring_.get()) != 0; }
  [[nodiscard]] uint32_t size() const { return rte_ring_count(ring_.get()); }

 private:
  // Packets still inside go back to their pools.
  struct Drain {
    void operator()(rte_ring* ring) const;
  };
  explicit Link(rte_ring* ring) : ring_(ring) {}
  std::unique_ptr<rte_ring, Drain> ring_;
};

}  // namespace lambdacast::dpdk
