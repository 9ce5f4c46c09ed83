// SPDX-License-Identifier: BSD-3-Clause
// Control frames of views in version 2: of wide views, and in parts.
#include <gtest/gtest.h>

#include "view_control_frames.h"

namespace lambdacast::wire {
namespace wide_view_control_test {

Bytes wide_frame(ControlKind kind, uint16_t entries, size_t bytes) {
  Bytes out(bytes, 0xee);
  store_control_header(
      {kind, 0, 0x01020304, 0x00abcdef, entries, 0x1112131415161718, 0, kWideVersion}, out.data());
  return out;
}

MemberFrame wide_member() {
  MemberFrame frame = kMember;
  frame.names = 1;
  frame.members = kMaxMembers;
  frame.suspects.set_word(1, 0x6162636465666768);
  frame.first = 78;
  return frame;
}

Bytes wide_member_of(const MemberFrame& frame, uint16_t entries) {
  Bytes out = wide_frame(ControlKind::kMember, entries,
                         kWideMemberBytes + entries * 8 + frame.names * kStreamNameBytes);
  store_member(frame, out.data());
  for (size_t i = 0; i < entries; ++i) store_member_ack(1'000 + i, out.data(), i);
  for (size_t i = 0; i < frame.names; ++i)
    store_member_name(stream(static_cast<uint32_t>(20 + i)), out.data(), entries, i);
  return out;
}

Bytes wide_vote_of(const VoteFrame& frame, uint16_t entries) {
  Bytes out = wide_frame(ControlKind::kVote, entries, kVoteBytes + entries * 8);
  store_vote(frame, out.data());
  for (size_t i = 0; i < entries; ++i) store_vote_position(2'000 + i, out.data(), i);
  return out;
}

Bytes wide_ballot_of(const BallotFrame& frame, uint16_t entries) {
  Bytes out = wide_frame(ControlKind::kBallot, entries, kBallotBytes + entries * kBallotEntryBytes);
  store_ballot(frame, out.data());
  for (uint16_t i = 0; i < entries; ++i) store_ballot_entry(entry_of(40 + i), out.data(), i);
  return out;
}

TEST(WideViewControl, store_a_wide_member__expect_the_bytes_of_the_protocol) {
  EXPECT_EQ(wide_member_of(wide_member(), 2),
            hex("20 04 00 00 01020304 00abcdef 0002 0000 1112131415161718"
                "2122232425262728 3132333435363738 41424344 03 01 0050 5152535455565758"
                "6162636465666768 004e 000000000000"
                "00000000000003e8 00000000000003e9"
                "00000000000000000000ffff0a000014 00000114 a0000014"));
}

TEST(WideViewControl, store_a_part_of_a_vote__expect_the_bytes_of_the_protocol) {
  VoteFrame frame = vote(160);
  frame.first = 0x51;
  EXPECT_EQ(wide_vote_of(frame, 1), hex("20 06 00 00 01020304 00abcdef 0001 0000 1112131415161718"
                                        "0000000000000007 6162636465666768"
                                        "00000000000000000000ffff0a000003 00000103 a0000003"
                                        "02 01 0051 00a0 0000 0000000000000061"
                                        "00000000000000000000ffff0a000004 00000104 a0000004"
                                        "00000000000007d0"));
}

TEST(WideViewControl, load_parts_of_version_2__expect_what_was_stored) {
  const Bytes member = wide_member_of(wide_member(), 2);
  ASSERT_TRUE(whole(member));
  EXPECT_EQ(load_member(member.data()), wide_member());
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(load_member_ack(member.data(), i), 1'000 + i);
  EXPECT_EQ(load_member_name(member.data(), 2, 0), stream(20));
  VoteFrame frame = vote(160);
  frame.first = 158;
  const Bytes part = wide_vote_of(frame, 2);
  ASSERT_TRUE(whole(part));
  EXPECT_EQ(load_vote(part.data()), frame);
}

TEST(WideViewControl, parts_outside_of_their_whole__expect_them_refused) {
  MemberFrame member = wide_member();
  EXPECT_EQ(verdict(wide_member_of(member, 3)), DropReason::kControlMalformed);
  member.members = kMaxMembers + 1;
  EXPECT_EQ(verdict(wide_member_of(member, 1)), DropReason::kViewTooLarge);
  VoteFrame frame = vote(2 * kMaxMembers);
  EXPECT_EQ(verdict(wide_vote_of(frame, 2 * kMaxMembers)), DropReason::kNone);
  frame.first = 1;
  EXPECT_EQ(verdict(wide_vote_of(frame, 2 * kMaxMembers)), DropReason::kControlMalformed);
  frame.total += 1;
  EXPECT_EQ(verdict(wide_vote_of(frame, 1)), DropReason::kViewTooLarge);
  BallotFrame value = ballot();
  value.total = 2 * kMaxMembers;
  value.first = 2 * kMaxMembers - 1;
  EXPECT_EQ(verdict(wide_ballot_of(value, 1)), DropReason::kNone);
  EXPECT_EQ(verdict(wide_ballot_of(value, 2)), DropReason::kControlMalformed);
  EXPECT_EQ(verdict(ballot_of(value, 1)), DropReason::kControlMalformed) << "version 1";
  value.total += 1;
  EXPECT_EQ(verdict(wide_ballot_of(value, 1)), DropReason::kViewTooLarge);
  EXPECT_EQ(verdict(wide_frame(ControlKind::kMember, 0, kMemberBytes)),
            DropReason::kControlMalformed);
}

TEST(WideViewControl, a_version_that_its_kind_does_not_have__expect_it_refused_as_such) {
  for (const Bytes& payload : {member_of(kMember, 3), ballot_of(ballot(), 2), vote_of(vote(), 2),
                               skip_of({stream(7), 1, 1})}) {
    for (const uint8_t version : {0, 3, 15}) {
      Bytes other = payload;
      other[0] = static_cast<uint8_t>(version << 4);
      EXPECT_EQ(verdict(other), DropReason::kControlVersion);
    }
  }
  Bytes skip = skip_of({stream(7), 1, 1});
  skip[0] = 0x20;
  EXPECT_EQ(verdict(skip), DropReason::kControlVersion);
}

}  // namespace wide_view_control_test
}  // namespace lambdacast::wire
