// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/view_control.h"

#include <algorithm>
#include <cstring>

namespace lambdacast::wire {

using counters::DropReason;

namespace {

constexpr size_t kHasAcceptedAt = 65;  // of a vote

void store_ballot_id(const BallotId& id, uint8_t* out) {
  base::store_be64(out, id.epoch);
  base::store_be64(out + 8, id.round);
  store_stream_name(id.proposer, out + 16);
}

BallotId load_ballot_id(const uint8_t* in) {
  return {base::load_be64(in), base::load_be64(in + 8), load_stream_name(in + 16)};
}

// The name of that number behind a member frame's entries.
template <typename Byte>
Byte* name_in(Byte* payload, size_t entries, size_t number) {
  return payload + member_bytes(is_wide(payload)) + entries * 8 + number * kStreamNameBytes;
}

DropReason judged(bool valid) { return valid ? DropReason::kNone : DropReason::kControlMalformed; }

DropReason check_member(const uint8_t* payload, size_t bytes, const ControlHeader& header) {
  const bool wide = header.version == kWideVersion;
  if (bytes < member_bytes(wide)) return DropReason::kControlMalformed;
  const MemberFrame member = load_member(payload);
  if (wide && member.members > kMaxMembers) return DropReason::kViewTooLarge;
  const size_t most = wide ? member.members : kMaxNarrowMembers;
  return judged(member.first + header.entries <= most && member.state >= MemberState::kJoining &&
                member.state <= MemberState::kExcluded &&
                bytes == member_bytes(wide) + header.entries * 8 + member.names * kStreamNameBytes);
}

// The most entries of a value: old members and new ones.
size_t most_entries(const ControlHeader& header) {
  return 2 * (header.version == kWideVersion ? kMaxMembers : kMaxNarrowMembers);
}

DropReason check_ballot(const uint8_t* payload, size_t bytes, const ControlHeader& header) {
  if (bytes < kBallotBytes) return DropReason::kControlMalformed;
  const BallotFrame ballot = load_ballot(payload);
  if (header.version == kWideVersion && ballot.total > most_entries(header))
    return DropReason::kViewTooLarge;
  return judged(bytes == kBallotBytes + header.entries * kBallotEntryBytes &&
                ballot.total <= most_entries(header) &&
                ballot.first + header.entries <= ballot.total && ballot.ballot.epoch != 0 &&
                ballot.phase >= BallotPhase::kPrepare && ballot.phase <= BallotPhase::kReport);
}

DropReason check_vote(const uint8_t* payload, size_t bytes, const ControlHeader& header) {
  if (bytes < kVoteBytes) return DropReason::kControlMalformed;
  const VoteFrame vote = load_vote(payload);
  if (header.version == kWideVersion && vote.total > most_entries(header))
    return DropReason::kViewTooLarge;
  return judged(bytes == kVoteBytes + header.entries * 8 && vote.total <= most_entries(header) &&
                vote.first + header.entries <= vote.total && vote.stage >= VoteStage::kPromised &&
                vote.stage <= VoteStage::kAccepted && payload[kHasAcceptedAt] <= 1);
}

bool valid_skip(const uint8_t* payload, size_t bytes, const ControlHeader& header) {
  if (bytes != kSkipBytes || header.entries != 0) return false;
  const SkipFrame skip = load_skip(payload);
  return skip.first <= kMaxPosition && skip.count <= kMaxPosition - skip.first;
}

}  // namespace

bool ballot_before(const BallotId& a, const BallotId& b) {
  if (a.round != b.round) return a.round < b.round;
  return name_before(a.proposer, b.proposer);
}

void store_member(const MemberFrame& member, uint8_t* payload) {
  uint8_t* const out = payload + kControlHeaderBytes;
  base::store_be64(out, member.view.epoch);
  base::store_be64(out + 8, member.view.round);
  base::store_be32(out + 16, member.view.coordinator);
  out[20] = static_cast<uint8_t>(member.state);
  out[21] = member.names;
  base::store_be16(out + 22, member.members);
  const bool joins = member.state == MemberState::kJoining;
  base::store_be64(out + 24, joins ? member.room_bps : member.suspects.word(0));
  if (!is_wide(payload)) return;
  base::store_be64(out + 32, member.suspects.word(1));
  base::store_be64(out + 40, uint64_t{member.first} << 48);
}

void store_member_name(const StreamName& name, uint8_t* payload, size_t entries, size_t number) {
  store_stream_name(name, name_in(payload, entries, number));
}

void store_ballot(const BallotFrame& ballot, uint8_t* payload) {
  uint8_t* const out = payload + kControlHeaderBytes;
  store_ballot_id(ballot.ballot, out);
  base::store_be64(out + 40, ballot.previous_round);
  base::store_be32(out + 48, ballot.previous_coordinator);
  out[52] = static_cast<uint8_t>(ballot.phase);
  out[53] = 0;
  base::store_be16(out + 54, ballot.total);
  base::store_be64(out + 56, uint64_t{ballot.first} << 48);
  base::store_be64(out + 64, ballot.made_round);
  base::store_be64(out + 72, uint64_t{ballot.made_by} << 32);
}

void store_ballot_entry(const BallotEntry& entry, uint8_t* payload, size_t number) {
  uint8_t* const out = payload + kBallotBytes + number * kBallotEntryBytes;
  store_stream_name(entry.name, out);
  base::store_be64(out + 24, entry.cut);
  base::store_be64(out + 32,
                   uint64_t{entry.flags} << 56 | uint64_t{entry.holder} << 32 | entry.room_mbps);
}

void store_vote(const VoteFrame& vote, uint8_t* payload) {
  uint8_t* const out = payload + kControlHeaderBytes;
  store_ballot_id(vote.ballot, out);
  std::memset(out + 40, 0, 8);
  out[40] = static_cast<uint8_t>(vote.stage);
  out[41] = vote.has_accepted ? 1 : 0;
  if (is_wide(payload)) {
    base::store_be16(out + 42, vote.first);
    base::store_be16(out + 44, vote.total);
  }
  base::store_be64(out + 48, vote.accepted.round);
  store_stream_name(vote.accepted.proposer, out + 56);
}

void store_skip(const SkipFrame& skip, uint8_t* payload) {
  store_stream_name(skip.stream, payload + kControlHeaderBytes);
  base::store_be64(payload + 48, skip.first);
  base::store_be64(payload + 56, skip.count);
}

DropReason check_view_control(const uint8_t* payload, size_t bytes, const ControlHeader& header) {
  switch (header.kind) {
    case ControlKind::kMember:
      return check_member(payload, bytes, header);
    case ControlKind::kBallot:
      return check_ballot(payload, bytes, header);
    case ControlKind::kVote:
      return check_vote(payload, bytes, header);
    default:
      return judged(valid_skip(payload, bytes, header));
  }
}

MemberFrame load_member(const uint8_t* payload) {
  const uint8_t* const in = payload + kControlHeaderBytes;
  MemberFrame member;
  member.view = {base::load_be64(in), base::load_be64(in + 8), base::load_be32(in + 16)};
  member.state = static_cast<MemberState>(in[20]);
  member.names = in[21];
  member.members = base::load_be16(in + 22);
  if (member.state == MemberState::kJoining) {
    member.room_bps = base::load_be64(in + 24);
  } else {
    member.suspects.set_word(0, base::load_be64(in + 24));
  }
  if (!is_wide(payload)) return member;
  member.suspects.set_word(1, base::load_be64(in + 32));
  member.first = base::load_be16(in + 40);
  return member;
}

StreamName load_member_name(const uint8_t* payload, size_t entries, size_t number) {
  return load_stream_name(name_in(payload, entries, number));
}

BallotFrame load_ballot(const uint8_t* payload) {
  const uint8_t* const in = payload + kControlHeaderBytes;
  BallotFrame ballot;
  ballot.ballot = load_ballot_id(in);
  ballot.previous_round = base::load_be64(in + 40);
  ballot.previous_coordinator = base::load_be32(in + 48);
  ballot.phase = static_cast<BallotPhase>(in[52]);
  ballot.total = base::load_be16(in + 54);
  ballot.first = base::load_be16(in + 56);
  ballot.made_round = base::load_be64(in + 64);
  ballot.made_by = base::load_be32(in + 72);
  return ballot;
}

BallotEntry load_ballot_entry(const uint8_t* payload, size_t number) {
  const uint8_t* const in = payload + kBallotBytes + number * kBallotEntryBytes;
  return {load_stream_name(in), base::load_be64(in + 24), in[32], base::load_be16(in + 34),
          base::load_be32(in + 36)};
}

VoteFrame load_vote(const uint8_t* payload) {
  const uint8_t* const in = payload + kControlHeaderBytes;
  VoteFrame vote;
  vote.ballot = load_ballot_id(in);
  vote.stage = static_cast<VoteStage>(in[40]);
  vote.has_accepted = in[41] != 0;
  vote.accepted = {vote.ballot.epoch, base::load_be64(in + 48), load_stream_name(in + 56)};
  vote.first = is_wide(payload) ? base::load_be16(in + 42) : uint16_t{0};
  vote.total = base::load_be16(is_wide(payload) ? in + 44 : payload + 12);
  return vote;
}

SkipFrame load_skip(const uint8_t* payload) {
  return {load_stream_name(payload + kControlHeaderBytes), base::load_be64(payload + 48),
          base::load_be64(payload + 56)};
}

}  // namespace lambdacast::wire
