// SPDX-License-Identifier: BSD-3-Clause
// Tracks how far each member holds each sequencer's order. The members' cumulative acknowledgements
// give the positions at which the levels of service are reached
// (doc/decisions/0009-levels-are-thresholds.md). An acknowledgement of a mark says: "content and
// mark of everything ordered up to here are with me".
//
// Not thread-safe: the lcore of the ordering stage owns it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "wire/control/transport.h"

namespace lambdacast::ordering {

class Acknowledgements {
 public:
  explicit Acknowledgements(size_t max_members)
      : max_members_(max_members),
        by_(max_members * max_members),
        descending_(max_members * max_members),
        reached_(max_members) {}

  // Begins a view of `members`, of which nothing has been acknowledged. A majority is more than
  // half of them. RMP 1996, section 4, counts a majority of the largest view that a message may
  // have been sent in; here a message is delivered in the view that it was sent in.
  void begin(size_t members, uint32_t k) {
    members_ = members;
    k_ = k;
    std::fill(by_.begin(), by_.end(), 0);
    std::fill(descending_.begin(), descending_.end(), 0);
    std::fill(reached_.begin(), reached_.end(), Reached{});
    majority_ = members / 2 + 1;
  }

  [[nodiscard]] size_t members() const { return members_; }  // of the view

  // Returns true if more of that sequencer's marks have reached a level.
  bool acknowledge(size_t member, size_t marker, uint64_t through) {
    if (member >= members_ || marker >= members_) return false;
    uint64_t& kept = by_[member * max_members_ + marker];
    if (through <= kept) return false;
    return raise(marker, std::exchange(kept, through), through);
  }

  // The last mark of the sequencer for which the level is reached.
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
    return by_[member * max_members_ + marker];
  }
  // The acknowledgements of a member, by sequencer.
  [[nodiscard]] std::span<const uint64_t> of(size_t member) const {
    return std::span(by_).subspan(member * max_members_, members_);
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
    const size_t k_holders = std::min<size_t>(members_, size_t{k_} + 1);
    const Reached now{sorted[k_holders - 1], sorted[majority_ - 1], sorted[members_ - 1]};
    if (now == reached_[marker]) return false;
    reached_[marker] = now;
    return true;
  }

  size_t max_members_;
  size_t members_ = 0;
  size_t majority_ = 1;
  uint32_t k_ = 1;
  std::vector<uint64_t> by_;          // [member][sequencer]
  std::vector<uint64_t> descending_;  // [sequencer]: those of all members, the highest first
  std::vector<Reached> reached_;
};

}  // namespace lambdacast::ordering
