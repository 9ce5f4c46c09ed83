// SPDX-License-Identifier: BSD-3-Clause
// Control frames of membership and order (wire/control/control.h has the header and those of
// reliability). Like those they carry state: losing or repeating one is harmless, and so is a part
// of one that overtakes another.
//
// A view of more than 64 members is a wide one. Frames about it have version 2, and so has what
// does not fit one packet; everything else has version 1. Only nodes that say kMemberWide take
// part.
//
// kMember, of every node, at least once a heartbeat (24 + 32 bytes):
//   14  the digest of how the speaker orders, 0: by sequencers
//   24  the speaker's view: | epoch 8 | round 8 | coordinator's incarnation 4 |   epoch 0: none
//   44  state 1     45  names at the end 1     46  members of the view 2
//   48  a bit for each rank that the speaker suspects; of a joiner, which is in no view, what it
//       takes of all streams together, bits a second on the wire; 0: no limit
//   56  entries: for each rank's marks, from rank 0 on, the rel_seq of the last one applied 8
//       behind them: | name 24 | of nodes that are out of the view and may not know it
//   Version 2 (24 + 48 bytes):
//   56  a bit for each rank from 64 on that the speaker suspects
//   64  rank of the first entry 2     66  zero 6     72  entries and names as above
// kBallot, of a coordinator, or of a node that repeats what was chosen (24 + 80 bytes):
//   24  ballot: | epoch to come 8 | round 8 | proposer 24 |
//   64  the view before: | round 8 | coordinator's incarnation 4 |   its epoch is one less
//   76  phase 1     77  zero 1     78  entries of the value in all 2     80  number of the first 2
//   82  zero 6
//   88  the ballot that made the value: | round 8 | coordinator's incarnation 4 |     100  zero 4
//   104 entries: | name 24 | cut 8 | flags 1 | zero 1 | holder 2 | room 4 |
//       room: of a newcomer, Mbit/s; 0: no limit
// kVote, of a member about a ballot (24 + 80 bytes):
//   24  ballot 40     64  stage 1     65  it has accepted a value 1     66  zero 6
//   72  the ballot of that value: | round 8 | proposer 24 |
//   104 entries, in the order of the ballot's: position held through 8
//   Version 2: 66  number of the first entry 2     68  entries of the ballot in all 2     70  zero
//   2
// kSkip, of a node that relays a departed one's packets (24 + 40 bytes):
//   24  stream 24     48  first rel_seq 8     56  positions 8, none of which holds ordered content
//
// Marks (order of totally ordered messages) are no control frames: the payload of recoverable
// packets to kMarksGroup, of a sequencer's own stream:
//   0  epoch 8     8  items: | rank of a sender 2 | zero 2 | from its stream, through rel_seq 8 |
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/node_set.h"
#include "counters/drop_reason.h"
#include "wire/control/control.h"
#include "wire/control/reserved_groups.h"

