// SPDX-License-Identifier: BSD-3-Clause
// The shares of a view, as every member computes them from the same events: what its members
// announce in the total order. A member's own share is the least that it had in any event since the
// last one that all are known to have acknowledged. So it falls when a lower one is marked, and
// rises when all have acknowledged the mark; whoever is a step behind still leaves the room that it
// had (FastCast 2013, 3.5, whose counted answers this replaces).
//
// An event is an applied mark of the rate domain, numbered from 1 in each view; event 0 is the
// view's beginning. Allocates nothing after its construction. Owner: the rate_control lcore.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/node_set.h"
#include "rate_control/max_min.h"
#include "wire/control/rate_message.h"
#include "wire/control/view_control.h"

namespace lambdacast::rate_control {

// The rates a member has announced; a limit of 0 is none. A newcomer needs nothing.
struct MemberRates {
  uint64_t need_bps = 0;
  uint64_t line_bps = 0;
  uint64_t room_bps = 0;
  uint64_t each_bps = 0;
};

class Allocation {
 public:
  using Event = wire::RateEvent;
  static constexpr size_t kEvents = 64;  // kept; more are folded, to the safe side

  struct Member {
    MemberRates rates;
    std::optional<size_t> before;  // its rank in the view before; nothing: a newcomer
  };

  // A view begins, with everything that was announced in the one before taken. Members of the old
  // view that are not in it may send for a while what they had: departed_bps() has that.
  void begin(uint64_t epoch, std::span<const Member> members, size_t own_rank);

  // --- content of the rate domain, in its order ------------------------------------------------
  void announce(size_t rank, const MemberRates& rates, const Event& settled);
  // The rate that departed members may still send at, as the first of those who stayed knows it.
  void reserve(uint64_t departed_bps, const Event& settled);
  // All content up to that mark has been taken. Returns the event.
  Event mark_applied();

  // All members are known to have acknowledged that event of this view.
  void settle(uint64_t event);

  // --- what follows ----------------------------------------------------------------------------
  [[nodiscard]] uint64_t own_bps() const { return own_bps_; }
  // What limits it in the newest event: a receiver's rank, or FilledShare::kByCap.
  [[nodiscard]] uint16_t own_limited_by() const { return shares_[own_rank_].limited_by; }
  // Everybody's announcement is known. A newcomer knows the shares of others only then, and has
  // none itself before.
  [[nodiscard]] bool informed() const {
    return heard_reserve_ && base::NodeSet::first(members_).within(heard_);
  }
  // Is that member's announcement known, in this view or, for one that stayed, before it?
  [[nodiscard]] bool knows(size_t rank) const { return heard_.contains(rank); }
  // Lower shares of older events still hold it down.
  [[nodiscard]] bool rises() const { return own_bps_ < shares_[own_rank_].bps; }
  [[nodiscard]] std::span<const FilledShare> shares() const { return {shares_.data(), members_}; }
  [[nodiscard]] const MemberRates& rates(size_t rank) const { return rates_[rank]; }
  [[nodiscard]] size_t members() const { return members_; }
  [[nodiscard]] Event newest() const { return newest_; }
  [[nodiscard]] Event settled() const { return settled_; }
  [[nodiscard]] uint64_t departed_bps() const { return departed_bps_; }
  // Did it know, when the view began, what those who had left the one before might send?
  [[nodiscard]] bool knows_departed() const { return knows_departed_; }
  // Is there a receiver that a member's stream could be too much for? If not, what it needs limits
  // nothing.
  [[nodiscard]] bool constrained(size_t rank) const;
  // Higher shares of events that all have behind them are remembered, for members that may depart,
  // because no announcement has said that they are settled.
  [[nodiscard]] bool remembers_settled() const {
    return in_force(settled_) > in_force(known_settled_);
  }
  // The highest share that a member may believe it has.
  [[nodiscard]] uint64_t highest(size_t rank) const;
  // The share of a member if its need were unlimited: what asking for more could bring.
  [[nodiscard]] uint64_t greedy_bps(size_t rank) const;

 private:
  // Shares that held from one event on until the next entry.
  struct Entry {
    Event at;
    uint64_t own_low = 0;                          // of folded ones the lowest
    std::array<uint64_t, wire::kMaxMembers> high;  // by rank; of folded ones the highest
  };

  static constexpr Event kNever{~uint64_t{0}, 0};

  void compute(std::span<const MemberRates> rates, std::span<FilledShare> out) const;
  // None before everybody's announcement is known.
  [[nodiscard]] uint64_t own_share() const { return informed() ? shares_[own_rank_].bps : 0; }
  // Is that of the newest event another one than that of the last entry?
  [[nodiscard]] bool differs() const;
  void enter(const Event& at);
  void fold_oldest();
  void forget();
  void settle_own();
  [[nodiscard]] Entry& entry(size_t i) { return history_[(first_ + i) % kEvents]; }
  [[nodiscard]] const Entry& entry(size_t i) const { return history_[(first_ + i) % kEvents]; }
  // The entry that was in force at that event.
  [[nodiscard]] size_t in_force(const Event& at) const;

  size_t members_ = 0;
  size_t own_rank_ = 0;
  std::array<MemberRates, wire::kMaxMembers> rates_{};
  uint64_t departed_bps_ = 0;
  base::NodeSet heard_;         // members whose rates are known
  bool heard_reserve_ = false;  // and what the departed may send
  bool knows_departed_ = true;
  bool changed_ = false;  // since the newest event
  Event newest_;
  Event informed_at_;                                    // the first one computed of all rates
  Event settled_;                                        // here
  Event known_settled_;                                  // by all, as announcements have said
  std::array<FilledShare, wire::kMaxMembers> shares_{};  // of the newest event
  uint64_t own_bps_ = 0;
  std::vector<Entry> history_ = std::vector<Entry>(kEvents);  // a ring
  size_t first_ = 0;
  size_t count_ = 0;
};

}  // namespace lambdacast::rate_control
