// SPDX-License-Identifier: BSD-3-Clause
// Surroundings of nodes whose stages run on threads of their own, without DPDK: what the data path
// has from rte_ring, rte_mempool and a port, in a few lines that ThreadSanitizer understands.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "base/cacheline.h"
#include "node/env.h"
#include "wire/roce/build.h"

namespace lambdacast::node {

// A bounded ring of one producer and one consumer. Either end may ask for its size at any time.
template <typename T>
class SpscRing {
 public:
  explicit SpscRing(uint32_t slots) : state_(std::make_unique<State>(slots)) {}

  void push(const T* items, uint32_t count) {
    State& state = *state_;
    const uint32_t end = state.end.load(std::memory_order_relaxed);
    for (uint32_t i = 0; i < count; ++i) state.items[(end + i) % state.items.size()] = items[i];
    state.end.store(end + count, std::memory_order_release);
  }
  [[nodiscard]] uint32_t pull(T* items, uint32_t count) {
    State& state = *state_;
    const uint32_t begin = state.begin.load(std::memory_order_relaxed);
    count = std::min(count, state.end.load(std::memory_order_acquire) - begin);
    for (uint32_t i = 0; i < count; ++i)
      items[i] = std::move(state.items[(begin + i) % state.items.size()]);
    state.begin.store(begin + count, std::memory_order_release);
    return count;
  }
  [[nodiscard]] uint32_t size() const {
    const uint32_t begin = state_->begin.load(std::memory_order_acquire);
    const uint32_t size = state_->end.load(std::memory_order_acquire) - begin;
    return std::min(size, static_cast<uint32_t>(state_->items.size()));
  }
  [[nodiscard]] uint32_t room() const {
    return static_cast<uint32_t>(state_->items.size()) - size();
  }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] bool moved_from() const { return state_ == nullptr; }

 private:
  struct State {
    explicit State(uint32_t slots) : items(slots) {}
    std::vector<T> items;  // a power of two
    alignas(base::kCacheLinePairBytes) std::atomic<uint32_t> begin{0};
    alignas(base::kCacheLinePairBytes) std::atomic<uint32_t> end{0};
  };
  std::unique_ptr<State> state_;
};

struct ThreadPacket {
  PacketInfo info;
  std::atomic<uint32_t> references;
  uint32_t length;
  bool kept;
  uint8_t bytes[wire::kMaxFrameBytes];
};

// Any thread.
class ThreadPool {
 public:
  explicit ThreadPool(size_t packets) : packets_(std::make_unique<ThreadPacket[]>(packets)) {
    for (size_t i = 0; i < packets; ++i) free_.push_back(&packets_[i]);
  }
  [[nodiscard]] ThreadPacket* allocate() {
    ThreadPacket* packet = nullptr;
    return allocate(&packet, 1) ? packet : nullptr;
  }
  [[nodiscard]] bool allocate(ThreadPacket** packets, uint32_t count) {
    const std::lock_guard lock(mutex_);
    if (free_.size() < count) return false;
    for (uint32_t i = 0; i < count; ++i) {
      packets[i] = free_.back();
      free_.pop_back();
      packets[i]->references.store(1, std::memory_order_relaxed);
      packets[i]->kept = false;
    }
    return true;
  }
  void free(ThreadPacket* packet) {
    if (packet->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const std::lock_guard lock(mutex_);
    free_.push_back(packet);
  }
  void free(ThreadPacket** packets, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) free(packets[i]);
  }
  void free_plain(ThreadPacket** packets, uint32_t count) { free(packets, count); }
  void add_reference(ThreadPacket* packet) {
    packet->references.fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] bool shared(const ThreadPacket* packet) const {
    return packet->references.load(std::memory_order_acquire) != 1;
  }
  [[nodiscard]] bool can_keep() const { return true; }
  void keep(ThreadPacket* packet) { packet->kept = true; }
  [[nodiscard]] bool kept(const ThreadPacket* packet) const { return packet->kept; }
  void share(ThreadPacket* packet) {
    packet->kept = false;
    add_reference(packet);
  }
  [[nodiscard]] size_t free_packets() {
    const std::lock_guard lock(mutex_);
    return free_.size();
  }

 private:
  std::unique_ptr<ThreadPacket[]> packets_;
  std::mutex mutex_;
  std::vector<ThreadPacket*> free_;
};

// A fibre from one node to the other.
using Fibre = SpscRing<std::vector<uint8_t>>;

