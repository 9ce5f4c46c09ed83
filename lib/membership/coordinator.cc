// SPDX-License-Identifier: BSD-3-Clause
#include "membership/coordinator.h"

#include <algorithm>

namespace lambdacast::membership {

using wire::BallotPhase;
using wire::kEntryNew;
using wire::kEntryOld;

namespace {

// Down to whole ones, but never to 0, which would be no limit.
uint32_t in_mbps(uint64_t bps) {
  constexpr uint64_t kMega = 1'000'000;
  if (bps == 0) return 0;
  return static_cast<uint32_t>(std::clamp<uint64_t>(bps / kMega, 1, ~uint32_t{0}));
}

}  // namespace

Coordinator::Coordinator(const MembershipConfig& config, FailureDetector& detector, Member& member)
    : config_(config),
      detector_(detector),
      member_(member),
      round_(config.tie_breaker, std::max(config.initial_nodes, config.minimum_partition)) {}

// --- who leads, who leaves -----------------------------------------------------------------------

// A member that has had time enough, and has not come along: it lacks what nobody can give it, such
// as the stream of an incarnation that died before the view began. As another incarnation it may
// join.
bool Coordinator::stays_behind(const Peer& peer) const {
  return peer.said.view.epoch < member_.view().id.epoch &&
         detector_.uptime_ns() - peer.along_uptime_ns > 2 * config_.suspect_after_ns;
}

// Does the member of that rank wish to leave, or have to?
bool Coordinator::is_leaving(size_t rank) const {
  if (rank == member_.own_rank()) return member_.leaving();
  const Peer& peer = detector_.member(rank);
  return (peer.flags & wire::kMemberLeaving) != 0 || stays_behind(peer);
}

// Is this node the lowest of those alive: by rank, or in no view by name?
bool Coordinator::leads() const {
  if (member_.state() == State::kExcluded) return false;
  const View& view = member_.view();
  const size_t own_rank = member_.own_rank();
  const bool leaving = member_.leaving();
  if (view.id.epoch != 0) {
    // A member that leaves leads only if nobody stays, the lowest of them.
    for (size_t rank = 0; rank < (leaving ? view.size() : own_rank); ++rank) {
      if (rank == own_rank || detector_.suspects(rank)) continue;
      if (!is_leaving(rank) || (leaving && rank < own_rank)) return false;
    }
    return true;
  }
  if (detector_.another_view_is_there() || leaving) return false;
  const auto& peers = detector_.peers();
  return std::none_of(peers.begin(), peers.end(), [&](const Peer& peer) {
    return detector_.alive(peer) && peer.said_ns != 0 && peer.said.state == State::kJoining &&
           peer.order == config_.order && name_before(peer.name, config_.self);
  });
}

// --- the next view -------------------------------------------------------------------------------

bool Coordinator::wants_in(const Peer& peer) const {
  return detector_.alive(peer) && peer.said_ns != 0 && peer.said.state == State::kJoining &&
         (peer.flags & wire::kMemberLeaving) == 0 && peer.order == config_.order;
}

// Is the peer ready for the next view?
bool Coordinator::may_join(const Peer& peer) const {
  if (!wants_in(peer) || (peer.flags & wire::kMemberReady) == 0) return false;
  // While its earlier incarnation is a member still, one view without that comes first.
  return peer.rank == kNoRank && !member_.was_expelled(peer.name);
}

// The ranks that the next view is to be without. Accusations that would leave no quorum, or fewer
// than a view must have, are disregarded: members whose ballots have failed so far hold each
// other's windows back, and nobody is slow.
base::NodeSet Coordinator::given_up() const {
  const base::NodeSet& suspected = detector_.suspected();
  const base::NodeSet all = suspected | detector_.accused();
  if (all == suspected) return all;
  const View& view = member_.view();
  size_t left = 0;
  bool tie_broken = false;
  const auto& peers = detector_.peers();
  auto members = static_cast<size_t>(
      std::count_if(peers.begin(), peers.end(), [&](const Peer& peer) { return may_join(peer); }));
  for (size_t rank = 0; rank < view.size(); ++rank) {
    if (all.contains(rank)) continue;
    ++left;
    if (!is_leaving(rank)) ++members;
    tie_broken = tie_broken || view.members[rank].gid == config_.tie_breaker;
  }
  const bool quorum = is_quorum(left, view.size(), tie_broken);
  return quorum && members >= config_.minimum_partition ? all : suspected;
}

// Writes what becomes of the view's members. True: not all of them stay.
bool Coordinator::propose_old(Value& out) const {
  const View& view = member_.view();
  const base::NodeSet out_of_it = given_up();
  bool differs = false;
  // A view without anybody of the one before would know nothing of it: nobody could tell the
  // joiners what was delivered. If all leave, this node goes last.
  bool one_stays = false;
  for (size_t rank = 0; rank < view.size(); ++rank)
    one_stays = one_stays || (!out_of_it.contains(rank) && !is_leaving(rank));
  for (size_t rank = 0; rank < view.size(); ++rank) {
    const bool leaves = is_leaving(rank) && (one_stays || rank != member_.own_rank());
    const bool gone = out_of_it.contains(rank);
    const bool stays = !gone && !leaves;
    differs = differs || !stays;
    const uint8_t fate = stays ? kEntryNew : gone ? uint8_t{0} : wire::kEntryLeaves;
    out.entries.push_back({view.members[rank], 0, static_cast<uint8_t>(kEntryOld | fate), 0, 0});
  }
  return differs;
}

// Can everybody that stays be in a wide view? Members of one can.
bool Coordinator::may_be_wide(const Value& old) const {
  const View& view = member_.view();
  if (view.size() > wire::kMaxNarrowMembers) return true;
  for (size_t rank = 0; rank < view.size(); ++rank) {
    if (rank == member_.own_rank() || (old.entries[rank].flags & kEntryNew) == 0) continue;
    if ((detector_.member(rank).flags & wire::kMemberWide) == 0) return false;
  }
  return true;
}

// Adds the joiners, by name. True: there are any. Where they would make a wide view, those that
// cannot be in one stay outside; where somebody that stays cannot, the view takes no more than 64.
bool Coordinator::propose_new(Value& out) {
  const size_t old = out.entries.size();
  const auto& peers = detector_.peers();
  const auto candidates = static_cast<size_t>(
      std::count_if(peers.begin(), peers.end(), [&](const Peer& peer) { return may_join(peer); }));
  const bool first = member_.view().id.epoch == 0;
  size_t members = out.count(kEntryNew) + (first ? 1 : 0);
  const bool wide =
      (old > wire::kMaxNarrowMembers || members + candidates > wire::kMaxNarrowMembers) &&
      may_be_wide(out);
  const size_t most = wide ? wire::kMaxMembers : wire::kMaxNarrowMembers;
  if (first) out.entries.push_back({config_.self, 0, kEntryNew, 0, in_mbps(config_.room_bps)});
  bool joins = false;
  held_out_ = 0;
  for (const Peer& peer : peers) {
    if (wide && wants_in(peer) && (peer.flags & wire::kMemberWide) == 0) {
      ++held_out_;  // hears too little of a wide view to be ready for it
      continue;
    }
    if (!may_join(peer)) continue;
    if (members >= most || out.entries.size() == 2 * wire::kMaxMembers) {
      ++held_out_;
      continue;
    }
    out.entries.push_back({peer.name, 0, kEntryNew, 0, in_mbps(peer.said.room_bps)});
    ++members;
    joins = true;
  }
  std::sort(out.entries.begin() + static_cast<std::ptrdiff_t>(old), out.entries.end(),
            [](const wire::BallotEntry& a, const wire::BallotEntry& b) {
              return name_before(a.name, b.name);
            });
  return joins;
}

// Writes what the next view should be. False: it should be as it is, or cannot be.
bool Coordinator::propose(Value& out) {
  const bool first = member_.view().id.epoch == 0;
  out.entries.clear();
  bool differs = first || member_.state() == State::kRecovering || member_.holds_on();
  if (propose_old(out)) differs = true;
  if (propose_new(out)) differs = true;
  const size_t members = out.count(kEntryNew);
  // A first view that may have been chosen has its own members, whoever is there to complete it.
  const bool completes = first && (member_.holds_on_to_first() || detector_.somebody_holds_on());
  return differs && members != 0 && (members >= config_.minimum_partition || completes);
}

// Had the round given up somebody who is back?
bool Coordinator::is_back(const wire::BallotEntry& entry, const base::NodeSet& gone) const {
  const size_t rank = member_.view().rank_of(entry.name);
  if (rank == kNoRank || round_.phase() != BallotPhase::kPrepare || gone.contains(rank))
    return false;
  return entry.flags == kEntryOld ||
         (entry.flags == (kEntryOld | wire::kEntryLeaves) && !is_leaving(rank));
}

// Is somebody gone whom the round needs, as a member of the next view or as a holder?
bool Coordinator::is_gone(const wire::BallotEntry& entry, const base::NodeSet& gone) const {
  const auto& entries = round_.value().entries;
  const bool holds =
      round_.phase() != BallotPhase::kPrepare &&
      std::any_of(entries.begin(), entries.end(), [&](const auto& other) {
        return (other.flags & kEntryNew) == 0 && entries[other.holder].name == entry.name;
      });
  if ((entry.flags & kEntryNew) == 0 && !holds) return false;
  const size_t rank = member_.view().rank_of(entry.name);
  if (rank != kNoRank) return gone.contains(rank);
  const size_t peer = detector_.peer_named(entry.name);
  return peer >= detector_.size() || detector_.at(peer).name != entry.name ||
         !detector_.alive(detector_.at(peer));
}

bool Coordinator::outdated() const {
  if (round_.adopted()) return false;  // it is as it is
  const base::NodeSet gone = given_up();
  const auto& entries = round_.value().entries;
  return std::any_of(entries.begin(), entries.end(), [&](const wire::BallotEntry& entry) {
    return entry.name != config_.self && (is_back(entry, gone) || is_gone(entry, gone));
  });
}

// --- rounds --------------------------------------------------------------------------------------

// A ballot that somebody else drives has time, and then the next one's time.
bool Coordinator::waits_for_its_ballot() const {
  const auto& promised = member_.promised();
  if (!promised || promised->proposer == config_.self) return false;
  const size_t proposer = member_.view().rank_of(promised->proposer);
  const size_t peer = detector_.peer_named(promised->proposer);
  const bool gone = proposer != kNoRank
                        ? detector_.suspects(proposer)
                        : peer >= detector_.size() || !detector_.alive(detector_.at(peer));
  const uint64_t patience_ns = config_.suspect_after_ns / 2 + 8 * config_.retry_ns;
  return !gone && member_.stalled_ns() < patience_ns;
}

// Joiners who come together should be let in together.
bool Coordinator::waits_for_joiners(uint64_t now_ns) {
  const View& view = member_.view();
  const size_t joiners = wanted_.entries.size() - view.size();
  // A first view that may have been chosen is completed by fewer than it takes to make another.
  if (view.id.epoch == 0 && joiners < config_.initial_nodes && !member_.holds_on_to_first() &&
      !detector_.somebody_holds_on())
    return true;
  const bool only_joins = member_.state() == State::kOperational &&
                          wanted_.count(kEntryOld) == view.size() &&
                          wanted_.count(kEntryNew) == wanted_.entries.size();
  if (joiners != joiners_) {
    joiners_ = joiners;
    joiners_since_ns_ = now_ns;
  }
  return (only_joins || view.id.epoch == 0) &&
         now_ns - joiners_since_ns_ < 2 * config_.heartbeat_ns;
}

Coordinator::Next Coordinator::coordinate(uint64_t now_ns) {
  if (waits_for_its_ballot()) return Next::kNothing;
  if (!round_.active()) member_.withdraw();
  held_out_ = 0;
  if (!leads()) {
    if (round_.active() && member_.view().id.epoch == 0) round_.abandon();
    return Next::kNothing;
  }
  if (round_.active()) {
    const bool stuck = member_.stalled_ns() > config_.suspect_after_ns + 8 * config_.retry_ns;
    // What is accepted may be chosen: only a vote of somebody gone can be done without.
    if (outdated() || stuck) return begin_round(now_ns);
    return drive(now_ns);
  }
  if (!propose(wanted_)) {
    const bool alone = member_.view().size() == 1 && member_.state() == State::kOperational;
    return member_.leaving() && alone ? Next::kLeave : Next::kNothing;
  }
  return waits_for_joiners(now_ns) ? Next::kNothing : begin_round(now_ns);
}

Coordinator::Next Coordinator::begin_round(uint64_t now_ns) {
  if (!propose(wanted_)) {
    round_.abandon();
    return Next::kNothing;
  }
  const auto& promised = member_.promised();
  const uint64_t highest = std::max(seen_round_, promised ? promised->round : 0);
  const wire::BallotId id{member_.view().id.epoch + 1, highest + 1, config_.self};
  seen_round_ = id.round;
  ++rounds_;
  member_.promise(id);
  round_.begin(id, wanted_);
  report_.reset();
  say_ballot(now_ns);
  return drive(now_ns);
}

void Coordinator::say_ballot(uint64_t now_ns) {
  ballot_.begin();
  resend_ns_ = now_ns + config_.retry_ns;
}

// Our own vote needs no frame.
void Coordinator::own_vote() {
  const auto& entries = round_.value().entries;
  for (size_t i = 0; i < entries.size(); ++i) positions_[i] = member_.position_of(entries[i].name);
  if (member_.accepted()) round_.report(*member_.accepted(), member_.accepted_value());
  round_.vote(config_.self, member_.vote_about(round_.id(), entries.size()),
              {positions_.data(), entries.size()});
}

Coordinator::Next Coordinator::drive(uint64_t now_ns) {
  for (;;) {
    own_vote();
    if (!round_.advance()) {
      if (!round_.too_few()) break;
      // It was not chosen, and they are too few for another one.
      round_.abandon();
      detector_.forget_holders();
      member_.let_go();
      return Next::kNothing;
    }
    member_.note_progress();
    say_ballot(now_ns);
    if (round_.phase() == BallotPhase::kInstall) {
      member_.choose(round_.id(), round_.value());
      ballot_.stop();  // the member's decision is said instead
      return Next::kInstall;
    }
    member_.follow_own(round_.id(), round_.phase(), round_.value());
  }
  if (now_ns >= resend_ns_ && !ballot_.pending()) say_ballot(now_ns);
  return Next::kNothing;
}

void Coordinator::view_begins() {
  round_.abandon();
  ballot_.stop();
  seen_round_ = 0;
  joiners_ = 0;
}

// --- what is heard -------------------------------------------------------------------------------

void Coordinator::take_vote(size_t peer, const wire::VoteFrame& vote, const uint8_t* payload,
                            size_t entries) {
  if (!round_.active()) return;
  if (vote.ballot != round_.id()) {
    // A higher one has been promised there: this round cannot succeed any more.
    if (ballot_before(round_.id(), vote.ballot)) round_.abandon();
    return;
  }
  entries = std::min(entries, positions_.size());
  bool knows = false;
  for (size_t i = 0; i < entries; ++i) {
    positions_[i] = wire::load_vote_position(payload, i);
    knows = knows || positions_[i] != wire::kNotOpen;
  }
  const Peer& voter = detector_.at(peer);
  const bool member = knows && voter.rank != kNoRank;
  const bool came = member && voter.said.view.epoch < member_.view().id.epoch;
  if (came) detector_.came_along(peer);  // after all
  // It may have said so a moment ago: a ballot begun before would be without it.
  if ((came || (member && round_.phase() == BallotPhase::kPrepare)) && outdated()) return;
  round_.vote(voter.name, vote, {positions_.data(), entries});
}

void Coordinator::take_report(const wire::BallotFrame& frame, const uint8_t* payload,
                              size_t entries) {
  if (!round_.active() || frame.ballot.epoch != round_.id().epoch) return;
  report_.take(frame, payload, entries);
  if (report_.complete()) round_.report(report_.id(), report_.value());
}

// --- what it says --------------------------------------------------------------------------------

size_t Coordinator::write_ballot(uint8_t* payload, size_t room) {
  ++ballots_;
  return ballot_.write(payload, room, config_.self, round_.id(), member_.view().id, round_.phase(),
                       round_.value());
}

}  // namespace lambdacast::membership
