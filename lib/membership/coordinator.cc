// Membership as a coordinator: when the view has to change, and driving a round to its end.
#include <algorithm>

#include "membership/membership_protocol.h"

namespace lambdacast::membership {

using wire::BallotPhase;
using wire::kEntryNew;
using wire::kEntryOld;

bool MembershipProtocol::another_view_is_there() const {
  return std::any_of(peers_.begin(), peers_.end(), [&](const Peer& peer) {
    return alive(peer) && peer.said.view.epoch != 0 && peer.said.state != State::kExcluded;
  });
}

// A member that has had time enough, and has not come along: it lacks what nobody can give it, such
// as the stream of a life that died before the view began. As another life it may join.
bool MembershipProtocol::stays_behind(const Peer& peer) const {
  return peer.said.view.epoch < view_.id.epoch &&
         clock_.uptime_ns() - peer.along_uptime_ns > 2 * config_.suspect_after_ns;
}

// Or has to.
bool MembershipProtocol::is_leaving(size_t rank) const {
  if (rank == own_rank_) return leaving_;
  const Peer& peer = peers_[rank_peer_[rank]];
  return (peer.flags & wire::kMemberLeaving) != 0 || stays_behind(peer);
}

// The lowest of those alive: by rank, or in no view by name.
bool MembershipProtocol::leads() const {
  if (state_ == State::kExcluded) return false;
  if (view_.id.epoch != 0) {
    // Whoever leaves leads only if nobody stays, the lowest of them.
    for (size_t rank = 0; rank < (leaving_ ? view_.size() : own_rank_); ++rank) {
      if (rank == own_rank_ || suspects(rank)) continue;
      if (!is_leaving(rank) || (leaving_ && rank < own_rank_)) return false;
    }
    return true;
  }
  if (another_view_is_there() || leaving_) return false;
  return std::none_of(peers_.begin(), peers_.end(), [&](const Peer& peer) {
    return alive(peer) && peer.said_ns != 0 && peer.said.state == State::kJoining &&
           name_before(peer.name, config_.self);
  });
}

// Does it hear the streams of all who are to be in a view with it?
bool MembershipProtocol::ready_to_join() {
  const Peer* with_view = nullptr;
  for (const Peer& peer : peers_) {
    if (!alive(peer) || peer.said.view.epoch == 0) continue;
    if (with_view == nullptr || peer.said.view.epoch > with_view->said.view.epoch)
      with_view = &peer;
  }
  if (with_view != nullptr && with_view->said.view.epoch >= may_be_.epoch &&
      with_view->said.view != may_be_)
    let_go();  // it was not chosen, or has been over for long
  size_t open = 0;
  for (size_t i = 0; i < peers_.size(); ++i) {
    const Peer& peer = peers_[i];
    if (!alive(peer) || peer.said_ns == 0) continue;
    const bool counts = with_view != nullptr ? peer.said.view == with_view->said.view
                                             : peer.said.state == State::kJoining;
    if (counts && host_.held_through(i, peer.name) != wire::kNotOpen) ++open;
  }
  if (with_view != nullptr) return open == with_view->said.members;
  // Of a first view that may have been chosen some may be dead.
  return holds_on_ || open + 1 >= config_.initial_nodes;
}

// To a first view that may have been chosen, for all that it knows: the vote that says otherwise
// may have been lost on its way to it. It does not hear the next lives of that view's members.
bool MembershipProtocol::somebody_holds_on() const {
  return std::any_of(peers_.begin(), peers_.end(), [&](const Peer& peer) {
    return alive(peer) && peer.said.state == State::kJoining &&
           (peer.flags & wire::kMemberHolds) != 0;
  });
}

bool MembershipProtocol::may_join(const Peer& peer) const {
  if (!alive(peer) || peer.said_ns == 0 || peer.said.state != State::kJoining) return false;
  if ((peer.flags & wire::kMemberReady) == 0 || (peer.flags & wire::kMemberLeaving) != 0)
    return false;
  // Its earlier life is a member still: one view without that first.
  return peer.rank == kNoRank && !was_expelled(peer.name);
}

// What the view should be. False: as it is.
bool MembershipProtocol::propose(Value& out) const {
  const base::NodeSet out_of_it = given_up();
  out.entries.clear();
  bool differs = view_.id.epoch == 0 || state_ == State::kRecovering || holds_on_;
  // A view without anybody of the one before would know nothing of it: nobody could tell those who
  // join what was delivered. If all leave, this node goes last.
  bool one_stays = false;
  for (size_t rank = 0; rank < view_.size(); ++rank)
    one_stays = one_stays || (!out_of_it.contains(rank) && !is_leaving(rank));
  for (size_t rank = 0; rank < view_.size(); ++rank) {
    const bool leaves = is_leaving(rank) && (one_stays || rank != own_rank_);
    const bool gone = out_of_it.contains(rank);
    const bool stays = !gone && !leaves;
    differs = differs || !stays;
    const uint8_t fate = stays ? kEntryNew : gone ? uint8_t{0} : wire::kEntryLeaves;
    out.entries.push_back({view_.members[rank], 0, static_cast<uint8_t>(kEntryOld | fate), 0});
  }
  const size_t old = out.entries.size();
  if (view_.id.epoch == 0) out.entries.push_back({config_.self, 0, kEntryNew, 0});
  size_t members = out.count(kEntryNew);
  for (const Peer& peer : peers_) {
    if (members == wire::kMaxMembers || out.entries.size() == out.entries.capacity()) break;
    if (!may_join(peer)) continue;
    out.entries.push_back({peer.name, 0, kEntryNew, 0});
    ++members;
    differs = true;
  }
  std::sort(out.entries.begin() + static_cast<std::ptrdiff_t>(old), out.entries.end(),
            [](const wire::BallotEntry& a, const wire::BallotEntry& b) {
              return name_before(a.name, b.name);
            });
  // A first view that may have been chosen has its own members, whoever is there to complete it.
  const bool completes = view_.id.epoch == 0 && (holds_on_ || somebody_holds_on());
  return differs && members != 0 && (members >= config_.minimum_partition || completes);
}

// Is somebody that the round needs gone, or somebody back that it had given up?
bool MembershipProtocol::outdated(const Value& value) const {
  if (round_.adopted()) return false;  // it is as it is
  const base::NodeSet gone = given_up();
  for (const wire::BallotEntry& entry : value.entries) {
    if (entry.name == config_.self) continue;
    const size_t old_rank = view_.rank_of(entry.name);
    const bool back =
        entry.flags == kEntryOld || (entry.flags == (kEntryOld | wire::kEntryLeaves) &&
                                     old_rank != kNoRank && !is_leaving(old_rank));
    if (back && old_rank != kNoRank && !gone.contains(old_rank) &&
        round_.phase() == BallotPhase::kPrepare) {
      return true;
    }
    const bool holds = round_.phase() != BallotPhase::kPrepare &&
                       std::any_of(value.entries.begin(), value.entries.end(),
                                   [&](const wire::BallotEntry& other) {
                                     return (other.flags & kEntryNew) == 0 &&
                                            value.entries[other.holder].name == entry.name;
                                   });
    if ((entry.flags & kEntryNew) == 0 && !holds) continue;
    const size_t rank = view_.rank_of(entry.name);
    if (rank != kNoRank && gone.contains(rank)) return true;
    const size_t peer = peer_named(entry.name);
    if (rank == kNoRank &&
        (peer >= peers_.size() || peers_[peer].name != entry.name || !alive(peers_[peer]))) {
      return true;
    }
  }
  return false;
}

// A ballot that somebody else drives has time, and then the next one's time.
bool MembershipProtocol::waits_for_its_ballot() const {
  if (!promised_ || promised_->proposer == config_.self) return false;
  const size_t proposer = view_.rank_of(promised_->proposer);
  const size_t peer = peer_named(promised_->proposer);
  const bool gone =
      proposer != kNoRank ? suspects(proposer) : peer >= peers_.size() || !alive(peers_[peer]);
  const uint64_t patience_ns = config_.suspect_after_ns / 2 + 8 * config_.retry_ns;
  return !gone && clock_.uptime_ns() - progress_lived_ns_ < patience_ns;
}

void MembershipProtocol::coordinate(uint64_t now_ns) {
  if (waits_for_its_ballot()) return;
  // What it is ready for and has accepted in no ballot is not chosen. Should the ballot go on after
  // all, it has to be ready again.
  const bool accepted = accepted_ && accepted_value_.round == may_be_.round &&
                        accepted_value_.coordinator == may_be_.coordinator;
  if (view_.id.epoch == 0 && stage_ == wire::VoteStage::kReady && !accepted && !round_.active()) {
    let_go();
    stage_ = wire::VoteStage::kPromised;
  }
  if (!leads()) {
    if (round_.active() && view_.id.epoch == 0) round_.abandon();
    return;
  }
  if (round_.active()) {
    const bool stuck =
        clock_.uptime_ns() - progress_lived_ns_ > config_.suspect_after_ns + 8 * config_.retry_ns;
    // What is accepted may be chosen: only a vote of somebody gone can be done without.
    if (outdated(round_.value()) || stuck) return begin_round(now_ns);
    return drive_round(now_ns);
  }
  if (!propose(wanted_)) {
    // There is nobody to whom it could leave anything.
    if (leaving_ && view_.size() == 1 && state_ == State::kOperational) leave_view(true);
    return;
  }
  const size_t joiners = wanted_.entries.size() - view_.size();
  // One that may have been chosen is completed by fewer than it takes to make another.
  if (view_.id.epoch == 0 && joiners < config_.initial_nodes && !holds_on_ && !somebody_holds_on())
    return;
  // Those who come together should be let in together.
  const bool only_joins = state_ == State::kOperational &&
                          wanted_.count(kEntryOld) == view_.size() &&
                          wanted_.count(kEntryNew) == wanted_.entries.size();
  if (joiners != joiners_) {
    joiners_ = joiners;
    joiners_since_ns_ = now_ns;
  }
  if ((only_joins || view_.id.epoch == 0) &&
      now_ns - joiners_since_ns_ < 2 * config_.heartbeat_ns) {
    return;
  }
  begin_round(now_ns);
}

void MembershipProtocol::begin_round(uint64_t now_ns) {
  if (!propose(wanted_)) {
    round_.abandon();
    return;
  }
  const uint64_t highest = std::max(seen_round_, promised_ ? promised_->round : 0);
  const wire::BallotId id{view_.id.epoch + 1, highest + 1, config_.self};
  seen_round_ = id.round;
  ++counters_.rounds;
  promise(id);
  round_.begin(id, wanted_);
  report_.reset();
  ballot_next_ = 0;
  resend_ns_ = now_ns + config_.retry_ns;
  drive_round(now_ns);
}

// Our own vote needs no frame.
void MembershipProtocol::own_vote() {
  wire::VoteFrame vote{round_.id(), stage_, accepted_.has_value(),
                       accepted_.value_or(wire::BallotId{})};
  const auto& entries = round_.value().entries;
  for (size_t i = 0; i < entries.size(); ++i) {
    const size_t peer = peer_named(entries[i].name);
    positions_[i] = peer == kNoRank ? wire::kNotOpen : host_.held_through(peer, entries[i].name);
  }
  if (accepted_) round_.report(*accepted_, accepted_value_);
  round_.vote(config_.self, vote, {positions_.data(), entries.size()});
}

void MembershipProtocol::drive_round(uint64_t now_ns) {
  for (;;) {
    own_vote();
    if (!round_.advance()) {
      if (!round_.too_few()) break;
      // It was not chosen, and they are too few for another one.
      round_.abandon();
      for (Peer& peer : peers_) peer.flags &= static_cast<uint8_t>(~wire::kMemberHolds);
      return let_go();
    }
    progress_lived_ns_ = clock_.uptime_ns();
    ballot_next_ = 0;
    resend_ns_ = now_ns + config_.retry_ns;
    const Value& value = round_.value();
    if (round_.phase() == BallotPhase::kInstall) {
      chosen_.adopt(round_.id(), view_.id, value);
      ballot_next_ = kDone;
      return try_install(now_ns);
    }
    ballot_.adopt(round_.id(), view_.id, value);
    if (round_.phase() == BallotPhase::kPropose) {
      wants_value_ = true;
      look_at_streams();
    }
    if (round_.phase() == BallotPhase::kAccept) wants_accept_ = true;
    seek_readiness();
  }
  if (now_ns >= resend_ns_ && ballot_next_ == kDone) {
    ballot_next_ = 0;
    resend_ns_ = now_ns + config_.retry_ns;
  }
}

// Does the vote say that the first view which this node has accepted is none? It needs everybody:
// one that has promised more, and did not accept it, will not (Round::impossible). Unless that
// ballot is for fewer to complete, and who votes hears of it only then.
bool MembershipProtocol::refutes(const wire::StreamName& voter, const wire::VoteFrame& vote) const {
  if (!holds_on_ || !accepted_ || vote.ballot.epoch != 1 || vote.ballot.round <= may_be_.round ||
      accepted_value_.find(voter) == nullptr)
    return false;
  if (promised_ && vote.ballot == *promised_ && ballot_.is(*promised_) && ballot_.complete()) {
    const Value& value = ballot_.value();
    if (ballot_.with_cuts() ? value.round == may_be_.round : value.find(voter) == nullptr)
      return false;
  }
  return !vote.has_accepted || vote.accepted.round < may_be_.round;
}

void MembershipProtocol::take_vote(Peer& peer, const uint8_t* payload,
                                   const wire::ControlHeader& header) {
  const wire::VoteFrame vote = wire::load_vote(payload);
  if (vote.ballot.epoch != view_.id.epoch + 1) return;
  seen_round_ = std::max(seen_round_, vote.ballot.round);
  if (refutes(peer.name, vote)) {
    let_go();
    accepted_.reset();  // or others would be asked to complete it when the voter is gone
  }
  if (!round_.active()) return;
  if (vote.ballot != round_.id()) {
    // A higher one has been promised there: this round cannot succeed any more.
    if (ballot_before(round_.id(), vote.ballot)) round_.abandon();
    return;
  }
  const size_t entries = std::min<size_t>(header.entries, positions_.size());
  bool knows = false;
  for (size_t i = 0; i < entries; ++i) {
    positions_[i] = wire::load_vote_position(payload, i);
    knows = knows || positions_[i] != wire::kNotOpen;
  }
  const bool member = knows && peer.rank != kNoRank;
  const bool came = member && peer.said.view.epoch < view_.id.epoch;
  if (came) {  // along after all
    peer.said.view = view_.id;
    peer.said.suspects.clear();  // by the ranks of the view before
  }
  // It may have said so a moment ago: a ballot begun before would be without it.
  if ((came || (member && round_.phase() == BallotPhase::kPrepare)) && outdated(round_.value()))
    return;
  round_.vote(peer.name, vote, {positions_.data(), entries});
}

void MembershipProtocol::take_report(const wire::BallotFrame& frame, const uint8_t* payload,
                                     size_t entries) {
  if (!round_.active() || frame.ballot.epoch != round_.id().epoch) return;
  report_.take(frame, payload, entries);
  if (report_.complete()) round_.report(report_.id(), report_.value());
}

}  // namespace lambdacast::membership
