// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/packet_trace.h"

#include <rte_cycles.h>

#include <algorithm>

#include "dpdk/packet.h"

namespace lambdacast::dpdk {
namespace {

using node::Passage;
using node::StageId;

// The first that a stage sees of a packet: if it is followed already, that was another one in the
// same mbuf.
bool is_birth(StageId stage, Passage what) {
  return stage == StageId::kReceive || (stage == StageId::kApplication && what == Passage::kOn);
}

// The port has a packet that was sent, and gives it back to the pool.
bool is_end(StageId stage, Passage what) {
  return what == Passage::kTaken || what == Passage::kDropped || stage == StageId::kRateControl;
}

}  // namespace

std::atomic<PacketTrace*> PacketTrace::active_{nullptr};

PacketTrace::PacketTrace(StageId from, const rte_mempool* pool, size_t packets)
    : from_(from),
      pool_(pool),
      packets_(std::min(packets, kMostPackets)),
      followed_(std::make_unique<Followed[]>(packets_)) {}

bool PacketTrace::begins_here(StageId stage, Passage what) const {
  if (stage != from_ || begun_.load(std::memory_order_relaxed) >= packets_) return false;
  return stage != StageId::kApplication || what == Passage::kOn;
}

void PacketTrace::begin(rte_mbuf* packet) {
  if (pool_ != nullptr && packet->pool != pool_) return;
  const size_t at = begun_.fetch_add(1, std::memory_order_relaxed);
  if (at >= packets_) return;
  Followed& followed = followed_[at];
  const node::PacketInfo& info = info_of(packet);
  followed.pool = packet->pool;
  followed.frame_seq = from_ == StageId::kApplication ? 0 : info.frame_seq;
  followed.group = info.group;
  followed.bytes = info.payload_bytes;
  followed.mbuf.store(packet, std::memory_order_release);
}

void PacketTrace::add(Followed& followed, const Step& step) {
  const uint32_t count = followed.count.load(std::memory_order_relaxed);
  const bool ends = is_end(step.stage, step.what) || count + 1 == kMostSteps;
  followed.steps[count] = step;
  followed.count.store(count + 1, std::memory_order_release);
  if (!ends) return;
  followed.mbuf.store(nullptr, std::memory_order_release);
  followed.ended.store(true, std::memory_order_release);
}

void PacketTrace::note(StageId stage, rte_mbuf* const* packets, uint32_t count, Passage what,
                       counters::DropReason reason) {
  const Step step{rte_rdtsc(), stage, what, reason};
  const size_t known = std::min(begun_.load(std::memory_order_acquire), packets_);
  for (uint32_t i = 0; i < count; ++i) {
    bool found = false;
    for (size_t k = 0; k < known; ++k) {
      Followed& followed = followed_[k];
      if (followed.mbuf.load(std::memory_order_acquire) != packets[i]) continue;
      if (is_birth(stage, what) && followed.count.load(std::memory_order_relaxed) != 0) {
        followed.mbuf.store(nullptr, std::memory_order_release);
        followed.ended.store(true, std::memory_order_release);
        continue;
      }
      add(followed, step);
      found = true;
    }
    if (found || !begins_here(stage, what)) continue;
    begin(packets[i]);
    const size_t last = std::min(begun_.load(std::memory_order_acquire), packets_);
    for (size_t k = known; k < last; ++k) {
      if (followed_[k].mbuf.load(std::memory_order_acquire) == packets[i]) add(followed_[k], step);
    }
  }
}

std::vector<PacketTrace::Life> PacketTrace::lives() const {
  std::vector<Life> lives;
  const size_t known = std::min(begun_.load(std::memory_order_acquire), packets_);
  for (size_t k = 0; k < known; ++k) {
    const Followed& followed = followed_[k];
    const uint32_t count = followed.count.load(std::memory_order_acquire);
    if (count == 0) continue;
    lives.push_back({followed.pool,
                     followed.frame_seq,
                     followed.group,
                     followed.bytes,
                     {followed.steps.begin(), followed.steps.begin() + count},
                     followed.ended.load(std::memory_order_acquire)});
  }
  return lives;
}

}  // namespace lambdacast::dpdk
