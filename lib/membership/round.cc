// SPDX-License-Identifier: BSD-3-Clause
#include "membership/round.h"

#include <algorithm>

namespace lambdacast::membership {

using wire::BallotEntry;
using wire::BallotPhase;
using wire::kEntryNew;
using wire::kEntryOld;
using wire::VoteStage;

Round::Round(std::optional<wire::Gid> tie_breaker, size_t initial_nodes)
    : tie_breaker_(tie_breaker),
      initial_nodes_(initial_nodes),
      votes_(2 * wire::kMaxMembers),
      absent_(2 * wire::kMaxMembers) {}

void Round::begin(const wire::BallotId& id, const Value& proposed) {
  active_ = true;
  adopted_ = reported_ = too_few_ = false;
  id_ = id;
  phase_ = BallotPhase::kPrepare;
  value_ = proposed;
  value_.round = id.round;
  value_.coordinator = id.proposer.incarnation;
  absent_.assign(absent_.size(), false);
  forget_votes();
}

void Round::forget_votes() {
  for (Vote& vote : votes_) {
    vote.heard = vote.begun = false;
    vote.here.reset();
  }
}

void Round::vote(const wire::StreamName& voter, const wire::VoteFrame& vote,
                 std::span<const uint64_t> positions) {
  if (!active_ || vote.ballot != id_ || vote.total != value_.entries.size() ||
      vote.first + positions.size() > vote.total)
    return;
  for (size_t i = 0; i < value_.entries.size(); ++i) {
    if (value_.entries[i].name != voter) continue;
    // Of those given up only who leaves in order: one that has come back may stay, in a new round.
    // What was accepted before is for all of the old view to decide.
    if (!adopted_ && (value_.entries[i].flags & (kEntryNew | wire::kEntryLeaves)) == 0) return;
    Vote& kept = votes_[i];
    if (kept.begun && kept.stage > vote.stage) return;  // late
    kept.begun = true;
    kept.stage = vote.stage;
    kept.has_accepted = vote.has_accepted;
    kept.accepted = vote.accepted;
    // What it held then it holds: positions of parts that it said at different times fit together.
    for (size_t part = 0; part < positions.size(); ++part) {
      kept.positions[vote.first + part] = positions[part];
      kept.here.set(vote.first + part);
    }
    kept.heard = kept.here.count() == vote.total;
    return;
  }
}

void Round::report(const wire::BallotId& id, const Value& value) {
  if (!active_ || id.epoch != id_.epoch) return;
  if (reported_ && !ballot_before(report_id_, id)) return;
  reported_ = true;
  report_id_ = id;
  report_ = value;
}

bool Round::all_proposed(VoteStage stage) const {
  for (size_t i = 0; i < value_.entries.size(); ++i) {
    if ((value_.entries[i].flags & kEntryNew) != 0 && !absent_[i] && !reached(i, stage))
      return false;
  }
  return true;
}

// Of the view before; the first view ever has none, and needs everybody.
bool Round::quorum(VoteStage stage) const {
  size_t members = 0;
  size_t votes = 0;
  bool tie_broken = false;
  for (size_t i = 0; i < value_.entries.size(); ++i) {
    if ((value_.entries[i].flags & kEntryOld) == 0) continue;
    ++members;
    if (!reached(i, stage)) continue;
    ++votes;
    tie_broken = tie_broken || value_.entries[i].name.gid == tie_breaker_;
  }
  return members == 0 ? all_proposed(stage) : is_quorum(votes, members, tie_broken);
}

// Does it hear every stream that it will need?
bool Round::hears_all(size_t entry) const {
  const bool old = (value_.entries[entry].flags & kEntryOld) != 0;
  for (size_t i = 0; i < value_.entries.size(); ++i) {
    const bool needed = old || (value_.entries[i].flags & kEntryNew) != 0;
    if (needed && votes_[entry].positions[i] == wire::kNotOpen) return false;
  }
  return true;
}

const Round::Vote* Round::highest_accepted() const {
  const Vote* highest = nullptr;
  for (size_t i = 0; i < value_.entries.size(); ++i) {
    const Vote& vote = votes_[i];
    if (!vote.heard || !vote.has_accepted) continue;
    if (highest == nullptr || ballot_before(highest->accepted, vote.accepted)) highest = &vote;
  }
  return highest;
}

// The first view ever needs everybody. If one of its members has promised this round and not
// accepted that value, it was not chosen and never will be.
bool Round::impossible(const wire::BallotId& accepted) const {
  if (!is_first_view() || !reported_ || report_id_ != accepted) return false;
  for (size_t i = 0; i < value_.entries.size(); ++i) {
    const Vote& vote = votes_[i];
    if (!vote.heard || report_.find(value_.entries[i].name) == nullptr) continue;
    // The value may have been accepted in any round from the one that made it on.
    if (!vote.has_accepted || vote.accepted.round < report_.round) return true;
  }
  return false;
}

bool Round::choose_value() {
  const Vote* const highest = highest_accepted();
  if (highest != nullptr && !impossible(highest->accepted)) {
    if (!reported_ || ballot_before(report_id_, highest->accepted)) return false;  // on its way
    adopt();
    return true;
  }
  if (is_first_view() && value_.entries.size() < initial_nodes_) {
    too_few_ = true;
    return false;
  }
  for (size_t i = 0; i < value_.entries.size(); ++i) {
    if ((value_.entries[i].flags & kEntryNew) != 0 && !hears_all(i)) return false;
  }
  choose_cuts();
  return true;
}

// Of a first view only those who are there can be asked: the others may have accepted, for all
// that is known, and are excluded by the next view.
void Round::adopt() {
  for (size_t i = 0; i < report_.entries.size(); ++i)
    absent_[i] = is_first_view() && value_.find(report_.entries[i].name) == nullptr;
  value_ = report_;
  adopted_ = true;
  forget_votes();
}

// A stream of the old view ends at the highest position that any voter of it holds it through: a
// survivor has sent, and others may have ordered, more than it had when it promised. Of a departed
// one that voter is the holder. Who joins has been heard by nobody in order.
void Round::choose_cuts() {
  for (size_t of = 0; of < value_.entries.size(); ++of) {
    BallotEntry& entry = value_.entries[of];
    const bool stays = (entry.flags & kEntryNew) != 0;
    entry.cut = stays ? votes_[of].positions[of] : 0;
    entry.holder = static_cast<uint16_t>(of);
    if ((entry.flags & kEntryOld) == 0) continue;
    bool found = stays;
    for (size_t by = 0; by < value_.entries.size(); ++by) {
      const uint64_t held = votes_[by].positions[of];
      const bool counts = votes_[by].heard && (value_.entries[by].flags & kEntryOld) != 0;
      if (!counts || held == wire::kNotOpen || (found && held <= entry.cut)) continue;
      found = true;
      entry.cut = held;
      if (!stays) entry.holder = static_cast<uint16_t>(by);
    }
  }
}

bool Round::advance() {
  if (!active_) return false;
  switch (phase_) {
    case BallotPhase::kPrepare:
      if (!all_proposed(VoteStage::kPromised) || !quorum(VoteStage::kPromised) || !choose_value())
        return false;
      phase_ = BallotPhase::kPropose;
      for (Vote& vote : votes_) vote.stage = VoteStage::kPromised;
      return true;
    case BallotPhase::kPropose:
      if (adopted_ ? !quorum(VoteStage::kReady) : !all_proposed(VoteStage::kReady)) return false;
      phase_ = BallotPhase::kAccept;
      return true;
    case BallotPhase::kAccept:
      if (!quorum(VoteStage::kAccepted)) return false;
      phase_ = BallotPhase::kInstall;
      return true;
    default:
      return false;
  }
}

}  // namespace lambdacast::membership
