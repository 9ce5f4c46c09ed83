// SPDX-License-Identifier: BSD-3-Clause
#include "memory.h"

namespace lambdacast::verbs {

bool KeyTable::add(MemoryRegion& region) {
  if (free_.empty()) {
    if (entries_.size() == kMaxRegions) return false;
    free_.push_back(static_cast<uint32_t>(entries_.size()));
    entries_.emplace_back();
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  Entry& entry = entries_[index];
  entry.region = &region;
  // From 1 on: no key is 0, which is what a program has that forgot to set one.
  region.lkey = region.rkey = (index + 1) << 8 | ++entry.generation;
  return true;
}

void KeyTable::remove(const MemoryRegion& region) {
  const uint32_t index = (region.lkey >> 8) - 1;
  entries_[index].region = nullptr;
  free_.push_back(index);
}

uint8_t* KeyTable::resolve(uint32_t lkey, const ibv_pd* pd, uint64_t address, uint64_t bytes,
                           bool writes) const {
  const uint64_t index = uint64_t{lkey >> 8} - 1;
  if (index >= entries_.size()) return nullptr;
  const MemoryRegion* region = entries_[index].region;
  if (region == nullptr || region->lkey != lkey || region->pd != pd) return nullptr;
  if (writes && (region->access & IBV_ACCESS_LOCAL_WRITE) == 0) return nullptr;
  const uint64_t offset = address - region->iova;
  if (address < region->iova || offset > region->length || bytes > region->length - offset) {
    return nullptr;
  }
  return static_cast<uint8_t*>(region->addr) + offset;
}

}  // namespace lambdacast::verbs