namespace lambdacast::wire {

inline constexpr size_t kMaxMembers = 80;        // of a view: an ODBSS has as many transmitters
inline constexpr size_t kMaxNarrowMembers = 64;  // of a view that is not a wide one
static_assert(kMaxMembers <= base::NodeSet::kCapacity);
inline constexpr size_t kMemberBytes = kControlHeaderBytes + 32;
inline constexpr size_t kWideMemberBytes = kMemberBytes + 16;
inline constexpr size_t kBallotBytes = kControlHeaderBytes + 80;
inline constexpr size_t kBallotEntryBytes = kStreamNameBytes + 16;
inline constexpr size_t kVoteBytes = kControlHeaderBytes + 80;
inline constexpr size_t kSkipBytes = kControlHeaderBytes + kStreamNameBytes + 16;
inline constexpr uint64_t kNotOpen = ~uint64_t{0};  // of a position: the stream is not heard yet

// The flags in the header of a kMember frame.
inline constexpr uint8_t kMemberLeaving = 0x01;
inline constexpr uint8_t kMemberReady = 0x02;    // joining, and hears all streams of the view
inline constexpr uint8_t kMemberStarved = 0x04;  // it was not run for a heartbeat or longer
inline constexpr uint8_t kMemberHolds = 0x08;    // joining, and to a first view that may be chosen
inline constexpr uint8_t kMemberWide = 0x10;     // it hears of more than 64 nodes, and wide views
                                                 // may have it as a member

enum class MemberState : uint8_t { kJoining = 1, kOperational, kRecovering, kExcluded };

struct ViewId {
  uint64_t epoch = 0;  // 0: no view
  uint64_t round = 0;
  uint32_t coordinator = 0;  // incarnation
  bool operator==(const ViewId&) const = default;
};

struct MemberFrame {
  ViewId view;
  MemberState state = MemberState::kJoining;
  uint8_t names = 0;
  uint16_t members = 0;
  base::NodeSet suspects;  // by rank; version 1 has room for the first 64
  uint16_t first = 0;      // rank of the first entry; 0 in version 1
  uint64_t room_bps = 0;   // of a joiner
  bool operator==(const MemberFrame&) const = default;
};

// Rounds are compared first, then proposers.
struct BallotId {
  uint64_t epoch = 0;
  uint64_t round = 0;
  StreamName proposer;
  bool operator==(const BallotId&) const = default;
};
// Compares two ballots of one epoch.
[[nodiscard]] bool ballot_before(const BallotId& a, const BallotId& b);

enum class BallotPhase : uint8_t {
  kPrepare = 1,  // promise nothing less, stop, and say what you hold
  kPropose,      // this is the value: fetch what it needs
  kAccept,       // all have it: accept
  kInstall,      // a quorum has accepted
  kReport        // no ballot: the value that the speaker has accepted
};

inline constexpr uint8_t kEntryOld = 0x01;     // it is a member of the view before
inline constexpr uint8_t kEntryNew = 0x02;     // it is a member of the view to come
inline constexpr uint8_t kEntryLeaves = 0x04;  // it is not, as it wishes: it votes nevertheless

struct BallotEntry {
  StreamName name;
  uint64_t cut = 0;
  uint8_t flags = 0;       // kEntry...
  uint16_t holder = 0;     // number of the entry of who holds the stream up to the cut
  uint32_t room_mbps = 0;  // of a newcomer
  bool operator==(const BallotEntry&) const = default;
};

struct BallotFrame {
  BallotId ballot;
  uint64_t previous_round = 0;
  uint32_t previous_coordinator = 0;
  BallotPhase phase = BallotPhase::kPrepare;
  uint16_t total = 0;
  uint16_t first = 0;
  // Name the round that made the value. A view is named by that round, whichever round installs it.
  uint64_t made_round = 0;
  uint32_t made_by = 0;
  bool operator==(const BallotFrame&) const = default;
};

enum class VoteStage : uint8_t { kPromised = 1, kReady, kAccepted };

struct VoteFrame {
  BallotId ballot;
  VoteStage stage = VoteStage::kPromised;
  bool has_accepted = false;
  BallotId accepted;  // its epoch is the ballot's
  // The number of the first entry here, and how many the ballot has. In version 1 a vote has all.
  uint16_t first = 0;
  uint16_t total = 0;
  bool operator==(const VoteFrame&) const = default;
};

struct SkipFrame {
  StreamName stream;
  uint64_t first = 0;
  uint64_t count = 0;
};

[[nodiscard]] inline bool is_wide(const uint8_t* payload) {
  return payload[0] >> 4 == kWideVersion;
}
// Bytes of a kMember before its entries.
[[nodiscard]] constexpr size_t member_bytes(bool wide) {
  return wide ? kWideMemberBytes : kMemberBytes;
}

// Each writes behind the header's 24 bytes, in the version of the header that is there already;
// entries follow by the functions below them.
void store_member(const MemberFrame& member, uint8_t* payload);
inline void store_member_ack(uint64_t rel_seq, uint8_t* payload, size_t entry) {
  base::store_be64(payload + member_bytes(is_wide(payload)) + entry * 8, rel_seq);
}
void store_member_name(const StreamName& name, uint8_t* payload, size_t entries, size_t number);
void store_ballot(const BallotFrame& ballot, uint8_t* payload);
void store_ballot_entry(const BallotEntry& entry, uint8_t* payload, size_t number);
void store_vote(const VoteFrame& vote, uint8_t* payload);
inline void store_vote_position(uint64_t position, uint8_t* payload, size_t entry) {
  base::store_be64(payload + kVoteBytes + entry * 8, position);
}
void store_skip(const SkipFrame& skip, uint8_t* payload);

// For load_control: kNone if the payload of such a kind is whole, else kViewTooLarge or
// kControlMalformed.
[[nodiscard]] counters::DropReason check_view_control(const uint8_t* payload, size_t bytes,
                                                      const ControlHeader& header);

// These read payloads that load_control accepted.
[[nodiscard]] MemberFrame load_member(const uint8_t* payload);
[[nodiscard]] inline uint64_t load_member_ack(const uint8_t* payload, size_t entry) {
  return base::load_be64(payload + member_bytes(is_wide(payload)) + entry * 8);
}
[[nodiscard]] StreamName load_member_name(const uint8_t* payload, size_t entries, size_t number);
[[nodiscard]] BallotFrame load_ballot(const uint8_t* payload);
[[nodiscard]] BallotEntry load_ballot_entry(const uint8_t* payload, size_t number);
[[nodiscard]] VoteFrame load_vote(const uint8_t* payload);
[[nodiscard]] inline uint64_t load_vote_position(const uint8_t* payload, size_t entry) {
  return base::load_be64(payload + kVoteBytes + entry * 8);
}
[[nodiscard]] SkipFrame load_skip(const uint8_t* payload);

// --- marks ---------------------------------------------------------------------------------------

inline constexpr size_t kMarksHeaderBytes = 8;
inline constexpr size_t kMarkBytes = 12;

struct Mark {
  uint16_t rank = 0;
  uint64_t through = 0;
};

inline void store_marks_epoch(uint64_t epoch, uint8_t* payload) {
  base::store_be64(payload, epoch);
}
inline void store_mark(const Mark& mark, uint8_t* payload, size_t number) {
  uint8_t* const out = payload + kMarksHeaderBytes + number * kMarkBytes;
  base::store_be32(out, uint32_t{mark.rank} << 16);
  base::store_be64(out + 4, mark.through);
}
// A payload of marks has at least its header, and whole items behind it.
[[nodiscard]] inline bool valid_marks(std::span<const uint8_t> payload) {
  return payload.size() >= kMarksHeaderBytes &&
         (payload.size() - kMarksHeaderBytes) % kMarkBytes == 0;
}
[[nodiscard]] inline size_t count_marks(std::span<const uint8_t> payload) {
  return (payload.size() - kMarksHeaderBytes) / kMarkBytes;
}
[[nodiscard]] inline uint64_t load_marks_epoch(std::span<const uint8_t> payload) {
  return base::load_be64(payload.data());
}
[[nodiscard]] inline Mark load_mark(std::span<const uint8_t> payload, size_t number) {
  const uint8_t* const in = payload.data() + kMarksHeaderBytes + number * kMarkBytes;
  return {base::load_be16(in), base::load_be64(in + 4)};
}

}  // namespace lambdacast::wire
