// SPDX-License-Identifier: BSD-3-Clause
// Protection domains and memory regions: what a key allows. Keys are checked when a message is
// gathered or scattered, as a device's DMA engine would.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <vector>

namespace lambdacast::verbs {

struct ProtectionDomain : ibv_pd {
  uint32_t users = 0;  // regions, queue pairs and address handles in it
};

struct MemoryRegion : ibv_mr {
  uint64_t iova = 0;  // what a program's `addr` counts from
  unsigned int access = 0;
};

inline constexpr uint32_t kMaxRegions = 1u << 16;

// Keys to regions. A key is an index and, in its low byte, a generation: that of a region which was
// deregistered is not soon valid again.
class KeyTable {
 public:
  // Sets lkey and rkey. False: kMaxRegions are registered.
  [[nodiscard]] bool add(MemoryRegion& region);
  void remove(const MemoryRegion& region);

  // Where bytes [address, address + bytes) of the region with that key are; null if there is no
  // such key, it is another domain's, they reach beyond it, or it may not be written and should be.
  [[nodiscard]] uint8_t* resolve(uint32_t lkey, const ibv_pd* pd, uint64_t address, uint64_t bytes,
                                 bool writes) const;

 private:
  struct Entry {
    const MemoryRegion* region = nullptr;
    uint8_t generation = 0;
  };
  std::vector<Entry> entries_;
  std::vector<uint32_t> free_;
};

}  // namespace lambdacast::verbs
