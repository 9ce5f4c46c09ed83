// SPDX-License-Identifier: BSD-3-Clause
// Tracks how far each member holds each marker's order: that of each sequencer, by rank, and that
// of the token ring (kRing). The members' cumulative acknowledgements give the positions at which
// the levels of service are reached (doc/decisions/0009-levels-are-thresholds.md). An
// acknowledgement of a mark says: "content and mark of everything ordered up to here are with me".
// Sequencers' marks are acknowledged by member frames, and passes of the ring by those behind them.
//
// Not thread-safe: the lcore of the ordering stage owns it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/node_set.h"
#include "ordering/order_view.h"
#include "wire/control/transport.h"

namespace lambdacast::ordering {

class Acknowledgements {
 public:
  explicit Acknowledgements(size_t max_members)
      : max_members_(max_members),
        by_(max_members * kMarkers),
        descending_(kMarkers * max_members),
        reached_(kMarkers) {}

  // Begins a view of `members`, of which nothing has been acknowledged. A majority is more than
  // half of them. The ring's is RMP's (RMP 1996, 4): of `max_n`, the most members of any view with
  // a packet that is not stable, until all are known to have begun this one. A newcomer does not
  // know that number, and says twice the members: then a majority is all of them.
  void begin(size_t members, uint32_t k, size_t max_n = 0) {
    members_ = members;
    k_ = k;
    std::fill(by_.begin(), by_.end(), 0);
    std::fill(descending_.begin(), descending_.end(), 0);
    std::fill(reached_.begin(), reached_.end(), Reached{});
    majority_ = members / 2 + 1;
    begun_ = {};
    max_n_ = std::max(members, max_n);
  }

  [[nodiscard]] size_t members() const { return members_; }  // of the view

  // The member has begun the view. Returns true if more of the ring has reached a level with that.
  bool begun(size_t member) {
    if (member >= members_ || begun_.contains(member)) return false;
    begun_.add(member);
    if (begun_.count() < members_ || max_n_ == members_) return false;
    max_n_ = members_;
    return settle(kRing);
  }
  [[nodiscard]] size_t max_n() const { return max_n_; }

  // Returns true if more of that marker's marks have reached a level.
  bool acknowledge(size_t member, size_t marker, uint64_t through) {
    if (member >= members_ || (marker >= members_ && marker != kRing)) return false;
    uint64_t& kept = by_[member * kMarkers + marker];
    if (through <= kept) return false;
    return raise(marker, std::exchange(kept, through), through);
  }

  // So many members have to hold a message of that level.
  [[nodiscard]] size_t holders(size_t marker, wire::Qos qos) const {
    switch (qos) {
      case wire::Qos::kKResilient:
        return std::min<size_t>(members_, size_t{k_} + 1);
      case wire::Qos::kMajority:
        return marker == kRing ? std::min(members_, max_n_ / 2 + 1) : majority_;
      case wire::Qos::kTotallyResilient:
        return members_;
      default:
        return 1;
    }
  }

  // The last mark of the marker for which the level is reached.
  [[nodiscard]] uint64_t reached(size_t marker, wire::Qos qos) const {
    switch (qos) {
      case wire::Qos::kKResilient:
        return reached_[marker].k;
      case wire::Qos::kMajority:
        return reached_[marker].majority;
      case wire::Qos::kTotallyResilient:
        return reached_[marker].all;
      default:
        return ~uint64_t{0};  // as soon as it is marked here
    }
  }
  // Everybody holds everything up to this mark.
  [[nodiscard]] uint64_t stable(size_t marker) const { return reached_[marker].all; }
  [[nodiscard]] uint64_t of(size_t member, size_t marker) const {
    return by_[member * kMarkers + marker];
  }
  // The acknowledgements of a member, by sequencer.
  [[nodiscard]] std::span<const uint64_t> of(size_t member) const {
    return std::span(by_).subspan(member * kMarkers, members_);
  }

 private:
  struct Reached {
    uint64_t k = 0;
    uint64_t majority = 0;
    uint64_t all = 0;
    bool operator==(const Reached&) const = default;
  };

  // The n-th highest acknowledgement is what n members have reached.
  bool raise(size_t marker, uint64_t from, uint64_t to) {
    uint64_t* const sorted = &descending_[marker * max_members_];
    size_t at = 0;
    while (sorted[at] >= to) ++at;
    for (uint64_t next = to; next != from; ++at) std::swap(sorted[at], next);
    return settle(marker);
  }
  bool settle(size_t marker) {
    const uint64_t* const sorted = &descending_[marker * max_members_];
    const auto held_by = [&](wire::Qos qos) { return sorted[holders(marker, qos) - 1]; };
    const Reached now{held_by(wire::Qos::kKResilient), held_by(wire::Qos::kMajority),
                      held_by(wire::Qos::kTotallyResilient)};
    if (now == reached_[marker]) return false;
    reached_[marker] = now;
    return true;
  }

  size_t max_members_;
  size_t members_ = 0;
  size_t majority_ = 1;
  uint32_t k_ = 1;
  size_t max_n_ = 0;
  base::NodeSet begun_;               // by rank
  std::vector<uint64_t> by_;          // [member][marker]
  std::vector<uint64_t> descending_;  // [marker]: those of all members, the highest first
  std::vector<Reached> reached_;
};

}  // namespace lambdacast::ordering
