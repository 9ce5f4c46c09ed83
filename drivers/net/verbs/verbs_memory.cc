// SPDX-License-Identifier: BSD-3-Clause
#include "verbs_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace lambdacast::net_verbs {
namespace {

using Chunks = std::vector<std::pair<uintptr_t, uintptr_t>>;

// In order, and those that touch are one.
Chunks chunks_of(rte_mempool* pool) {
  Chunks chunks;
  rte_mempool_mem_iter(
      pool,
      [](rte_mempool*, void* list, rte_mempool_memhdr* chunk, unsigned) {
        const auto begin = reinterpret_cast<uintptr_t>(chunk->addr);
        static_cast<Chunks*>(list)->emplace_back(begin, begin + chunk->len);
      },
      &chunks);
  std::sort(chunks.begin(), chunks.end());
  Chunks joined;
  for (const auto& chunk : chunks) {
    if (!joined.empty() && joined.back().second == chunk.first) {
      joined.back().second = chunk.second;
    } else {
      joined.push_back(chunk);
    }
  }
  return joined;
}

}  // namespace

Memory::~Memory() {
  for (const Region& region : regions_) (void)::ibv_dereg_mr(region.mr);
}

base::Result<void> Memory::add(rte_mempool* pool) {
  for (const auto& [begin, end] : chunks_of(pool)) {
    if (key_of(reinterpret_cast<const void*>(begin), end - begin)) continue;
    // An integer: the macro ibv_reg_mr mixes it with flags of another enumeration.
    const int access = IBV_ACCESS_LOCAL_WRITE;
    ibv_mr* const mr = ibv_reg_mr(pd_, reinterpret_cast<void*>(begin), end - begin, access);
    if (mr == nullptr) {
      return base::fail(
          "the " + std::to_string(end - begin) + " bytes of pool " + pool->name +
          " cannot be registered with the device: " + std::strerror(errno) +
          (errno == ENOMEM ? "; let the process lock memory: ulimit -l unlimited" : ""));
    }
    regions_.push_back({begin, end, mr->lkey, mr});
  }
  return {};
}

}  // namespace lambdacast::net_verbs
