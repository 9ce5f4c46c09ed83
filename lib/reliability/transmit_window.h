// SPDX-License-Identifier: BSD-3-Clause
// The recoverable packets that a sender keeps until they are stable: a ring by position (rel_seq),
// bounded in packets and in bytes.
//
//   released        retained                            not sent yet
//   -----------|----------------------------------|------------------>
//           oldest()                            end() = last sent + 1
//
// Not thread-safe: the lcore of the rate_control stage owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/node_set.h"
#include "base/packet_handle.h"

namespace lambdacast::reliability {

using base::PacketHandle;

class TransmitWindow {
 public:
  // Every packet writes and reads its slot. The set of receivers that missed it is kept apart, and
  // touched only for packets that were missed.
  struct Slot {
    PacketHandle packet = PacketHandle::kNone;
    uint64_t sent_ns = 0;         // first transmission, by the endpoint's clock
    uint64_t sent_uptime_ns = 0;  // first transmission, by its uptime
    uint64_t repaired_ns = 0;     // last retransmission; 0: none
    uint32_t frame_bytes = 0;
    uint16_t asker = 0;       // with `queued`: the peer whose NACK queued it
    uint8_t repairs = 0;      // sent, as far as it counts
    bool queued : 1 = false;  // for repair
    bool missed : 1 = false;  // by at least one receiver: missed_by() says by which
  };

  // packets: a power of two. `last`: the position before the first one.
  TransmitWindow(uint32_t packets, uint64_t bytes, uint64_t last)
      : slots_(packets),
        missed_by_(packets),
        mask_(packets - 1),
        bytes_limit_(bytes),
        oldest_(last + 1),
        end_(last + 1) {}

  // Needs size() < capacity_pkts(). Returns the packet's position.
  uint64_t retain(PacketHandle packet, uint32_t frame_bytes, uint64_t now_ns, uint64_t uptime_ns) {
    slots_[end_ & mask_] = {packet, now_ns, uptime_ns, 0, frame_bytes};
    bytes_ += frame_bytes;
    return end_++;
  }

  // A receiver said that it missed this position at first. Numbers from NodeSet::kCapacity on are
  // left out: the losses of those receivers are not placed.
  void note_missed(uint64_t position, size_t receiver) {
    if (receiver >= base::NodeSet::kCapacity) return;
    base::NodeSet& receivers = missed_by_[position & mask_];
    Slot& slot = slots_[position & mask_];
    if (!slot.missed) receivers.clear();
    slot.missed = true;
    receivers.add(receiver);
  }
  // The receivers that missed a slot with `missed`.
  [[nodiscard]] const base::NodeSet& missed_by(uint64_t position) const {
    return missed_by_[position & mask_];
  }

  // release(position, const Slot&) for each one retained before `position`, oldest first.
  template <typename Release>
  void release_before(uint64_t position, Release&& release) {
    for (; oldest_ < position && oldest_ < end_; ++oldest_) {
      Slot& slot = slots_[oldest_ & mask_];
      bytes_ -= slot.frame_bytes;
      release(oldest_, slot);
      slot.packet = PacketHandle::kNone;
    }
  }

  [[nodiscard]] bool retains(uint64_t position) const {
    return position >= oldest_ && position < end_;
  }
  [[nodiscard]] Slot& at(uint64_t position) { return slots_[position & mask_]; }
  [[nodiscard]] const Slot& at(uint64_t position) const { return slots_[position & mask_]; }
  [[nodiscard]] uint64_t oldest() const { return oldest_; }
  [[nodiscard]] uint64_t end() const { return end_; }
  [[nodiscard]] uint64_t last() const { return end_ - 1; }
  [[nodiscard]] uint64_t size() const { return end_ - oldest_; }
  [[nodiscard]] uint64_t bytes() const { return bytes_; }
  [[nodiscard]] uint64_t capacity_pkts() const { return mask_ + 1; }
  [[nodiscard]] bool bytes_used_up() const { return bytes_ >= bytes_limit_; }

 private:
  std::vector<Slot> slots_;
  std::vector<base::NodeSet> missed_by_;  // by slot; means something only where `missed` is set
  uint64_t mask_;
  uint64_t bytes_limit_;
  uint64_t bytes_ = 0;
  uint64_t oldest_;
  uint64_t end_;
};

}  // namespace lambdacast::reliability
