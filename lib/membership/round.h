// SPDX-License-Identifier: BSD-3-Clause
// One round of a coordinator: whom it proposes, what they answer, and when the next phase may
// begin. It decides and sends nothing; Coordinator does.
//
//   prepare --all proposed and a quorum have promised--> propose --all proposed are ready-->
//   accept --a quorum has accepted--> install
//
// A value that any voter has accepted before must be proposed again (it may have been chosen); of
// several the one of the highest ballot (Paxos). The content is moved before it is accepted, so
// that whatever is chosen can be installed by every survivor alone.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "membership/ballot.h"
#include "membership/view.h"

namespace lambdacast::membership {

class Round {
 public:
  // The first view ever is made of `initial_nodes` or more.
  explicit Round(std::optional<wire::Gid> tie_breaker, size_t initial_nodes = 1);

  // Entries with cuts of 0.
  void begin(const wire::BallotId& id, const Value& proposed);
  void abandon() { active_ = false; }

  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] const wire::BallotId& id() const { return id_; }
  [[nodiscard]] wire::BallotPhase phase() const { return phase_; }
  [[nodiscard]] const Value& value() const { return value_; }
  // Is the value one that was accepted in an earlier round?
  [[nodiscard]] bool adopted() const { return adopted_; }

  // The newest vote of `voter`, or a part of it: its positions from entry vote.first of value() on.
  // Parts may be lost, doubled or overtaken: a vote counts once all its positions are here.
  void vote(const wire::StreamName& voter, const wire::VoteFrame& vote,
            std::span<const uint64_t> positions);
  // A value that somebody has accepted, whole.
  void report(const wire::BallotId& id, const Value& value);

  // No first view was chosen before, and those proposed do not suffice for another.
  [[nodiscard]] bool too_few() const { return too_few_; }

  // Moves on if it may. True: the phase is another one.
  bool advance();

 private:
  struct Vote {
    bool heard = false;  // all positions are here
    bool begun = false;  // some are
    bool has_accepted = false;
    wire::VoteStage stage = wire::VoteStage::kPromised;
    wire::BallotId accepted;
    std::array<uint64_t, 2 * wire::kMaxMembers> positions;
    std::bitset<2 * wire::kMaxMembers> here;  // of those
  };

  [[nodiscard]] bool reached(size_t entry, wire::VoteStage stage) const {
    return votes_[entry].heard && votes_[entry].stage >= stage;
  }
  [[nodiscard]] bool all_proposed(wire::VoteStage stage) const;
  [[nodiscard]] bool quorum(wire::VoteStage stage) const;
  [[nodiscard]] bool hears_all(size_t entry) const;
  [[nodiscard]] const Vote* highest_accepted() const;
  [[nodiscard]] bool impossible(const wire::BallotId& accepted) const;
  [[nodiscard]] bool is_first_view() const { return value_.count(wire::kEntryOld) == 0; }
  [[nodiscard]] bool choose_value();
  void adopt();
  void choose_cuts();
  void forget_votes();

  std::optional<wire::Gid> tie_breaker_;
  size_t initial_nodes_;
  bool active_ = false;
  bool too_few_ = false;
  bool adopted_ = false;
  wire::BallotId id_;
  wire::BallotPhase phase_ = wire::BallotPhase::kPrepare;
  Value value_;
  std::vector<Vote> votes_;   // by entry
  std::vector<bool> absent_;  // by entry of an adopted value: it is none of those proposed
  bool reported_ = false;
  wire::BallotId report_id_;
  Value report_;
};

}  // namespace lambdacast::membership
