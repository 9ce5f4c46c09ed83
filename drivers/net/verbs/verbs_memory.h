// SPDX-License-Identifier: BSD-3-Clause
// Memory that a device may read and write: the chunks of mempools, registered once. Lookups are a
// scan of what is a handful of regions as a rule, one most often.
#pragma once

#include <infiniband/verbs.h>
#include <rte_mempool.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"

namespace lambdacast::net_verbs {

class Memory {
 public:
  explicit Memory(ibv_pd* pd) : pd_(pd) {}
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // All memory of the pool. Again and again is once. Control thread, before the data path runs.
  [[nodiscard]] base::Result<void> add(rte_mempool* pool);

  // The key for these bytes, if they are in one region.
  [[nodiscard]] std::optional<uint32_t> key_of(const void* address, size_t bytes) const {
    const auto first = reinterpret_cast<uintptr_t>(address);
    for (const Region& region : regions_) {
      if (first >= region.begin && first + bytes <= region.end) [[likely]]
        return region.key;
    }
    return std::nullopt;
  }
  [[nodiscard]] size_t regions() const { return regions_.size(); }

 private:
  struct Region {
    uintptr_t begin;
    uintptr_t end;
    uint32_t key;
    ibv_mr* mr;
  };
  ibv_pd* pd_;
  std::vector<Region> regions_;
};

}  // namespace lambdacast::net_verbs
