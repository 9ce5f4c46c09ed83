// SPDX-License-Identifier: BSD-3-Clause
// What the stages did with a few packets: those that come to one stage next are followed, by the
// mbuf that each is, until they end. While none is followed, the stages pay one branch a burst.
//
// note() is called by any lcore. A packet is with one lcore at a time, so its steps are in order; a
// reader sees those that are complete.
#pragma once

#include <rte_mbuf.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "node/env.h"

namespace lambdacast::dpdk {

class PacketTrace {
 public:
  static constexpr size_t kMostPackets = 64;
  static constexpr size_t kMostSteps = 12;

  struct Step {
    uint64_t tsc = 0;
    node::StageId stage = node::StageId::kReceive;
    node::Passage what = node::Passage::kOn;
    counters::DropReason reason = counters::DropReason::kNone;
  };
  // As its stage knew it when it was first met.
  struct Life {
    const rte_mempool* pool = nullptr;
    uint64_t frame_seq = 0;
    uint32_t group = 0;
    uint32_t bytes = 0;
    std::vector<Step> steps;
    bool ended = false;
  };

  // Follows the next `packets` (kMostPackets at most) that come to `from`; of the pool, if one is
  // given. At kApplication those are meant that it publishes.
  PacketTrace(node::StageId from, const rte_mempool* pool, size_t packets);

  // The trace that stages tell; null: none.
  [[nodiscard]] static PacketTrace* active() { return active_.load(std::memory_order_relaxed); }
  // The one before may be in use until every lcore has begun another loop.
  static void activate(PacketTrace* trace) { active_.store(trace, std::memory_order_release); }

  void note(node::StageId stage, rte_mbuf* const* packets, uint32_t count, node::Passage what,
            counters::DropReason reason);

  // What is known so far.
  [[nodiscard]] std::vector<Life> lives() const;

 private:
  struct Followed {
    std::atomic<const rte_mbuf*> mbuf{nullptr};  // null: not yet, or it has ended
    const rte_mempool* pool = nullptr;
    uint64_t frame_seq = 0;
    uint32_t group = 0;
    uint32_t bytes = 0;
    std::array<Step, kMostSteps> steps;
    std::atomic<uint32_t> count{0};  // of steps that are complete
    std::atomic<bool> ended{false};
  };
  [[nodiscard]] bool begins_here(node::StageId stage, node::Passage what) const;
  void begin(rte_mbuf* packet);
  static void add(Followed& followed, const Step& step);

  static std::atomic<PacketTrace*> active_;

  const node::StageId from_;
  const rte_mempool* const pool_;
  const size_t packets_;
  std::atomic<size_t> begun_{0};
  std::unique_ptr<Followed[]> followed_;
};

}  // namespace lambdacast::dpdk
