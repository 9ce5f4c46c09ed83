// SPDX-License-Identifier: BSD-3-Clause
// A node as one of those who decide: which view it is in, what it has promised, holds and accepted
// of the ballot for the next one, and when that one begins here.
//
//   joining --installed--> operational --promised--> recovering --installed--> operational
//                               |                         |
//                               '------ told it is out ---'--> excluded (this incarnation is over)
//
// It answers ballots, its own node's among them, and drives none (coordinator.h).
//
// Not thread-safe: the lcore of the endpoint's ordering stage owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "membership/ballot.h"
#include "membership/failure_detector.h"
#include "membership/membership_config.h"
#include "membership/membership_host.h"
#include "membership/view.h"

namespace lambdacast::membership {

class Member {
 public:
  using State = wire::MemberState;

  // A value that was chosen, and by which ballot.
  struct Decision {
    wire::BallotId id;
    wire::ViewId previous;
    Value value;
  };

  Member(const MembershipConfig& config, const FailureDetector& detector, MembershipHost& host);

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const View& view() const { return view_; }
  [[nodiscard]] size_t own_rank() const { return own_rank_; }
  // It asks to be let out.
  void leave() { leaving_ = true; }
  [[nodiscard]] bool leaving() const { return leaving_; }

  // --- ballots -----------------------------------------------------------------------------------
  // Can a ballot of that epoch be about the view after ours?
  [[nodiscard]] bool follows(uint64_t epoch) const {
    return state_ == State::kJoining || epoch == view_.id.epoch + 1;
  }
  // A part of a ballot's value, in any phase before kInstall, of an epoch that follows().
  void take_ballot(const wire::BallotFrame& frame, const uint8_t* payload, size_t entries);
  // A part of a value that was chosen.
  void take_install(const wire::BallotFrame& frame, const uint8_t* payload, size_t entries);
  // A vote may say that the first view which this node has accepted is none.
  void take_refutation(const wire::StreamName& voter, const wire::VoteFrame& vote);
  // Tries anew what it waits for: content, and the end of the view before.
  void seek_readiness();
  [[nodiscard]] bool waits() const { return wants_value_ || wants_accept_ || chosen_waits_; }

  // --- ballots of this node ----------------------------------------------------------------------
  void promise(const wire::BallotId& id);
  // Its own coordinator's ballot is in that phase: kPropose or kAccept.
  void follow_own(const wire::BallotId& id, wire::BallotPhase phase, const Value& value);
  void choose(const wire::BallotId& id, const Value& value);
  // A first view that this node is ready for and has accepted in no ballot is not chosen. Should
  // its ballot go on after all, the node has to be ready again.
  void withdraw();
  void let_go();

  [[nodiscard]] const std::optional<wire::BallotId>& promised() const { return promised_; }
  [[nodiscard]] const std::optional<wire::BallotId>& accepted() const { return accepted_; }
  [[nodiscard]] const Value& accepted_value() const { return accepted_value_; }
  // What this node would vote about that ballot of so many entries.
  [[nodiscard]] wire::VoteFrame vote_about(const wire::BallotId& id, size_t entries) const;
  // The position through which it holds the stream of that name; wire::kNotOpen: it does not.
  [[nodiscard]] uint64_t position_of(const wire::StreamName& name) const;
  // Does it hold on to the streams of a value that it was ready for?
  [[nodiscard]] bool holds_on() const { return holds_on_; }
  // Does it hold on to those of a first view, which others may complete?
  [[nodiscard]] bool holds_on_to_first() const { return holds_on_ && may_be_.id.epoch == 1; }
  // The view that such a value would be.
  [[nodiscard]] const View& may_be() const { return may_be_; }
  // Uptime since the ballot that is promised got any further.
  [[nodiscard]] uint64_t stalled_ns() const { return detector_.uptime_ns() - progress_uptime_ns_; }
  void note_progress() { progress_uptime_ns_ = detector_.uptime_ns(); }

