// SPDX-License-Identifier: BSD-3-Clause
#include "membership/membership_protocol.h"

#include <algorithm>
#include <array>

namespace lambdacast::membership {

using wire::BallotPhase;
using wire::ControlKind;

MembershipProtocol::MembershipProtocol(const MembershipConfig& config, MembershipHost& host)
    : self_(config.self),
      look_every_ns_(std::min(config.heartbeat_ns / 2, config.retry_ns)),
      host_(host),
      detector_(config),
      member_(config, detector_, host),
      coordinator_(config, detector_, member_),
      speech_(config, detector_, member_, host),
      impasse_(config, detector_, member_) {}

// --- frames --------------------------------------------------------------------------------------

void MembershipProtocol::accept(size_t peer, const uint8_t* payload,
                                const wire::ControlHeader& header, uint64_t now_ns) {
  if (detector_.at(peer).name.incarnation != header.incarnation) return;
  if (state() == State::kExcluded) {
    if (header.kind == ControlKind::kMember &&
        wire::load_member(payload).view.epoch > view().id.epoch)
      speech_.heard_that_they_went_on();
    return;
  }
  switch (header.kind) {
    case ControlKind::kMember:
      take_member(peer, payload, header);
      break;
    case ControlKind::kBallot:
      take_ballot(payload, header);
      break;
    case ControlKind::kVote:
      take_vote(peer, payload, header);
      break;
    default:
      return;
  }
  if (coordinator_.active()) drive(now_ns);
  try_install(now_ns);
}

void MembershipProtocol::take_member(size_t peer, const uint8_t* payload,
                                     const wire::ControlHeader& header) {
  const wire::MemberFrame frame = wire::load_member(payload);
  const bool wide = header.version == wire::kWideVersion;
  // A notice of our wide view is for nodes that take no frame of version 2.
  if (!wide && view().size() > wire::kMaxNarrowMembers && frame.view == view().id) return;
  const bool newest = detector_.take(peer, header, frame);
  if (!newest && !wide) return;
  if (newest && frame.view.epoch > view().id.epoch) {
    for (size_t i = 0; i < frame.names; ++i) {
      if (wire::load_member_name(payload, header.entries, i) == self_)
        return leave_view(member_.leaving());
    }
  }
  const FailureDetector::Peer& speaker = detector_.at(peer);
  if (newest && frame.view == view().id && speaker.rank != kNoRank &&
      frame.state == wire::MemberState::kOperational && own_rank() != kNoRank &&
      !frame.suspects.contains(own_rank()))
    host_.vouched(speaker.rank);
  if (frame.view == view().id && speaker.rank != kNoRank)
    return take_acknowledgements(speaker.rank, frame, payload, header.entries);
  if (newest) speech_.note_latecomer(speaker, tick_ns_);
}

// A part says nothing about the ranks before its first: zeros acknowledge nothing. One that was
// overtaken still says what was acknowledged then.
void MembershipProtocol::take_acknowledgements(size_t rank, const wire::MemberFrame& frame,
                                               const uint8_t* payload, size_t entries) {
  if (state() != State::kOperational || frame.state != State::kOperational) return;
  const size_t end = std::min(frame.first + entries, view().size());
  std::array<uint64_t, wire::kMaxMembers> through;
  std::fill_n(through.begin(), std::min<size_t>(frame.first, end), 0);
  for (size_t at = frame.first; at < end; ++at)
    through[at] = wire::load_member_ack(payload, at - frame.first);
  host_.acknowledged(rank, {through.data(), end});
}

void MembershipProtocol::take_ballot(const uint8_t* payload, const wire::ControlHeader& header) {
  const wire::BallotFrame frame = wire::load_ballot(payload);
  if (frame.phase == BallotPhase::kReport)
    return coordinator_.take_report(frame, payload, header.entries);
  if (!member_.follows(frame.ballot.epoch)) return;
  if (frame.phase == BallotPhase::kInstall)
    return member_.take_install(frame, payload, header.entries);
  coordinator_.note_round(frame.ballot.round);
  member_.take_ballot(frame, payload, header.entries);
  coordinator_.yield_to(member_.promised());
}

void MembershipProtocol::take_vote(size_t peer, const uint8_t* payload,
                                   const wire::ControlHeader& header) {
  const wire::VoteFrame vote = wire::load_vote(payload);
  if (vote.ballot.epoch != view().id.epoch + 1) return;
  coordinator_.note_round(vote.ballot.round);
  member_.take_refutation(detector_.at(peer).name, vote);
  coordinator_.take_vote(peer, vote, payload, header.entries);
}

// --- time ----------------------------------------------------------------------------------------

void MembershipProtocol::tick(uint64_t now_ns, bool listening) {
  tick_ns_ = now_ns;
  if (!listening) return detector_.skip(now_ns);
  detector_.pass(now_ns);
  if (state() == State::kExcluded) return;
  if (member_.waits()) {
    member_.seek_readiness();
    if (coordinator_.active()) drive(now_ns);
    try_install(now_ns);
  }
  if (now_ns < next_look_ns_) return;
  next_look_ns_ = now_ns + look_every_ns_;
  if (detector_.look()) speech_.hurry();  // whoever leads should hear of it
  follow(coordinator_.coordinate(now_ns), now_ns);
  impasse_.look();
  if (impasse_.is_over()) give_up();
}

// As another incarnation it may be in a first view with those who are others already.
void MembershipProtocol::give_up() {
  impasse_.end();
  abandon();
}

void MembershipProtocol::drive(uint64_t now_ns) { follow(coordinator_.drive(now_ns), now_ns); }

void MembershipProtocol::follow(Coordinator::Next next, uint64_t now_ns) {
  if (next == Coordinator::Next::kInstall) try_install(now_ns);
  if (next == Coordinator::Next::kLeave) leave_view(true);
}

// --- the view ------------------------------------------------------------------------------------

void MembershipProtocol::try_install(uint64_t now_ns) {
  const bool own = coordinator_.drives(member_.chosen_by());
  switch (member_.try_install(own)) {
    case Member::Outcome::kNone:
      return coordinator_.yield_to(member_.promised());
    case Member::Outcome::kOut:
      leave_view(member_.leaving());
      // Whoever brought it about says so before it goes.
      if (own) speech_.say_farewell(now_ns);
      return;
    case Member::Outcome::kInstalled:
      detector_.watch(view(), own_rank());
      coordinator_.view_begins();
      speech_.view_begins(own, now_ns);
      next_look_ns_ = 0;
      return host_.installed(member_.before(), view(), member_.decision().value);
  }
}

void MembershipProtocol::abandon() {
  if (state() == State::kExcluded) return;
  leave_view(false);
  speech_.say_out();
}

void MembershipProtocol::leave_view(bool left) {
  if (state() == State::kExcluded) return;
  member_.leave_view(left);
  coordinator_.abandon();
  impasse_.clear();
  host_.excluded(left);
}

// --- what is said --------------------------------------------------------------------------------

size_t MembershipProtocol::next_control(uint8_t* payload, size_t room, uint64_t now_ns) {
  if (member_.vote_due()) {
    const size_t bytes = member_.write_vote(payload, room);
    if (bytes != 0) return bytes;
  }
  if (member_.report_due()) return member_.write_report(payload, room);
  if (coordinator_.ballot_due()) return coordinator_.write_ballot(payload, room);
  return speech_.next_control(payload, room, now_ns);
}

uint64_t MembershipProtocol::next_deadline_ns() const {
  if (state() == State::kExcluded) return speech_.next_deadline_ns();
  if (member_.vote_due() || coordinator_.ballot_due() || member_.report_due()) return 0;
  return std::min({speech_.next_deadline_ns(), next_look_ns_, coordinator_.resend_ns()});
}

MembershipCounters MembershipProtocol::counters() const {
  return {.views = member_.views(),
          .rounds = coordinator_.rounds(),
          .members = speech_.members(),
          .ballots = coordinator_.ballots() + member_.reports() + speech_.installs(),
          .votes = member_.votes(),
          .starved = detector_.starved(),
          .suspicions = detector_.suspicions(),
          .held_out = coordinator_.held_out()};
}

}  // namespace lambdacast::membership
