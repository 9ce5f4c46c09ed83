// SPDX-License-Identifier: BSD-3-Clause
// An endpoint's share of the receivers of its view: what it announces of itself in the total order,
// what the others announce, and what it may send by that (FastCast 2013, 3.5;
// doc/decisions/0025-shares-in-the-order.md).
//
//   ViewSynchrony     --members, announcements, marks, acknowledgements-->  RateShares
//   RateControlStage  --what it has sent, what waits-->                     RateShares
//   RateControlStage  <--announcements to send, limits--
//
// A share falls at the mark of the event that lowers it. This endpoint acknowledges that mark only
// when all frames that it took at the higher rate are with its port (port_has_all()), for its
// acknowledgement may let others rise.
//
// Time comes as now_ns, ranks are those of the view. Pure; not thread-safe: the lcore of
// rate_control owns it. Allocates at construction only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "node/rate_watch.h"
#include "rate_control/allocation.h"
#include "rate_control/demand.h"
#include "rate_control/lease.h"
#include "rate_control/limits.h"
#include "rate_control/pacer.h"
#include "rate_control/rate_config.h"

namespace lambdacast::node {

struct RateCounters {
  uint64_t announced = 0;  // announcements and reserves sent
  uint64_t events = 0;     // marks with such messages, all views together
  uint64_t malformed = 0;  // messages that nobody counts
  uint64_t falls = 0;      // of the own share
  uint64_t raises = 0;
  uint64_t leases_lost = 0;
};

struct RateSetting {
  rate_control::RateConfig config;
  uint64_t longest_frame = 0;  // bytes on the wire
  size_t nodes = 2;            // that the fabric has, as far as this one knows
  uint64_t lease_ns = 0;       // rate_control::Lease has these two; 0: no membership
  uint64_t gap_ns = 0;
};

// By rank of the view; what nobody has announced is 0.
struct RateReport {
  struct Member {
    rate_control::MemberRates rates;
    uint64_t share_bps = 0;
    uint64_t reserve_bps = 0;
    RateWatch::Seen seen;
  };
  rate_control::Policy policy = rate_control::Policy::kNone;
  rate_control::Limits limits;
  uint64_t need_bps = 0;
  uint64_t capacity_bps = 0;
  uint64_t departed_bps = 0;  // kept for members that have departed
  rate_control::Allocation::Event newest;
  rate_control::Allocation::Event settled;
  bool in_view = false;
  RateCounters counters;
  uint64_t times_over = 0;  // that members were seen to exceed their shares
  size_t members = 0;
  std::array<Member, wire::kMaxMembers> member;
};

class RateShares {
 public:
  // A member of the view that begins.
  struct Member {
    std::optional<size_t> before;  // its rank in the view before; nothing: a newcomer
    bool stayed = false;           // it was in that view, whether or not this endpoint was
    uint64_t room_bps = 0;         // of one that was not: what it takes; 0: no limit
    size_t peer = 0;               // its place in the table of peers; beyond it: this endpoint
  };

  // `watch` outlives it.
  RateShares(const RateSetting& setting, RateWatch& watch);

  // --- the view, in the order of events ----------------------------------------------------------
  // A view begins, with everything that was announced in the one before taken. The first of those
  // who stayed, or of a first view rank 0, speaks for the departed.
  // `tie_breaker`: its rank.
  void view_ended(uint64_t epoch, std::span<const Member> members, size_t own_rank,
                  std::optional<size_t> tie_breaker, uint64_t now_ns);
  // The next message of the rate domain, of that member.
  void take(size_t rank, std::span<const uint8_t> payload);
  // The mark at that position of its sequencer's stream is applied.
  void marked(uint64_t position);
  // All have acknowledged its sequencer's marks through that position.
  void stable(uint64_t position) {
    if (marks_begin_ != marks_end_ && mark(marks_begin_).position <= position) settle(position);
  }
  void out();
  // The member of that rank is in this view, and does not suspect this endpoint.
  void vouched(size_t rank, uint64_t now_ns) { lease_.renew(rank, now_ns); }
  // It is about to acknowledge that sequencer, of whose marks it has applied so many: how many it
  // may.
  [[nodiscard]] uint64_t acknowledge(uint64_t applied) {
    return acknowledged_ = std::min(applied, held_from_ - 1);
  }
  // Do others wait for this endpoint's acknowledgement, or this one for theirs?
  [[nodiscard]] bool acknowledgements_wait() const {
    return marks_begin_ != marks_end_ || last_mark_ > acknowledged_;
  }

  // --- the stage ---------------------------------------------------------------------------------
  // Every frame taken so far is with the port. True: more may be acknowledged now.
  [[nodiscard]] bool port_has_all() {
    const bool held = held_from_ != kNothingHeld;
    held_from_ = kNothingHeld;
    fastest_bps_ = limits_.bits_per_second;
    return held;
  }
  // Bytes on the wire have gone.
  void used(uint64_t bytes) { demand_.used(bytes); }
  [[nodiscard]] uint64_t longest_frame() const { return setting_.longest_frame; }
  // A poll in which data was there, or was refused by the share alone.
  void polled(bool had_data, bool waited) { demand_.polled(had_data, waited); }
  // Once a poll: time passes.
  void look(uint64_t now_ns) {
    if (in_view_) [[unlikely]]
      look_in_view(now_ns);
  }
  // As Lease::emptied() has it.
  void emptied(uint64_t by_ns) {
    const bool paused = lease_.paused();
    lease_.emptied(by_ns);
    if (paused != lease_.paused()) decide();
  }
  [[nodiscard]] const rate_control::Lease& lease() const { return lease_; }
  // When to call look() next; ~0: it has nothing to decide.
  [[nodiscard]] uint64_t next_look_ns() const;
  [[nodiscard]] bool speech_due() const {
    return in_view_ && ((announce_due_ && !said_) || reserve_due_);
  }
  // Writes what is due, and returns the bytes: at most wire::kAnnounceBytes. It has to be sent.
  [[nodiscard]] size_t write(uint8_t* payload);

