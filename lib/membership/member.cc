// SPDX-License-Identifier: BSD-3-Clause
#include "membership/member.h"

#include <algorithm>
#include <utility>

namespace lambdacast::membership {

using wire::BallotPhase;
using wire::kEntryNew;
using wire::kEntryOld;
using wire::VoteStage;

Member::Member(const MembershipConfig& config, const FailureDetector& detector,
               MembershipHost& host)
    : config_(config), detector_(detector), host_(host) {
  view_.members.reserve(wire::kMaxMembers);
  before_.members.reserve(wire::kMaxMembers);
  may_be_.members.reserve(wire::kMaxMembers);
  expelled_.reserve(kExpelled);
}

// --- ballots -------------------------------------------------------------------------------------

// Is the ballot about what follows our view, with us? A joiner takes part in any that names it.
bool Member::concerns_us(const Assembly& ballot) const {
  const wire::BallotEntry* const us = ballot.value().find(config_.self);
  if (us == nullptr) return false;
  // As a member of a view that it has not heard of yet it would miss that one's messages.
  if (state_ == State::kJoining) return us->flags == kEntryNew || leaves_unseen(ballot);
  return ballot.previous() == view_.id && (us->flags & kEntryOld) != 0;
}

// Is it the way out of a view that this node is a member of, and cannot come along to? Its vote may
// be needed for a quorum; it says nothing about streams.
bool Member::leaves_unseen(const Assembly& ballot) const {
  const wire::BallotEntry* const us = ballot.value().find(config_.self);
  return state_ == State::kJoining && us != nullptr && chosen_waits_ &&
         us->flags == (kEntryOld | wire::kEntryLeaves) &&
         ballot.previous() ==
             wire::ViewId{chosen_.id().epoch, chosen_.value().round, chosen_.value().coordinator};
}

void Member::take_install(const wire::BallotFrame& frame, const uint8_t* payload, size_t entries) {
  if (!chosen_waits_) chosen_.take(frame, payload, entries);
}

void Member::take_ballot(const wire::BallotFrame& frame, const uint8_t* payload, size_t entries) {
  if (promised_ && promised_->epoch == frame.ballot.epoch &&
      ballot_before(frame.ballot, *promised_)) {
    vote_due_ = true;  // the vote names the higher one
    return;
  }
  if (promised_ && promised_->epoch > frame.ballot.epoch && !may_begin_anew(frame.ballot)) return;
  const bool again = ballot_.has_all_of(frame);
  ballot_.take(frame, payload, entries);
  if (!ballot_.complete() || !concerns_us(ballot_)) return;
  follow(frame.phase);
  // A ballot that is said again is answered once for each of its parts. If the answer itself takes
  // several parts, that is too much for a fabric of many nodes: its last part is answered.
  if (!again || !votes_in_parts_ || frame.first + entries == frame.total) vote_due_ = true;
}

// A joiner's promise for a later view would keep it out of a first view for ever, once all whose
// view that was are dead. Where a first view needs all nodes, none of them is in a view any more;
// where it needs fewer, its coordinator asks no more than this either.
bool Member::may_begin_anew(const wire::BallotId& ballot) const {
  return state_ == State::kJoining && ballot.epoch == 1 && !detector_.another_view_is_there();
}

void Member::promise(const wire::BallotId& id) {
  if (promised_ && *promised_ == id) return;
  promised_ = id;
  stage_ = VoteStage::kPromised;
  vote_next_ = kSaid;
  wants_value_ = wants_accept_ = false;
  note_progress();
  if (accepted_ && accepted_->epoch != id.epoch) accepted_.reset();
  if (chosen_waits_ && chosen_.id().epoch > id.epoch) forget_chosen();  // it begins anew
  // A first view needs everybody: without us the one before this ballot is none.
  if (id.epoch == 1 && !accepted_) let_go();
  if (state_ == State::kOperational) {
    state_ = State::kRecovering;
    frozen_uptime_ns_ = detector_.uptime_ns();
  }
  host_.promised();
}

bool Member::departs(const wire::StreamName& name) const {
  const auto out_of = [&](const Assembly& ballot) {
    const auto* const entry = ballot.value().find(name);
    return entry != nullptr && (entry->flags & kEntryNew) == 0;
  };
  if (chosen_waits_) return out_of(chosen_);
  return promised_ && ballot_.is(*promised_) && ballot_.complete() && out_of(ballot_);
}

// The ballot of ballot_ has come this far, and is no lower than what was promised.
void Member::follow(BallotPhase phase) {
  promise(ballot_.id());
  if (accepted_ && *accepted_ != ballot_.id() && !report_.pending()) report_.begin();
  if (phase == BallotPhase::kPrepare || !ballot_.with_cuts()) return;
  if (stage_ == VoteStage::kPromised && !wants_value_) {
    wants_value_ = true;
    note_progress();
    look_at_streams();
  }
  if (phase == BallotPhase::kAccept && stage_ != VoteStage::kAccepted) wants_accept_ = true;
  seek_readiness();
}

void Member::follow_own(const wire::BallotId& id, BallotPhase phase, const Value& value) {
  ballot_.adopt(id, view_.id, value);
  if (phase == BallotPhase::kPropose) {
    wants_value_ = true;
    look_at_streams();
  }
  if (phase == BallotPhase::kAccept) wants_accept_ = true;
  seek_readiness();
}

void Member::choose(const wire::BallotId& id, const Value& value) {
  chosen_.adopt(id, view_.id, value);
}

// Notes whose streams others will ask this node for, and which it may ask of those who stay after
// all.
void Member::look_at_streams() {
  const auto& entries = ballot_.value().entries;
  for (const wire::BallotEntry& entry : entries) {
    const size_t peer = detector_.peer_named(entry.name);
    if (peer >= detector_.size()) continue;
    if ((entry.flags & kEntryNew) != 0) {
      host_.stays(peer);
    } else if (entries[entry.holder].name == config_.self) {
      host_.serve(peer, entry.cut);
    }
  }
}

// Is everything up to the cuts here, as far as it matters? Asks for what is missing of the
// departed. What nobody has of those is given up only when the value is `chosen`: by another one
// they may stay, and then what they have sent has to come.
bool Member::holds_all(const Value& value, bool chosen) {
  const wire::BallotEntry* const us = value.find(config_.self);
  const bool old = us != nullptr && (us->flags & kEntryOld) != 0 && state_ != State::kJoining;
  bool all = true;
  for (const wire::BallotEntry& entry : value.entries) {
    const bool stays = (entry.flags & kEntryNew) != 0;
    if (entry.name == config_.self || (!old && !stays)) continue;
    const size_t peer = detector_.peer_named(entry.name);
    if (peer == kNoRank) {
      all = false;
      continue;
    }
    const uint64_t held = host_.held_through(peer, entry.name);
    if (held != wire::kNotOpen && held >= entry.cut) continue;
    if (stays || held == wire::kNotOpen) {
      all = false;
      continue;
    }
    const bool here = host_.here_through(peer, entry.name) >= entry.cut;
    if (here && chosen) host_.give_up(peer, entry.cut);
    if (here && !chosen) continue;
    all = false;
    if (!here) host_.fetch(peer, entry.cut);
  }
  return all;
}

void Member::seek_readiness() {
  const wire::BallotEntry* const us = ballot_.value().find(config_.self);
  if (wants_value_ && ballot_.with_cuts()) {
    // A member that leaves needs nothing.
    const bool leaves = us != nullptr && (us->flags & kEntryNew) == 0;
    if (leaves || (us != nullptr && host_.settled() && holds_all(ballot_.value(), false))) {
      wants_value_ = false;
      hold_on();
      stage_ = VoteStage::kReady;
      vote_due_ = true;
      note_progress();
    }
  }
  if (wants_accept_ && stage_ == VoteStage::kReady) accept_value();
}

// From here on the value may be chosen. Nobody else sends again what its joiners say in it, so
// their streams may not be left for those of their next lives.
void Member::hold_on() {
  holds_on_ = true;
  const Value& value = ballot_.value();
  may_be_.id = {ballot_.id().epoch, value.round, value.coordinator};
  may_be_.members.clear();
  for (const wire::BallotEntry& entry : value.entries)
    if ((entry.flags & kEntryNew) != 0) may_be_.members.push_back(entry.name);
  host_.hold_on_to(&ballot_.value());
}

void Member::let_go() {
  if (!holds_on_) return;
  holds_on_ = false;
  host_.hold_on_to(nullptr);
}

void Member::withdraw() {
  const bool accepted = accepted_ && accepted_value_.round == may_be_.id.round &&
                        accepted_value_.coordinator == may_be_.id.coordinator;
  if (view_.id.epoch != 0 || stage_ != VoteStage::kReady || accepted) return;
  let_go();
  stage_ = VoteStage::kPromised;
}

void Member::accept_value() {
  wants_accept_ = false;
  stage_ = VoteStage::kAccepted;
  accepted_ = ballot_.id();
  accepted_value_ = ballot_.value();
  // A joiner may know that a first view was chosen, and wait for streams of its members. Once those
  // are dead, others make another first view: who accepts it goes with them. The ballots of any
  // later epoch have one value once it is chosen.
  if (chosen_waits_ && chosen_.id().epoch == ballot_.id().epoch &&
      (chosen_.value().round != accepted_value_.round ||
       chosen_.value().coordinator != accepted_value_.coordinator))
    forget_chosen();
  report_.stop();  // of the value before, perhaps half said
  vote_due_ = true;
  note_progress();
}

// A first view needs everybody: one that has promised more, and did not accept it, will not
// (Round::impossible). Unless that ballot is for fewer to complete, and the voter hears of the view
// only then.
bool Member::refutes(const wire::StreamName& voter, const wire::VoteFrame& vote) const {
  if (!holds_on_ || !accepted_ || vote.ballot.epoch != 1 || vote.ballot.round <= may_be_.id.round ||
      accepted_value_.find(voter) == nullptr)
    return false;
  if (promised_ && vote.ballot == *promised_ && ballot_.is(*promised_) && ballot_.complete()) {
    const Value& value = ballot_.value();
    if (ballot_.with_cuts() ? value.round == may_be_.id.round : value.find(voter) == nullptr)
      return false;
  }
  return !vote.has_accepted || vote.accepted.round < may_be_.id.round;
}

void Member::take_refutation(const wire::StreamName& voter, const wire::VoteFrame& vote) {
  if (!refutes(voter, vote)) return;
  let_go();
  accepted_.reset();  // or others would be asked to complete it when the voter is gone
}

// --- the view ------------------------------------------------------------------------------------

Member::Outcome Member::try_install(bool own) {
  if (!chosen_.complete()) return Outcome::kNone;
  const wire::BallotEntry* const us = chosen_.value().find(config_.self);
  const bool ours = state_ == State::kJoining ? us != nullptr && us->flags == kEntryNew
                                              : chosen_.previous() == view_.id;
  if (!ours) {
    forget_chosen();
    return Outcome::kNone;
  }
  // It has promised to leave that view.
  if (state_ == State::kJoining && promised_ && promised_->epoch > chosen_.id().epoch)
    return Outcome::kNone;
  if (us == nullptr || (us->flags & kEntryNew) == 0) {
    if (own) remember();
    return Outcome::kOut;
  }
  if (state_ == State::kOperational) promise(chosen_.id());
  chosen_waits_ = !host_.settled() || !holds_all(chosen_.value(), true);
  if (chosen_waits_) return Outcome::kNone;
  install();
  return Outcome::kInstalled;
}

void Member::install() {
  const Value& value = chosen_.value();
  std::swap(view_, before_);
  view_.id = {chosen_.id().epoch, value.round, value.coordinator};
  view_.members.clear();
  for (const wire::BallotEntry& entry : value.entries) {
    if ((entry.flags & kEntryNew) == 0) {
      expel(entry.name);
      continue;
    }
    if (entry.name == config_.self) own_rank_ = view_.members.size();
    view_.members.push_back(entry.name);
  }
  remember();
  if (state_ == State::kJoining) before_.members.clear();  // it was in none of those before
  state_ = State::kOperational;
  ++views_;
  promised_.reset();
  accepted_.reset();
  wants_value_ = wants_accept_ = chosen_waits_ = vote_due_ = holds_on_ = false;
  stage_ = VoteStage::kPromised;
  vote_next_ = kSaid;
  ballot_.reset();
  chosen_.reset();
  report_.stop();
}

// For those who have not heard it.
void Member::remember() {
  decision_.id = chosen_.id();
  decision_.previous = chosen_.previous();
  decision_.value = chosen_.value();
}

void Member::expel(const wire::StreamName& name) {
  if (expelled_.size() < kExpelled)
    expelled_.push_back(name);
  else
    expelled_[expelled_next_++ % kExpelled] = name;
}

bool Member::was_expelled(const wire::StreamName& name) const {
  return std::find(expelled_.begin(), expelled_.end(), name) != expelled_.end();
}

void Member::leave_view(bool left) {
  state_ = State::kExcluded;
  left_ = left;
  report_.stop();
  vote_next_ = kSaid;
  vote_due_ = wants_value_ = wants_accept_ = chosen_waits_ = false;
}

bool Member::ready_to_join() {
  const FailureDetector::Peer* with_view = nullptr;
  for (const auto& peer : detector_.peers()) {
    if (!detector_.alive(peer) || peer.said.view.epoch == 0) continue;
    if (with_view == nullptr || peer.said.view.epoch > with_view->said.view.epoch)
      with_view = &peer;
  }
  if (with_view != nullptr && with_view->said.view.epoch >= may_be_.id.epoch &&
      with_view->said.view != may_be_.id)
    let_go();  // it was not chosen, or has been over for long
  size_t open = 0;
  for (size_t i = 0; i < detector_.size(); ++i) {
    const auto& peer = detector_.at(i);
    if (!detector_.alive(peer) || peer.said_ns == 0) continue;
    const bool counts = with_view != nullptr ? peer.said.view == with_view->said.view
                                             : peer.said.state == State::kJoining;
    if (counts && host_.held_through(i, peer.name) != wire::kNotOpen) ++open;
  }
  if (with_view != nullptr) return open == with_view->said.members;
  // Some members of a first view that may have been chosen may be dead.
  return holds_on_to_first() || open + 1 >= config_.initial_nodes;
}

// --- what it says --------------------------------------------------------------------------------

wire::VoteFrame Member::vote_about(const wire::BallotId& id, size_t entries) const {
  const auto total = static_cast<uint16_t>(entries);
  return {id, stage_, accepted_.has_value(), accepted_.value_or(id), 0, total};
}

uint64_t Member::position_of(const wire::StreamName& name) const {
  const size_t peer = detector_.peer_named(name);
  return peer == kNoRank ? wire::kNotOpen : host_.held_through(peer, name);
}

// About the ballot promised, in as many parts as it takes. Not said if its list is not here.
size_t Member::write_vote(uint8_t* payload, size_t room) {
  if (vote_next_ == kSaid) {
    vote_due_ = false;
    vote_next_ = 0;
  }
  const auto& entries = ballot_.value().entries;
  const size_t first = std::exchange(vote_next_, kSaid);
  if (!promised_ || !ballot_.is(*promised_) || !ballot_.complete() || first >= entries.size())
    return 0;
  const size_t count = std::min(entries.size() - first, (room - wire::kVoteBytes) / 8);
  if (first + count < entries.size()) vote_next_ = first + count;
  votes_in_parts_ = count < entries.size();
  const bool wide = count < entries.size() || ballot_.value().wide();
  wire::store_control_header(control_header(config_.self, wire::ControlKind::kVote, count, wide),
                             payload);
  wire::VoteFrame vote = vote_about(*promised_, entries.size());
  vote.first = static_cast<uint16_t>(first);
  wire::store_vote(vote, payload);
  const bool knows = !leaves_unseen(ballot_);
  for (size_t i = 0; i < count; ++i) {
    wire::store_vote_position(knows ? position_of(entries[first + i].name) : wire::kNotOpen,
                              payload, i);
  }
  ++votes_;
  return wire::kVoteBytes + count * 8;
}

size_t Member::write_report(uint8_t* payload, size_t room) {
  ++reports_;
  return report_.write(payload, room, config_.self, *accepted_, view_.id, BallotPhase::kReport,
                       accepted_value_);
}

}  // namespace lambdacast::membership
