// SPDX-License-Identifier: BSD-3-Clause
// A node as the coordinator that it may have to be: whether the view has to change, who is to be in
// the next one, and driving a round (round.h) of ballots to its end.
//
// It looks at the same peers as the member beside it, and asks that one to promise, to become ready
// and to accept like any other.
//
// Not thread-safe: the lcore of the endpoint's ordering stage owns it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/node_set.h"
#include "membership/ballot.h"
#include "membership/failure_detector.h"
#include "membership/member.h"
#include "membership/membership_config.h"
#include "membership/round.h"

namespace lambdacast::membership {

class Coordinator {
 public:
  using State = wire::MemberState;
  using Peer = FailureDetector::Peer;

  // What has to follow a step.
  enum class Next : uint8_t {
    kNothing,
    kInstall,  // a value was chosen, and the member has it
    kLeave     // this node may go: nobody is left to whom it could leave anything
  };

  Coordinator(const MembershipConfig& config, FailureDetector& detector, Member& member);

  // Looks whether the view has to change; now and then.
  [[nodiscard]] Next coordinate(uint64_t now_ns);
  // Takes its round as far as the votes allow; at once after a frame, if it is active().
  [[nodiscard]] Next drive(uint64_t now_ns);

  // --- what is heard -----------------------------------------------------------------------------
  // A round of the epoch to come.
  void note_round(uint64_t round) { seen_round_ = std::max(seen_round_, round); }
  void take_vote(size_t peer, const wire::VoteFrame& vote, const uint8_t* payload, size_t entries);
  // A part of a value that somebody has accepted.
  void take_report(const wire::BallotFrame& frame, const uint8_t* payload, size_t entries);

  // --- its round ---------------------------------------------------------------------------------
  [[nodiscard]] bool active() const { return round_.active(); }
  [[nodiscard]] bool drives(const wire::BallotId& id) const {
    return round_.active() && round_.id() == id;
  }
  // The member has promised another ballot: a round of our own cannot succeed any more.
  void yield_to(const std::optional<wire::BallotId>& promised) {
    if (promised && round_.active() && round_.id() != *promised) round_.abandon();
  }
  void abandon() { round_.abandon(); }
  void view_begins();

  // --- what it says ------------------------------------------------------------------------------
  [[nodiscard]] bool ballot_due() const { return ballot_.pending() && round_.active(); }
  [[nodiscard]] size_t write_ballot(uint8_t* payload, size_t room);
  // When frames that are not answered are said again; all ones: there are none.
  [[nodiscard]] uint64_t resend_ns() const { return round_.active() ? resend_ns_ : ~uint64_t{0}; }

  // Joiners without a place, as of the last look: a view has at most 80 members, and 64 if somebody
  // in it cannot be in a wide view; nobody who cannot comes into a wide one.
  [[nodiscard]] size_t held_out() const { return held_out_; }
  [[nodiscard]] uint64_t rounds() const { return rounds_; }    // begun
  [[nodiscard]] uint64_t ballots() const { return ballots_; }  // frames written

 private:
  [[nodiscard]] bool stays_behind(const Peer& peer) const;
  [[nodiscard]] bool is_leaving(size_t rank) const;
  [[nodiscard]] bool leads() const;
  [[nodiscard]] bool wants_in(const Peer& peer) const;
  [[nodiscard]] bool may_join(const Peer& peer) const;
  [[nodiscard]] base::NodeSet given_up() const;
  [[nodiscard]] bool propose(Value& out);
  [[nodiscard]] bool propose_old(Value& out) const;
  [[nodiscard]] bool propose_new(Value& out);
  [[nodiscard]] bool may_be_wide(const Value& old) const;
  [[nodiscard]] bool outdated() const;
  [[nodiscard]] bool is_back(const wire::BallotEntry& entry, const base::NodeSet& gone) const;
  [[nodiscard]] bool is_gone(const wire::BallotEntry& entry, const base::NodeSet& gone) const;
  [[nodiscard]] bool waits_for_its_ballot() const;
  [[nodiscard]] bool waits_for_joiners(uint64_t now_ns);
  [[nodiscard]] Next begin_round(uint64_t now_ns);
  void own_vote();
  void say_ballot(uint64_t now_ns);

  const MembershipConfig config_;
  FailureDetector& detector_;
  Member& member_;
  Round round_;
  uint64_t seen_round_ = 0;
  Assembly report_;
  Value wanted_;
  std::array<uint64_t, 2 * wire::kMaxMembers> positions_{};  // of a vote, while it is taken
  ValueParts ballot_;
  uint64_t resend_ns_ = 0;
  uint64_t joiners_ = 0;           // how many were seen,
  uint64_t joiners_since_ns_ = 0;  // and since when that many
  size_t held_out_ = 0;
  uint64_t rounds_ = 0;
  uint64_t ballots_ = 0;
};

}  // namespace lambdacast::membership
