// SPDX-License-Identifier: BSD-3-Clause
// Memory for messages of very different lengths, in blocks of a power of two that split and merge
// (the buddy system; Knuth, The Art of Computer Programming 1, 2.5): contiguous, bounded, without
// fragmentation that grows, and a few list steps a block. Half of a block may be wasted at most.
//
// Not thread-safe. Free blocks keep their list links in themselves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lambdacast::ordering {

class BuddyArena {
 public:
  static constexpr size_t kMinBlockBytes = 1024;

  // `memory`: a power of two of bytes, kMinBlockBytes to 2^40, aligned for uint32_t; the caller's,
  // and it outlives this. It is written only where blocks are split or given out.
  explicit BuddyArena(std::span<uint8_t> memory);

  // A block of at least `bytes`; null if there is none.
  [[nodiscard]] uint8_t* allocate(size_t bytes);
  // A block that allocate() gave.
  void release(uint8_t* block);

  [[nodiscard]] size_t free_bytes() const { return free_bytes_; }
  [[nodiscard]] size_t total_bytes() const { return memory_.size(); }
  [[nodiscard]] static size_t block_bytes(size_t bytes);  // what allocate(bytes) takes

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr uint8_t kFree = 0x80;
  static constexpr uint8_t kOrderMask = 0x3f;
  static constexpr size_t kMaxOrders = 31;

  struct Links {  // at the start of a free block
    uint32_t next;
    uint32_t previous;
  };

  // Blocks are named by their first unit of kMinBlockBytes.
  [[nodiscard]] uint8_t* at(uint32_t unit) const { return &memory_[unit * kMinBlockBytes]; }
  [[nodiscard]] Links links(uint32_t unit) const;
  void set_links(uint32_t unit, Links links);
  void push(uint32_t unit, size_t order);
  void unlink(uint32_t unit, size_t order);

  std::span<uint8_t> memory_;
  size_t orders_;
  std::vector<uint8_t> state_;  // of each unit: order of the block it begins, with kFree
  std::array<uint32_t, kMaxOrders> heads_;
  size_t free_bytes_ = 0;
};

}  // namespace lambdacast::ordering