class ThreadReceiver {
 public:
  ThreadReceiver(ThreadPool& pool, Fibre& from) : pool_(pool), from_(from) {}
  [[nodiscard]] uint32_t receive(ThreadPacket** packets, uint32_t wanted) {
    wanted = std::min(wanted, from_.size());
    if (wanted == 0 || !pool_.allocate(packets, wanted)) return 0;
    for (uint32_t i = 0; i < wanted; ++i) {
      std::vector<uint8_t> frame;
      (void)from_.pull(&frame, 1);
      packets[i]->length = static_cast<uint32_t>(frame.size());
      std::memcpy(packets[i]->bytes, frame.data(), frame.size());
    }
    return wanted;
  }
  [[nodiscard]] uint32_t waiting() const { return from_.size(); }

 private:
  ThreadPool& pool_;
  Fibre& from_;
};

// Takes what the fibre has room for, and loses one frame of `one_lost_in`.
class ThreadTransmitter {
 public:
  ThreadTransmitter(ThreadPool& pool, Fibre& to, uint64_t one_lost_in)
      : pool_(pool), to_(to), one_lost_in_(one_lost_in) {}
  [[nodiscard]] uint32_t transmit(ThreadPacket** packets, uint32_t count) {
    count = std::min(count, to_.room());
    for (uint32_t i = 0; i < count; ++i) {
      const std::vector<uint8_t> frame(packets[i]->bytes, packets[i]->bytes + packets[i]->length);
      if (++sent_ % one_lost_in_ != 0) to_.push(&frame, 1);
      if (!packets[i]->kept) pool_.free(packets[i]);
    }
    return count;
  }
  void reclaim() {}

 private:
  ThreadPool& pool_;
  Fibre& to_;
  const uint64_t one_lost_in_;
  uint64_t sent_ = 0;
};

// A link between two stages. What is left in it at the end goes back to the pool.
class ThreadQueue : public SpscRing<ThreadPacket*> {
 public:
  ThreadQueue(ThreadPool& pool, uint32_t slots) : SpscRing(slots), pool_(&pool) {}
  ThreadQueue(ThreadQueue&&) = default;
  ThreadQueue& operator=(ThreadQueue&&) = delete;
  ~ThreadQueue() {
    if (moved_from()) return;
    for (ThreadPacket* packet = nullptr; pull(&packet, 1) == 1;) pool_->free(packet);
  }

 private:
  ThreadPool* pool_;
};

struct ThreadEnv {
  using Packet = ThreadPacket*;
  using Packets = ThreadPool;
  using Queue = ThreadQueue;
  struct HandleQueue {
    void push(uint16_t handle) { ring.push(&handle, 1); }
    [[nodiscard]] bool pull(uint16_t& handle) { return ring.pull(&handle, 1) == 1; }
    SpscRing<uint16_t> ring;
  };
  using Receiver = ThreadReceiver;
  using Transmitter = ThreadTransmitter;

  [[nodiscard]] static PacketInfo& info(ThreadPacket* packet) { return packet->info; }
  [[nodiscard]] static uint8_t* frame(ThreadPacket* packet) { return packet->bytes; }
  [[nodiscard]] static size_t length(const ThreadPacket* packet) { return packet->length; }
  static void set_length(ThreadPacket* packet, size_t bytes) {
    packet->length = static_cast<uint32_t>(bytes);
  }
  [[nodiscard]] static base::PacketHandle handle(ThreadPacket* packet) {
    return static_cast<base::PacketHandle>(reinterpret_cast<uintptr_t>(packet));
  }
  [[nodiscard]] static ThreadPacket* packet(base::PacketHandle handle) {
    return reinterpret_cast<ThreadPacket*>(static_cast<uintptr_t>(handle));
  }
  static void prefetch(ThreadPacket*) {}
  static void judged(StageId, ThreadPacket*, counters::DropReason) {}
  static void passed(StageId, ThreadPacket* const*, uint32_t, Passage, counters::DropReason) {}

  [[nodiscard]] base::Result<Queue> make_queue(LinkId, uint32_t slots) {
    return Queue(packets, slots);
  }
  [[nodiscard]] base::Result<HandleQueue> make_handle_queue(uint32_t slots) {
    return HandleQueue{SpscRing<uint16_t>(slots)};
  }

  ThreadPool& packets;
  ThreadReceiver& receiver;
  ThreadTransmitter& transmitter;
};

static_assert(Environment<ThreadEnv>);

}  // namespace lambdacast::node
