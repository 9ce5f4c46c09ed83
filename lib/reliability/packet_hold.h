// SPDX-License-Identifier: BSD-3-Clause
// The budget for packets that wait in the windows of all streams together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reliability/peer_streams.h"

namespace lambdacast::reliability {

class PacketHold {
 public:
  // pkts: the packets that may be kept at a time.
  PacketHold(uint32_t pkts, size_t max_peers) : pkts_(pkts), end_at_tick_(max_peers) {}

  [[nodiscard]] bool full() const { return kept_ >= pkts_; }
  [[nodiscard]] bool has_room(size_t packets) const { return kept_ + packets <= pkts_; }
  // May exceed the budget: a departing member's stream is taken all the same.
  void put(size_t packets) { kept_ += static_cast<uint32_t>(packets); }
  void take(size_t packets) { kept_ -= static_cast<uint32_t>(packets); }
  void clear() { kept_ = 0; }
  [[nodiscard]] uint32_t kept() const { return kept_; }

  // Counts the streams that have moved since the last tick. Must be called once a tick.
  void count_active(const PeerStreams& streams) {
    active_ = 0;
    for (const uint16_t peer : streams.known()) {
      const uint64_t end = streams[peer].window.end();
      active_ += end != end_at_tick_[peer] ? 1 : 0;
      end_at_tick_[peer] = end;
    }
  }
  // The packets out of order that each stream may have: whatever is lost, all that senders may have
  // on their way can be held.
  [[nodiscard]] uint32_t share() const {
    return std::max<uint32_t>(pkts_ / std::max<uint32_t>(active_, 1), kLeastShare);
  }

 private:
  static constexpr uint32_t kLeastShare = 16;

  const uint32_t pkts_;
  uint32_t kept_ = 0;
  uint32_t active_ = 1;                // streams that moved between the last two ticks
  std::vector<uint64_t> end_at_tick_;  // by peer: window.end() at the last tick
};

}  // namespace lambdacast::reliability
