// Membership as a member: promises, content to be held, acceptance, installation.
#include <algorithm>

#include "membership/membership_protocol.h"

namespace lambdacast::membership {

using wire::BallotPhase;
using wire::kEntryNew;
using wire::kEntryOld;
using wire::VoteStage;

// Is the ballot about what follows our view, with us? Who joins takes part in any that names it.
bool MembershipProtocol::concerns_us(const Assembly& ballot) const {
  const wire::BallotEntry* const us = ballot.value().find(config_.self);
  if (us == nullptr) return false;
  // As a member of a view that it has not heard of yet it would miss that one's messages.
  if (state_ == State::kJoining) return us->flags == kEntryNew || leaves_unseen(ballot);
  return ballot.previous() == view_.id && (us->flags & kEntryOld) != 0;
}

// Is it the way out of a view that this node is a member of, and cannot come along to? Its vote may
// be needed for a quorum; it says nothing about streams.
bool MembershipProtocol::leaves_unseen(const Assembly& ballot) const {
  const wire::BallotEntry* const us = ballot.value().find(config_.self);
  return state_ == State::kJoining && us != nullptr && chosen_waits_ &&
         us->flags == (kEntryOld | wire::kEntryLeaves) &&
         ballot.previous() ==
             wire::ViewId{chosen_.id().epoch, chosen_.value().round, chosen_.value().coordinator};
}

void MembershipProtocol::take_ballot(const uint8_t* payload, const wire::ControlHeader& header) {
  const wire::BallotFrame frame = wire::load_ballot(payload);
  if (frame.phase == BallotPhase::kReport) return take_report(frame, payload, header.entries);
  if (frame.phase == BallotPhase::kInstall) {
    if (state_ != State::kJoining && frame.ballot.epoch != view_.id.epoch + 1) return;
    if (!chosen_waits_) chosen_.take(frame, payload, header.entries);
    return;
  }
  if (state_ != State::kJoining && frame.ballot.epoch != view_.id.epoch + 1) return;
  seen_round_ = std::max(seen_round_, frame.ballot.round);
  if (promised_ && promised_->epoch == frame.ballot.epoch &&
      ballot_before(frame.ballot, *promised_)) {
    vote_due_ = true;  // the vote names the higher one
    return;
  }
  if (promised_ && promised_->epoch > frame.ballot.epoch && !may_begin_anew(frame.ballot)) return;
  ballot_.take(frame, payload, header.entries);
  if (ballot_.complete() && concerns_us(ballot_)) follow(frame.phase);
}

// A promise that all whose view it was have taken with them would keep who joins out of a first
// view for ever. Where that needs all nodes, none of them is in a view any more; where it needs
// fewer, its coordinator asks no more than this either.
bool MembershipProtocol::may_begin_anew(const wire::BallotId& ballot) const {
  return state_ == State::kJoining && ballot.epoch == 1 && !another_view_is_there();
}

void MembershipProtocol::promise(const wire::BallotId& id) {
  if (promised_ && *promised_ == id) return;
  if (round_.active() && round_.id() != id) round_.abandon();
  promised_ = id;
  stage_ = VoteStage::kPromised;
  wants_value_ = wants_accept_ = false;
  progress_lived_ns_ = clock_.uptime_ns();
  if (accepted_ && accepted_->epoch != id.epoch) accepted_.reset();
  if (chosen_waits_ && chosen_.id().epoch > id.epoch) {  // it begins anew
    chosen_.reset();
    chosen_waits_ = false;
  }
  // A first view needs everybody: without us the one before this ballot is none.
  if (id.epoch == 1 && !accepted_) let_go();
  if (state_ == State::kOperational) {
    state_ = State::kRecovering;
    frozen_lived_ns_ = clock_.uptime_ns();
  }
  host_.promised();
}

bool MembershipProtocol::departs(size_t peer) const {
  const auto out_of = [&](const Assembly& ballot) {
    const auto* const entry = ballot.value().find(view_.members[peers_[peer].rank]);
    return entry != nullptr && (entry->flags & kEntryNew) == 0;
  };
  if (chosen_waits_) return out_of(chosen_);
  return promised_ && ballot_.is(*promised_) && ballot_.complete() && out_of(ballot_);
}

// The ballot of ballot_ has come this far, and is no lower than what was promised.
void MembershipProtocol::follow(BallotPhase phase) {
  promise(ballot_.id());
  vote_due_ = true;
  if (accepted_ && *accepted_ != ballot_.id() && report_next_ == kDone) report_next_ = 0;
  if (phase == BallotPhase::kPrepare || !ballot_.with_cuts()) return;
  if (stage_ == VoteStage::kPromised && !wants_value_) {
    wants_value_ = true;
    progress_lived_ns_ = clock_.uptime_ns();
    look_at_streams();
  }
  if (phase == BallotPhase::kAccept && stage_ != VoteStage::kAccepted) wants_accept_ = true;
  seek_readiness();
}

// What others will ask us for, and what we may ask of those who stay after all.
void MembershipProtocol::look_at_streams() {
  const auto& entries = ballot_.value().entries;
  for (const wire::BallotEntry& entry : entries) {
    const size_t peer = peer_named(entry.name);
    if (peer >= peers_.size()) continue;
    if ((entry.flags & kEntryNew) != 0) {
      host_.stays(peer);
    } else if (entries[entry.holder].name == config_.self) {
      host_.serve(peer, entry.cut);
    }
  }
}

// Everything up to the cuts, as far as it matters here. Asks for what is missing of the departed.
// What nobody has of those is given up only when the value is `chosen`: by another one they may
// stay, and then what they have sent has to come.
bool MembershipProtocol::holds_all(const Value& value, bool chosen) {
  const wire::BallotEntry* const us = value.find(config_.self);
  const bool old = us != nullptr && (us->flags & kEntryOld) != 0 && state_ != State::kJoining;
  bool all = true;
  for (const wire::BallotEntry& entry : value.entries) {
    const bool stays = (entry.flags & kEntryNew) != 0;
    if (entry.name == config_.self || (!old && !stays)) continue;
    const size_t peer = peer_named(entry.name);
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

void MembershipProtocol::seek_readiness() {
  const wire::BallotEntry* const us = ballot_.value().find(config_.self);
  if (wants_value_ && ballot_.with_cuts()) {
    // Who leaves needs nothing.
    const bool leaves = us != nullptr && (us->flags & kEntryNew) == 0;
    if (leaves || (us != nullptr && host_.settled() && holds_all(ballot_.value(), false))) {
      wants_value_ = false;
      hold_on();
      stage_ = VoteStage::kReady;
      vote_due_ = true;
      progress_lived_ns_ = clock_.uptime_ns();
    }
  }
  if (wants_accept_ && stage_ == VoteStage::kReady) accept_value();
}

// From here on the value may be chosen. Nobody else sends again what those who join say in it, so
// their streams may not be left for those of their next lives.
void MembershipProtocol::hold_on() {
  holds_on_ = true;
  may_be_ = {ballot_.id().epoch, ballot_.value().round, ballot_.value().coordinator};
  host_.hold_on_to(&ballot_.value());
}

void MembershipProtocol::let_go() {
  if (!holds_on_) return;
  holds_on_ = false;
  host_.hold_on_to(nullptr);
}

void MembershipProtocol::accept_value() {
  wants_accept_ = false;
  stage_ = VoteStage::kAccepted;
  accepted_ = ballot_.id();
  accepted_value_ = ballot_.value();
  report_next_ = kDone;  // of the one before, perhaps half said
  vote_due_ = true;
  progress_lived_ns_ = clock_.uptime_ns();
}

// --- the view ------------------------------------------------------------------------------------

void MembershipProtocol::try_install(uint64_t now_ns) {
  if (!chosen_.complete()) return;
  const wire::BallotEntry* const us = chosen_.value().find(config_.self);
  const bool ours = state_ == State::kJoining ? us != nullptr && us->flags == kEntryNew
                                              : chosen_.previous() == view_.id;
  if (!ours) {
    chosen_.reset();
    chosen_waits_ = false;
    return;
  }
  // It has promised to leave that view.
  if (state_ == State::kJoining && promised_ && promised_->epoch > chosen_.id().epoch) return;
  if (us == nullptr || (us->flags & kEntryNew) == 0) {
    // Whoever brought it about says so before it goes.
    const bool ours_to_say = round_.active() && round_.id() == chosen_.id();
    if (ours_to_say) remember(chosen_, now_ns);
    leave_view(leaving_);
    if (ours_to_say) farewells_ = kFarewells;
    return;
  }
  if (state_ == State::kOperational) promise(chosen_.id());
  chosen_waits_ = !host_.settled() || !holds_all(chosen_.value(), true);
  if (!chosen_waits_) install(chosen_, now_ns);
}

void MembershipProtocol::install(const Assembly& chosen, uint64_t now_ns) {
  const Value& value = chosen.value();
  next_view_.id = {chosen.id().epoch, value.round, value.coordinator};
  next_view_.members.clear();
  rank_peer_.clear();
  for (Peer& peer : peers_) {
    peer.rank = kNoRank;
    peer.along_uptime_ns = clock_.uptime_ns();
  }
  for (const wire::BallotEntry& entry : value.entries) {
    if ((entry.flags & kEntryNew) == 0) {
      if (expelled_.size() < kExpelled)
        expelled_.push_back(entry.name);
      else
        expelled_[expelled_next_++ % kExpelled] = entry.name;
      continue;
    }
    const size_t rank = next_view_.members.size();
    const size_t peer = peer_named(entry.name);
    if (entry.name == config_.self) own_rank_ = rank;
    if (peer < peers_.size()) peers_[peer].rank = rank;
    rank_peer_.push_back(peer);
    next_view_.members.push_back(entry.name);
  }
  remember(chosen, now_ns);
  std::swap(view_, next_view_);
  const bool first = state_ == State::kJoining;
  state_ = State::kOperational;
  ++counters_.views;
  suspected_.clear();
  slow_.clear();
  round_.abandon();
  promised_.reset();
  accepted_.reset();
  wants_value_ = wants_accept_ = chosen_waits_ = vote_due_ = holds_on_ = false;
  stage_ = VoteStage::kPromised;
  ballot_.reset();
  chosen_.reset();
  ballot_next_ = report_next_ = kDone;
  seen_round_ = 0;
  joiners_ = 0;
  out_.clear();
  hurry();
  next_look_ns_ = 0;
  if (first) next_view_.members.clear();  // it was in none of those before
  host_.installed(next_view_, view_, installed_value_);
}

// What is said to those who have not heard it.
void MembershipProtocol::remember(const Assembly& chosen, uint64_t now_ns) {
  installed_id_ = chosen.id();
  installed_previous_ = chosen.previous();
  installed_value_ = chosen.value();
  install_next_ = round_.active() && round_.id() == chosen.id() ? 0 : kDone;
  install_said_ns_ = now_ns;
}

// The others go on hearing this node: what it says beside membership. So it says that it is out,
// until it hears that they have gone on.
void MembershipProtocol::abandon() {
  if (state_ == State::kExcluded) return;
  leave_view(false);
  says_out_ = true;
  hurry();
}

void MembershipProtocol::leave_view(bool left) {
  if (state_ == State::kExcluded) return;
  state_ = State::kExcluded;
  left_ = left;
  round_.abandon();
  ballot_next_ = report_next_ = kDone;
  vote_due_ = wants_value_ = wants_accept_ = chosen_waits_ = false;
  host_.excluded(left);
}

}  // namespace lambdacast::membership