  // The rate it may send at. It changes only when revision() does.
  [[nodiscard]] const rate_control::Limits& limits() const { return limits_; }
  [[nodiscard]] uint64_t revision() const { return revision_; }
  // Is it a share of its view that it may send at, and not what it has in front of one or when its
  // lease is over?
  [[nodiscard]] bool has_share() const {
    return in_view_ && !alone() && allocation_.informed() && (!needs_lease() || lease_.valid());
  }

  // --- by an operator ----------------------------------------------------------------------------
  void set_need(uint64_t bps);  // 0: as measured
  // Need, limit, capacity and what follows from them. The policy stays.
  void set(const rate_control::RateConfig& config);

  [[nodiscard]] const rate_control::RateConfig& config() const { return config_; }
  [[nodiscard]] const rate_control::Allocation& allocation() const { return allocation_; }
  [[nodiscard]] bool in_view() const { return in_view_; }
  // Marks that not all are known to have acknowledged.
  [[nodiscard]] bool unsettled() const { return marks_begin_ != marks_end_; }
  [[nodiscard]] uint64_t need_bps() const { return need_bps_; }
  [[nodiscard]] const RateCounters& counters() const { return counters_; }
  void report(RateReport& out) const;

 private:
  static constexpr uint64_t kNothingHeld = ~uint64_t{0};
  static constexpr size_t kMarks = 64;  // that have not settled; of more, the last ones settle late

  struct Mark {
    uint64_t event = 0;
    uint64_t position = 0;
  };
  [[nodiscard]] Mark& mark(size_t at) { return marks_[at % kMarks]; }

  // Does it measure a need that matters?
  [[nodiscard]] bool measures() const { return config_.need_bps == 0 && needs_lease(); }
  [[nodiscard]] rate_control::MemberRates own_rates() const;
  void look_in_view(uint64_t now_ns);
  void watch_others(uint64_t now_ns);
  void tell_lease(bool was_valid);
  void measure(uint64_t now_ns);
  // Is there a share that it may lose?
  [[nodiscard]] bool needs_lease() const {
    return in_view_ && config_.policy == rate_control::Policy::kFair &&
           allocation_.constrained(own_rank_);
  }
  // Are there shares that the others could exceed?
  [[nodiscard]] bool others_have_shares() const {
    return allocation_.informed() && (config_.capacity_bps != 0 || needs_lease());
  }
  [[nodiscard]] size_t write_announcement(uint8_t* payload);
  [[nodiscard]] size_t write_reserve(uint8_t* payload);
  void settle(uint64_t position);
  void hold_behind_faster(uint64_t position);
  void need(uint64_t bps);
  void decide();
  [[nodiscard]] rate_control::Limits decision() const;
  // In a view without others: those who hear this endpoint then are outside of it.
  [[nodiscard]] bool alone() const { return in_view_ && allocation_.members() == 1; }
  [[nodiscard]] uint64_t outside_bps() const;
  [[nodiscard]] uint64_t control_bps() const;
  [[nodiscard]] uint64_t burst_bytes(uint64_t bps) const;
  [[nodiscard]] uint64_t least_reserve() const;
  // The same; before the others' are known, the own one stands for them.
  [[nodiscard]] uint64_t known_reserve() const;
  [[nodiscard]] size_t nodes() const;  // that may send, as far as this one knows
  [[nodiscard]] uint64_t least_buffer() const;

  rate_control::RateConfig config_;
  const RateSetting setting_;
  RateWatch& watch_;
  rate_control::Lease lease_;
  rate_control::Allocation allocation_;
  rate_control::Demand demand_;
  bool in_view_ = false;
  size_t own_rank_ = 0;
  size_t speaker_ = 0;
  std::array<uint64_t, wire::kMaxMembers> reserve_{};  // by rank: what each keeps, announced
  std::array<uint64_t, wire::kMaxMembers> buffer_{};   // by rank: bytes, announced
  uint64_t need_bps_ = 0;                              // that it wants now
  uint64_t next_look_ns_ = 0;
  bool announce_due_ = false;
  bool reserve_due_ = false;
  bool lease_over_ = false;         // and told of
  bool watches_ = false;            // the others
  uint64_t silent_after_ns_ = 0;    // who has not announced anything by then is told of; 0: told
  uint64_t departed_until_ns_ = 0;  // the departed know by then that they are out; 0: told
  bool said_ = false;               // an announcement of its own is on its way, or not settled
  uint64_t said_event_ = 0;         // the event that it made; 0: none yet
  bool said_in_mark_ = false;       // it is in the event that is being marked
  std::array<Mark, kMarks> marks_{};
  size_t marks_begin_ = 0;  // they run on, modulo kMarks
  size_t marks_end_ = 0;
  uint64_t held_from_ = kNothingHeld;  // the first mark not to be acknowledged
  uint64_t fastest_bps_ = 0;           // allowed since the port had all frames
  uint64_t last_mark_ = 0;             // of this view
  uint64_t acknowledged_ = 0;          // of its marks, as it has said
  rate_control::Limits limits_;
  uint64_t revision_ = 0;
  RateCounters counters_;
};

}  // namespace lambdacast::node
