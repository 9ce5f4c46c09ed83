#include "wire/control/view_control.h"

#include <algorithm>
#include <cstring>

namespace lambdacast::wire {

namespace {

void store_ballot_id(const BallotId& id, uint8_t* out) {
  base::store_be64(out, id.epoch);
  base::store_be64(out + 8, id.round);
  store_stream_name(id.proposer, out + 16);
}

BallotId load_ballot_id(const uint8_t* in) {
  return {base::load_be64(in), base::load_be64(in + 8), load_stream_name(in + 16)};
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
  base::store_be64(out + 24, member.suspects.word(0));
}

void store_member_name(const StreamName& name, uint8_t* payload, size_t entries, size_t number) {
  store_stream_name(name, payload + kMemberBytes + entries * 8 + number * kStreamNameBytes);
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
  base::store_be64(out + 32, uint64_t{entry.flags} << 56 | uint64_t{entry.holder} << 32);
}

void store_vote(const VoteFrame& vote, uint8_t* payload) {
  uint8_t* const out = payload + kControlHeaderBytes;
  store_ballot_id(vote.ballot, out);
  std::memset(out + 40, 0, 8);
  out[40] = static_cast<uint8_t>(vote.stage);
  out[41] = vote.has_accepted ? 1 : 0;
  base::store_be64(out + 48, vote.accepted.round);
  store_stream_name(vote.accepted.proposer, out + 56);
}

void store_skip(const SkipFrame& skip, uint8_t* payload) {
  store_stream_name(skip.stream, payload + kControlHeaderBytes);
  base::store_be64(payload + 48, skip.first);
  base::store_be64(payload + 56, skip.count);
}

bool valid_view_control(const uint8_t* payload, size_t bytes, const ControlHeader& header) {
  switch (header.kind) {
    case ControlKind::kMember: {
      if (bytes < kMemberBytes || header.entries > kMaxMembers) return false;
      const uint8_t state = payload[44];
      return bytes == kMemberBytes + header.entries * 8 + payload[45] * kStreamNameBytes &&
             state >= static_cast<uint8_t>(MemberState::kJoining) &&
             state <= static_cast<uint8_t>(MemberState::kExcluded);
    }
    case ControlKind::kBallot: {
      if (bytes < kBallotBytes || bytes != kBallotBytes + header.entries * kBallotEntryBytes)
        return false;
      const BallotFrame ballot = load_ballot(payload);
      return ballot.total <= 2 * kMaxMembers && ballot.first + header.entries <= ballot.total &&
             ballot.ballot.epoch != 0 && ballot.phase >= BallotPhase::kPrepare &&
             ballot.phase <= BallotPhase::kReport;
    }
    case ControlKind::kVote:
      return bytes >= kVoteBytes && header.entries <= 2 * kMaxMembers &&
             bytes == kVoteBytes + header.entries * 8 &&
             payload[64] >= static_cast<uint8_t>(VoteStage::kPromised) &&
             payload[64] <= static_cast<uint8_t>(VoteStage::kAccepted) && payload[65] <= 1;
    case ControlKind::kSkip: {
      if (bytes != kSkipBytes || header.entries != 0) return false;
      const SkipFrame skip = load_skip(payload);
      return skip.first <= kMaxPosition && skip.count <= kMaxPosition - skip.first;
    }
    default:
      return false;
  }
}

MemberFrame load_member(const uint8_t* payload) {
  const uint8_t* const in = payload + kControlHeaderBytes;
  MemberFrame member;
  member.view = {base::load_be64(in), base::load_be64(in + 8), base::load_be32(in + 16)};
  member.state = static_cast<MemberState>(in[20]);
  member.names = in[21];
  member.members = base::load_be16(in + 22);
  member.suspects.set_word(0, base::load_be64(in + 24));
  return member;
}

StreamName load_member_name(const uint8_t* payload, size_t entries, size_t number) {
  return load_stream_name(payload + kMemberBytes + entries * 8 + number * kStreamNameBytes);
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
  return {load_stream_name(in), base::load_be64(in + 24), in[32], base::load_be16(in + 34)};
}

VoteFrame load_vote(const uint8_t* payload) {
  const uint8_t* const in = payload + kControlHeaderBytes;
  VoteFrame vote;
  vote.ballot = load_ballot_id(in);
  vote.stage = static_cast<VoteStage>(in[40]);
  vote.has_accepted = in[41] != 0;
  vote.accepted = {vote.ballot.epoch, base::load_be64(in + 48), load_stream_name(in + 56)};
  return vote;
}

SkipFrame load_skip(const uint8_t* payload) {
  return {load_stream_name(payload + kControlHeaderBytes), base::load_be64(payload + 48),
          base::load_be64(payload + 56)};
}

}  // namespace lambdacast::wire
