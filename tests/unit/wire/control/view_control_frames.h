// SPDX-License-Identifier: BSD-3-Clause
// Control frames of views for the tests of their formats.
#pragma once

#include <string>
#include <vector>

#include "wire/control/view_control.h"

namespace lambdacast::wire {

using counters::DropReason;
using Bytes = std::vector<uint8_t>;

inline StreamName stream(uint32_t number) {
  return {gid_from_ipv4(0x0a000000 + number), 0x000100 + number, 0xa0000000 + number};
}

inline Bytes framed(ControlKind kind, uint16_t entries, size_t bytes) {
  Bytes out(bytes, 0xee);  // what a store function leaves out shows
  store_control_header({kind, 0, 0x01020304, 0x00abcdef, entries, 0x1112131415161718}, out.data());
  return out;
}

inline base::NodeSet suspects_of(uint64_t word) {
  base::NodeSet out;
  out.set_word(0, word);
  return out;
}

inline const MemberFrame kMember{{0x2122232425262728, 0x3132333435363738, 0x41424344},
                                 MemberState::kRecovering,
                                 2,
                                 0x0304,
                                 suspects_of(0x5152535455565758)};
inline const BallotId kId{7, 0x6162636465666768, stream(3)};

inline Bytes member_of(MemberFrame frame, uint16_t entries) {
  Bytes out = framed(ControlKind::kMember, entries,
                     kMemberBytes + entries * 8 + frame.names * kStreamNameBytes);
  store_member(frame, out.data());
  for (size_t i = 0; i < entries; ++i) store_member_ack(1'000 + i, out.data(), i);
  for (size_t i = 0; i < frame.names; ++i)
    store_member_name(stream(static_cast<uint32_t>(20 + i)), out.data(), entries, i);
  return out;
}

inline BallotEntry entry_of(uint32_t number) {
  return {stream(number), uint64_t{0x7172737475767778} + number, kEntryOld | kEntryLeaves,
          static_cast<uint16_t>(0x8180 + number)};
}

inline Bytes ballot_of(BallotFrame frame, uint16_t entries) {
  Bytes out = framed(ControlKind::kBallot, entries, kBallotBytes + entries * kBallotEntryBytes);
  store_ballot(frame, out.data());
  for (uint16_t i = 0; i < entries; ++i) store_ballot_entry(entry_of(40 + i), out.data(), i);
  return out;
}

inline BallotFrame ballot() {
  return {kId, 0x9192939495969798, 0xa1a2a3a4, BallotPhase::kAccept, 5,
          3,   0xb1b2b3b4b5b6b7b8, 0xc1c2c3c4};
}

inline VoteFrame vote(uint16_t total = 2) {
  return {kId, VoteStage::kReady, true, {7, 0x61, stream(4)}, 0, total};
}

inline Bytes vote_of(const VoteFrame& frame, uint16_t entries) {
  Bytes out = framed(ControlKind::kVote, entries, kVoteBytes + entries * 8);
  store_vote(frame, out.data());
  for (size_t i = 0; i < entries; ++i) store_vote_position(2'000 + i, out.data(), i);
  return out;
}

inline Bytes skip_of(const SkipFrame& frame) {
  Bytes out = framed(ControlKind::kSkip, 0, kSkipBytes);
  store_skip(frame, out.data());
  return out;
}

// On bytes that end where the payload ends, for the sanitizer.
inline DropReason verdict(const Bytes& payload) {
  const Bytes exact(payload.begin(), payload.end());
  ControlHeader header;
  return load_control(exact.data(), exact.size(), header);
}

inline bool whole(const Bytes& payload) { return verdict(payload) == DropReason::kNone; }

inline bool whole_with(Bytes payload, size_t at, uint8_t value) {
  payload.at(at) = value;
  return whole(payload);
}

// "0a 000001" and the like: the bytes, spaces left out.
inline Bytes hex(const std::string& text) {
  Bytes out;
  std::string digits;
  for (const char c : text) {
    if (c != ' ') digits.push_back(c);
  }
  for (size_t i = 0; i < digits.size(); i += 2)
    out.push_back(static_cast<uint8_t>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  return out;
}

}  // namespace lambdacast::wire
