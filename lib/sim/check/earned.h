// SPDX-License-Identifier: BSD-3-Clause
// A token bucket of the checkers' own: what a life may send by the rates that it had. A frame
// counts when the port is offered it: what a port refuses for a while was let go at the rate of
// before.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/wire_bytes.h"
#include "sim/engine/node_clock.h"
#include "sim/multicast/scenario.h"

namespace lambdacast::sim {

// The bytes that a life has earned and not sent; a life below zero has sent too much.
class Earned {
 public:
  Earned(const Scenario& scenario, const NodeScenario& node)
      : node_(node),
        clock_(node.clock_offset_ns, node.clock_ppm),
        longest_(base::wire_bytes(scenario.path_mtu + 100)) {}

  // The rate from now on. What a higher one had left may go in the same moment, and no later. The
  // node earns by it until its turn, in which it hears of the fall before it sends. If the rate
  // rises again before that turn, the node has never had less than the second rate lets it keep.
  void allow(uint64_t at_ns, uint64_t bps) {
    pass(at_ns);
    const bool falls = bps_ != kUnlimited && bps < bps_;
    if (falls) {
      unheard_bps_ = std::max(unheard_bps_, bps_);
      fallen_ns_ = last_ns_;
    }
    higher_bps_ = falls ? bps_ : 0;
    higher_until_ns_ = clock_.local_ns(at_ns + turns_ns(node_));
    bps_ = bps;
  }
  // A frame of data is offered. Returns the bytes that it is too many; 0: none.
  uint64_t send(uint64_t at_ns, uint64_t bytes) {
    if (bps_ == kUnlimited) {
      left_ = most(bps_);
      last_ns_ = clock_.local_ns(at_ns);
      return 0;
    }
    pass(at_ns);
    if (last_ns_ != fallen_ns_) hear();
    left_ -= static_cast<__int128>(bytes) * kUnit;
    const __int128 over = -left_ - debt();
    return over <= 0 ? 0 : static_cast<uint64_t>((over + kUnit - 1) / kUnit);
  }

 private:
  void pass(uint64_t at_ns) {
    const uint64_t local_ns = clock_.local_ns(at_ns);
    const __int128 ns = static_cast<__int128>(local_ns - last_ns_);
    const uint64_t kept_bps = std::max(bps_, unheard_bps_);
    if (ns != 0) left_ = std::min(left_ + ns * bps_ + earned_late(local_ns), most(kept_bps));
    last_ns_ = local_ns;
    if (local_ns > higher_until_ns_) hear();
  }
  // The node keeps no more than a burst of its rate from this turn on.
  void hear() {
    if (unheard_bps_ != 0) left_ = std::min(left_, most(bps_));
    unheard_bps_ = 0;
  }
  // Until the node hears that its rate has fallen, it earns the difference to the higher one too.
  [[nodiscard]] __int128 earned_late(uint64_t local_ns) const {
    const uint64_t until_ns = std::min(local_ns, higher_until_ns_);
    if (higher_bps_ <= bps_ || until_ns <= last_ns_) return 0;
    return static_cast<__int128>(until_ns - last_ns_) * (higher_bps_ - bps_);
  }
  // One burst: what a rate brings in `burst_ns`, or a frame. Deadlines are whole nanoseconds, so
  // what one earns too much is not lost.
  [[nodiscard]] __int128 most(uint64_t bps) const {
    return std::max(static_cast<__int128>(bps) * node_.rate.burst_ns, longest_ * kUnit) + bps;
  }
  // The last frame of a burst may be longer than what is left.
  [[nodiscard]] __int128 debt() const { return longest_ * kUnit; }

  // A byte has so many units: a bit a second brings one in a nanosecond.
  static constexpr __int128 kUnit = 8'000'000'000;
  static constexpr uint64_t kUnlimited = ~uint64_t{0};

  const NodeScenario& node_;
  const NodeClock clock_;  // its pacer's
  const __int128 longest_;
  uint64_t bps_ = kUnlimited;
  uint64_t higher_bps_ = 0;       // the one before, if it was higher
  uint64_t higher_until_ns_ = 0;  // by its pacer's clock
  uint64_t unheard_bps_ = 0;      // the highest since its last turn that has fallen
  uint64_t fallen_ns_ = 0;        // when that was, by its pacer's clock
  __int128 left_ = 0;
  uint64_t last_ns_ = 0;
};

}  // namespace lambdacast::sim