  // --- the view ----------------------------------------------------------------------------------
  enum class Outcome : uint8_t {
    kNone,
    kInstalled,  // view() is another one, of decision()
    kOut         // the view that was chosen is without this node
  };
  // Begins the view that was chosen, if there is one and all that it needs is here. `own`: this
  // node's coordinator brought it about.
  [[nodiscard]] Outcome try_install(bool own);
  // The ballot of it.
  [[nodiscard]] const wire::BallotId& chosen_by() const { return chosen_.id(); }
  void leave_view(bool left);
  [[nodiscard]] bool left() const { return left_; }
  // The view before this one; without members if the node was not in it.
  [[nodiscard]] const View& before() const { return before_; }
  // What the last view came of; or, once this node is out by its own ballot, the one without it.
  [[nodiscard]] const Decision& decision() const { return decision_; }
  // Recovering for longer than suspect_after: no quorum is to be had.
  [[nodiscard]] bool stranded() const {
    return state_ == State::kRecovering &&
           detector_.uptime_ns() - frozen_uptime_ns_ > config_.suspect_after_ns;
  }
  // Is that member not to be one of the view that is being made?
  [[nodiscard]] bool departs(const wire::StreamName& name) const;
  // Is that incarnation out of a view that this node was in?
  [[nodiscard]] bool was_expelled(const wire::StreamName& name) const;
  // Does this joiner hear the streams of all who are to be in a view with it?
  [[nodiscard]] bool ready_to_join();

  // --- what it says ------------------------------------------------------------------------------
  // Each writes a frame, or returns 0.
  [[nodiscard]] bool vote_due() const { return vote_due_ || vote_next_ != kSaid; }
  [[nodiscard]] size_t write_vote(uint8_t* payload, size_t room);
  [[nodiscard]] bool report_due() const { return report_.pending() && accepted_.has_value(); }
  [[nodiscard]] size_t write_report(uint8_t* payload, size_t room);

  [[nodiscard]] uint64_t views() const { return views_; }      // installed
  [[nodiscard]] uint64_t votes() const { return votes_; }      // frames written
  [[nodiscard]] uint64_t reports() const { return reports_; }  // frames written

 private:
  [[nodiscard]] bool concerns_us(const Assembly& ballot) const;
  [[nodiscard]] bool leaves_unseen(const Assembly& ballot) const;
  [[nodiscard]] bool may_begin_anew(const wire::BallotId& ballot) const;
  [[nodiscard]] bool refutes(const wire::StreamName& voter, const wire::VoteFrame& vote) const;
  void follow(wire::BallotPhase phase);
  void look_at_streams();
  [[nodiscard]] bool holds_all(const Value& value, bool chosen);
  void hold_on();
  void accept_value();
  void forget_chosen() {
    chosen_.reset();
    chosen_waits_ = false;
  }
  void install();
  void remember();
  void expel(const wire::StreamName& name);

  const MembershipConfig config_;
  const FailureDetector& detector_;
  MembershipHost& host_;
  State state_ = State::kJoining;
  View view_;
  View before_;
  size_t own_rank_ = kNoRank;
  bool leaving_ = false;
  bool left_ = false;

  Assembly ballot_;  // that has been promised
  std::optional<wire::BallotId> promised_;
  wire::VoteStage stage_ = wire::VoteStage::kPromised;
  bool wants_value_ = false;  // proposed, not all held yet
  bool wants_accept_ = false;
  bool holds_on_ = false;  // to the streams of a value that it was ready for,
  View may_be_;            // which would be this view
  std::optional<wire::BallotId> accepted_;
  Value accepted_value_;
  Assembly chosen_;
  bool chosen_waits_ = false;        // for content
  uint64_t progress_uptime_ns_ = 0;  // of the ballot promised
  uint64_t frozen_uptime_ns_ = 0;
  Decision decision_;

  static constexpr size_t kSaid = ~size_t{0};
  bool vote_due_ = false;
  size_t vote_next_ = kSaid;     // entry that the next part of a vote begins with
  bool votes_in_parts_ = false;  // as of the last vote
  ValueParts report_;            // of what was accepted

  // The lives excluded last: none of them may join, even if it never heard of the view it was in.
  static constexpr size_t kExpelled = 256;
  std::vector<wire::StreamName> expelled_;
  size_t expelled_next_ = 0;
  uint64_t views_ = 0;
  uint64_t votes_ = 0;
  uint64_t reports_ = 0;
};

}  // namespace lambdacast::membership
