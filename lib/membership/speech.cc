// What membership says, and when.
#include <algorithm>

#include "membership/membership_protocol.h"

namespace lambdacast::membership {

using wire::BallotPhase;
using wire::ControlKind;

wire::ControlHeader MembershipProtocol::header_of(ControlKind kind, size_t entries) const {
  wire::ControlHeader header;
  header.kind = kind;
  header.incarnation = config_.self.incarnation;
  header.data_qpn = config_.self.qpn;
  header.entries = static_cast<uint16_t>(entries);
  return header;
}

size_t MembershipProtocol::next_control(uint8_t* payload, size_t room, uint64_t now_ns) {
  if (vote_due_) {
    vote_due_ = false;
    const size_t bytes = write_vote(payload, room);
    if (bytes != 0) return bytes;
  }
  if (report_next_ != kDone && accepted_)
    return write_value(payload, room, *accepted_, view_.id, BallotPhase::kReport, accepted_value_,
                       report_next_);
  if (ballot_next_ != kDone && round_.active())
    return write_value(payload, room, round_.id(), view_.id, round_.phase(), round_.value(),
                       ballot_next_);
  if (install_next_ == kDone && farewells_ != 0 && now_ns >= install_said_ns_ + config_.retry_ns) {
    --farewells_;
    install_next_ = 0;
  }
  if (install_next_ != kDone) {
    install_said_ns_ = now_ns;
    return write_value(payload, room, installed_id_, installed_previous_, BallotPhase::kInstall,
                       installed_value_, install_next_);
  }
  if (member_said_ns_ != 0 && now_ns < member_due_ns()) return 0;
  if (state_ == State::kExcluded && !says_out_) return 0;
  return write_member(payload, room, now_ns);
}

// About the ballot promised, or 0: its list is not here.
size_t MembershipProtocol::write_vote(uint8_t* payload, size_t room) {
  if (!promised_ || !ballot_.is(*promised_) || !ballot_.complete()) return 0;
  const auto& entries = ballot_.value().entries;
  if (room < wire::kVoteBytes + entries.size() * 8) return 0;
  const bool knows = !leaves_unseen(ballot_);
  for (size_t i = 0; i < entries.size(); ++i) {
    const size_t peer = knows ? peer_named(entries[i].name) : kNoRank;
    wire::store_vote_position(
        peer == kNoRank ? wire::kNotOpen : host_.held_through(peer, entries[i].name), payload, i);
  }
  wire::store_control_header(header_of(ControlKind::kVote, entries.size()), payload);
  wire::store_vote({*promised_, stage_, accepted_.has_value(), accepted_.value_or(*promised_)},
                   payload);
  ++counters_.votes;
  return wire::kVoteBytes + entries.size() * 8;
}

// As many entries from `next` on as there is room for.
size_t MembershipProtocol::write_value(uint8_t* payload, size_t room, const wire::BallotId& id,
                                       const wire::ViewId& previous, BallotPhase phase,
                                       const Value& value, size_t& next) {
  const size_t most = (room - wire::kBallotBytes) / wire::kBallotEntryBytes;
  const size_t first = next;
  const size_t count = std::min(most, value.entries.size() - first);
  wire::store_control_header(header_of(ControlKind::kBallot, count), payload);
  wire::store_ballot(
      {id, previous.round, previous.coordinator, phase, static_cast<uint16_t>(value.entries.size()),
       static_cast<uint16_t>(first), value.round, value.coordinator},
      payload);
  for (size_t i = 0; i < count; ++i) wire::store_ballot_entry(value.entries[first + i], payload, i);
  next = first + count == value.entries.size() ? kDone : first + count;
  ++counters_.ballots;
  return wire::kBallotBytes + count * wire::kBallotEntryBytes;
}

size_t MembershipProtocol::write_member(uint8_t* payload, size_t room, uint64_t now_ns) {
  const size_t ranks = std::min(view_.size(), (room - wire::kMemberBytes) / 8);
  wire::ControlHeader header = header_of(ControlKind::kMember, ranks);
  for (size_t rank = 0; rank < ranks; ++rank)
    wire::store_member_ack(host_.own_ack(rank), payload, rank);
  const size_t left = room - wire::kMemberBytes - ranks * 8;
  const size_t names = std::min(out_.size(), left / wire::kStreamNameBytes);
  for (size_t i = 0; i < names; ++i) wire::store_member_name(out_[i], payload, ranks, i);
  out_.clear();
  if (leaving_) header.flags |= wire::kMemberLeaving;
  if (starved_) header.flags |= wire::kMemberStarved;
  if (state_ == State::kJoining && ready_to_join()) header.flags |= wire::kMemberReady;
  if (state_ == State::kJoining && holds_on_) header.flags |= wire::kMemberHolds;
  wire::store_control_header(header, payload);
  wire::store_member({view_.id, state_, static_cast<uint8_t>(names),
                      static_cast<uint16_t>(view_.size()), suspected_ | slow_},
                     payload);
  starved_ = false;
  ack_from_ns_ = kNoAck;
  member_said_ns_ = now_ns;
  ++counters_.members;
  return wire::kMemberBytes + ranks * 8 + names * wire::kStreamNameBytes;
}

}  // namespace lambdacast::membership
