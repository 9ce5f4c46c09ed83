// SPDX-License-Identifier: BSD-3-Clause
// The lines between nodes and a switch or a coupler: each node sends one frame after the other at
// its transmit rate, and takes those of all others one after the other at its receive rate, in the
// order in which their last bits come. A frame is passed on while it comes, so that one that finds
// both lines free takes its time once. Neither queue has an end: nothing is lost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lambdacast::sim {

struct LineRates {
  uint64_t transmit_bps = 0;  // 0: a frame takes no time
  uint64_t receive_bps = 0;
};

class Lines {
 public:
  Lines(size_t nodes, const LineRates& rates)
      : rates_(rates), transmits_until_ns_(nodes), receives_until_ns_(nodes) {}

  // When the last bit of a frame that the node gives to its line now has left.
  uint64_t transmit(size_t node, uint64_t bytes, uint64_t now_ns) {
    uint64_t& until_ns = transmits_until_ns_[node];
    until_ns = std::max(until_ns, now_ns) + duration_ns(bytes, rates_.transmit_bps);
    return until_ns;
  }
  // When a node has a frame whose last bit would come now if nothing else were coming. Times
  // ascend, of each node.
  uint64_t receive(size_t node, uint64_t bytes, uint64_t now_ns) {
    uint64_t& until_ns = receives_until_ns_[node];
    until_ns = std::max(now_ns, until_ns + duration_ns(bytes, rates_.receive_bps));
    return until_ns;
  }
  // Until when the node's transmit line is busy with what it was given.
  [[nodiscard]] uint64_t transmits_until_ns(size_t node) const { return transmits_until_ns_[node]; }
  [[nodiscard]] bool limit_receivers() const { return rates_.receive_bps != 0; }

  // Rounded up.
  [[nodiscard]] static uint64_t duration_ns(uint64_t bytes, uint64_t bps) {
    if (bps == 0) return 0;
    const auto scaled = static_cast<unsigned __int128>(bytes) * 8 * 1'000'000'000;
    return static_cast<uint64_t>((scaled + bps - 1) / bps);
  }

 private:
  const LineRates rates_;
  std::vector<uint64_t> transmits_until_ns_;  // by node
  std::vector<uint64_t> receives_until_ns_;
};

}  // namespace lambdacast::sim
