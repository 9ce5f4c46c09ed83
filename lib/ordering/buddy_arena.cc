// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/buddy_arena.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lambdacast::ordering {
namespace {

size_t order_of(size_t bytes) {
  const size_t units = (std::max<size_t>(bytes, 1) - 1) / BuddyArena::kMinBlockBytes + 1;
  return static_cast<size_t>(std::bit_width(std::bit_ceil(units)) - 1);
}

}  // namespace

BuddyArena::BuddyArena(std::span<uint8_t> memory)
    : memory_(memory),
      orders_(order_of(memory.size()) + 1),
      state_(memory.size() / kMinBlockBytes, 0) {
  heads_.fill(kNone);
  push(0, orders_ - 1);
  free_bytes_ = memory_.size();
}

size_t BuddyArena::block_bytes(size_t bytes) { return kMinBlockBytes << order_of(bytes); }

uint8_t* BuddyArena::allocate(size_t bytes) {
  const size_t wanted = order_of(bytes);
  size_t order = wanted;
  while (order < orders_ && heads_[order] == kNone) ++order;
  if (order >= orders_) return nullptr;
  const uint32_t unit = heads_[order];
  unlink(unit, order);
  while (order > wanted) {
    --order;
    push(unit + (uint32_t{1} << order), order);
  }
  state_[unit] = static_cast<uint8_t>(wanted);
  free_bytes_ -= kMinBlockBytes << wanted;
  return at(unit);
}

void BuddyArena::release(uint8_t* block) {
  auto unit = static_cast<uint32_t>(static_cast<size_t>(block - memory_.data()) / kMinBlockBytes);
  size_t order = state_[unit] & kOrderMask;
  free_bytes_ += kMinBlockBytes << order;
  for (; order + 1 < orders_; ++order) {
    const uint32_t buddy = unit ^ (uint32_t{1} << order);
    if (state_[buddy] != (kFree | order)) break;
    unlink(buddy, order);
    unit = std::min(unit, buddy);
  }
  push(unit, order);
}

BuddyArena::Links BuddyArena::links(uint32_t unit) const {
  Links result;
  std::memcpy(&result, at(unit), sizeof result);
  return result;
}

void BuddyArena::set_links(uint32_t unit, Links links) {
  std::memcpy(at(unit), &links, sizeof links);
}

void BuddyArena::push(uint32_t unit, size_t order) {
  const uint32_t next = heads_[order];
  set_links(unit, {next, kNone});
  if (next != kNone) set_links(next, {links(next).next, unit});
  heads_[order] = unit;
  state_[unit] = static_cast<uint8_t>(kFree | order);
}

// What begins at the unit is no block any more, until somebody says which.
void BuddyArena::unlink(uint32_t unit, size_t order) {
  const Links gone = links(unit);
  if (gone.previous == kNone) {
    heads_[order] = gone.next;
  } else {
    set_links(gone.previous, {gone.next, links(gone.previous).previous});
  }
  if (gone.next != kNone) set_links(gone.next, {links(gone.next).next, gone.previous});
  state_[unit] = 0;
}

}  // namespace lambdacast::ordering
