// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/view_control.h"

#include <gtest/gtest.h>

#include <tuple>

#include "view_control_frames.h"

namespace lambdacast::wire {
namespace view_control_test {

// --- bytes of the protocol -----------------------------------------------------------------------

TEST(ViewControl, store_a_member__expect_the_bytes_of_the_protocol) {
  MemberFrame frame = kMember;
  frame.names = 1;
  EXPECT_EQ(member_of(frame, 2),
            hex("10 04 00 00 01020304 00abcdef 0002 0000 1112131415161718"
                "2122232425262728 3132333435363738 41424344 03 01 0304 5152535455565758"
                "00000000000003e8 00000000000003e9"
                "00000000000000000000ffff0a000014 00000114 a0000014"));
}

TEST(ViewControl, store_a_ballot__expect_the_bytes_of_the_protocol) {
  EXPECT_EQ(ballot_of(ballot(), 1), hex("10 05 00 00 01020304 00abcdef 0001 0000 1112131415161718"
                                        "0000000000000007 6162636465666768"
                                        "00000000000000000000ffff0a000003 00000103 a0000003"
                                        "9192939495969798 a1a2a3a4 03 00 0005 0003 000000000000"
                                        "b1b2b3b4b5b6b7b8 c1c2c3c4 00000000"
                                        "00000000000000000000ffff0a000028 00000128 a0000028"
                                        "71727374757677a0 05 00 81a8 00000000"));
}

TEST(ViewControl, store_a_vote__expect_the_bytes_of_the_protocol) {
  EXPECT_EQ(vote_of(vote(), 1), hex("10 06 00 00 01020304 00abcdef 0001 0000 1112131415161718"
                                    "0000000000000007 6162636465666768"
                                    "00000000000000000000ffff0a000003 00000103 a0000003"
                                    "02 01 000000000000 0000000000000061"
                                    "00000000000000000000ffff0a000004 00000104 a0000004"
                                    "00000000000007d0"));
}

TEST(ViewControl, store_a_skip__expect_the_bytes_of_the_protocol) {
  EXPECT_EQ(skip_of({stream(7), 0x102, 3}),
            hex("10 07 00 00 01020304 00abcdef 0000 0000 1112131415161718"
                "00000000000000000000ffff0a000007 00000107 a0000007"
                "0000000000000102 0000000000000003"));
}

TEST(ViewControl, store_marks__expect_the_bytes_of_the_protocol_and_what_was_stored) {
  Bytes out(kMarksHeaderBytes + 2 * kMarkBytes, 0xee);
  store_marks_epoch(9, out.data());
  store_mark({0x0102, 0x1112131415161718}, out.data(), 0);
  store_mark({3, 4}, out.data(), 1);
  EXPECT_EQ(out, hex("0000000000000009 0102 0000 1112131415161718 0003 0000 0000000000000004"));
  ASSERT_TRUE(valid_marks(out));
  EXPECT_EQ(load_marks_epoch(out), 9u);
  ASSERT_EQ(count_marks(out), 2u);
  EXPECT_EQ(load_mark(out, 0).rank, 0x0102);
  EXPECT_EQ(load_mark(out, 0).through, 0x1112131415161718u);
  EXPECT_EQ(load_mark(out, 1).rank, 3);
  EXPECT_EQ(load_mark(out, 1).through, 4u);
}

TEST(ViewControl, marks_of_any_length__expect_header_and_whole_items_alone_valid) {
  for (size_t bytes = 0; bytes <= kMarksHeaderBytes + 3 * kMarkBytes; ++bytes) {
    const bool expected = bytes == kMarksHeaderBytes || bytes == kMarksHeaderBytes + kMarkBytes ||
                          bytes == kMarksHeaderBytes + 2 * kMarkBytes ||
                          bytes == kMarksHeaderBytes + 3 * kMarkBytes;
    EXPECT_EQ(valid_marks(Bytes(bytes)), expected) << bytes;
  }
}

// --- what was stored comes back ------------------------------------------------------------------

TEST(ViewControl, load_a_member__expect_what_was_stored) {
  const Bytes payload = member_of(kMember, 3);
  ASSERT_TRUE(whole(payload));
  EXPECT_EQ(load_member(payload.data()), kMember);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(load_member_ack(payload.data(), i), 1'000 + i);
  EXPECT_EQ(load_member_name(payload.data(), 3, 0), stream(20));
  EXPECT_EQ(load_member_name(payload.data(), 3, 1), stream(21));
}

TEST(ViewControl, load_a_ballot__expect_what_was_stored) {
  const Bytes payload = ballot_of(ballot(), 2);
  ASSERT_TRUE(whole(payload));
  EXPECT_EQ(load_ballot(payload.data()), ballot());
  EXPECT_EQ(load_ballot_entry(payload.data(), 0), entry_of(40));
  EXPECT_EQ(load_ballot_entry(payload.data(), 1), entry_of(41));
}

TEST(ViewControl, load_a_vote__expect_what_was_stored) {
  const Bytes payload = vote_of(vote(), 2);
  ASSERT_TRUE(whole(payload));
  EXPECT_EQ(load_vote(payload.data()), vote());
  EXPECT_EQ(load_vote_position(payload.data(), 0), 2'000u);
  EXPECT_EQ(load_vote_position(payload.data(), 1), 2'001u);
}

TEST(ViewControl, load_a_vote_without_an_accepted_value__expect_none) {
  VoteFrame frame = vote();
  frame.has_accepted = false;
  const Bytes payload = vote_of(frame, 0);
  ASSERT_TRUE(whole(payload));
  EXPECT_FALSE(load_vote(payload.data()).has_accepted);
}

TEST(ViewControl, load_a_skip__expect_what_was_stored) {
  const Bytes payload = skip_of({stream(7), 0x102, 3});
  ASSERT_TRUE(whole(payload));
  const SkipFrame skip = load_skip(payload.data());
  EXPECT_EQ(skip.stream, stream(7));
  EXPECT_EQ(skip.first, 0x102u);
  EXPECT_EQ(skip.count, 3u);
}

// --- what is refused -----------------------------------------------------------------------------

TEST(ViewControl, a_payload_cut_short_or_with_more_behind_it__expect_it_refused) {
  for (const Bytes& payload : {member_of(kMember, 3), ballot_of(ballot(), 2), vote_of(vote(), 2),
                               skip_of({stream(7), 1, 1})}) {
    ASSERT_TRUE(whole(payload));
    for (size_t bytes = 0; bytes < payload.size(); ++bytes) {
      EXPECT_FALSE(whole(Bytes(payload.begin(), payload.begin() + static_cast<long>(bytes))))
          << "kind " << int{payload[1]} << ", " << bytes << " bytes";
    }
    Bytes longer = payload;
    for (size_t more = 1; more <= 2 * kBallotEntryBytes; ++more) {
      longer.push_back(0);
      EXPECT_FALSE(whole(longer)) << "kind " << int{payload[1]} << ", " << more << " more";
    }
  }
}

TEST(ViewControl, entries_that_the_bytes_do_not_hold__expect_it_refused) {
  for (const Bytes& payload : {member_of(kMember, 3), ballot_of(ballot(), 2), vote_of(vote(), 2),
                               skip_of({stream(7), 1, 1})}) {
    const uint16_t entries = base::load_be16(&payload[12]);
    for (uint32_t claimed = 0; claimed <= 0xffff; ++claimed) {
      Bytes other = payload;
      base::store_be16(&other[12], static_cast<uint16_t>(claimed));
      EXPECT_EQ(whole(other), claimed == entries) << "kind " << int{payload[1]};
    }
  }
}

TEST(ViewControl, a_member_with_values_that_are_none__expect_it_refused) {
  const Bytes payload = member_of(kMember, 1);
  for (int state = 0; state <= 0xff; ++state)
    EXPECT_EQ(whole_with(payload, 44, static_cast<uint8_t>(state)), state >= 1 && state <= 4);
  for (int names = 0; names <= 0xff; ++names)
    EXPECT_EQ(whole_with(payload, 45, static_cast<uint8_t>(names)), names == kMember.names);
  EXPECT_TRUE(whole(member_of(kMember, kMaxNarrowMembers)));
  EXPECT_FALSE(whole(member_of(kMember, kMaxNarrowMembers + 1)));
}

TEST(ViewControl, a_ballot_with_values_that_are_none__expect_it_refused) {
  const Bytes payload = ballot_of(ballot(), 2);
  for (int phase = 0; phase <= 0xff; ++phase)
    EXPECT_EQ(whole_with(payload, 76, static_cast<uint8_t>(phase)), phase >= 1 && phase <= 5);
  BallotFrame none = ballot();
  none.ballot.epoch = 0;
  EXPECT_FALSE(whole(ballot_of(none, 2)));
}

// Entries [first, first + entries) lie inside the total, of two views at most.
TEST(ViewControl, a_ballot_with_entries_outside_its_total__expect_it_refused) {
  constexpr uint16_t kMost = 2 * kMaxNarrowMembers;
  for (const auto& [first, entries, total, expected] :
       {std::tuple<uint16_t, uint16_t, uint16_t, bool>{0, 0, 0, true},
        {0, 2, 2, true},
        {0, 3, 2, false},
        {1, 2, 2, false},
        {0xffff, 2, kMost, false},
        {kMost, 0, kMost, true},
        {kMost - 1, 1, kMost, true},
        {kMost - 1, 2, kMost, false},
        {0, 1, kMost + 1, false},
        {0, kMost, kMost, true}}) {
    BallotFrame frame = ballot();
    frame.first = first;
    frame.total = total;
    EXPECT_EQ(whole(ballot_of(frame, entries)), expected)
        << first << " + " << entries << " of " << total;
  }
}

TEST(ViewControl, a_vote_with_values_that_are_none__expect_it_refused) {
  const Bytes payload = vote_of(vote(), 1);
  for (int value = 0; value <= 0xff; ++value) {
    EXPECT_EQ(whole_with(payload, 64, static_cast<uint8_t>(value)), value >= 1 && value <= 3);
    EXPECT_EQ(whole_with(payload, 65, static_cast<uint8_t>(value)), value <= 1);
  }
  EXPECT_TRUE(whole(vote_of(vote(), 2 * kMaxNarrowMembers)));
  EXPECT_FALSE(whole(vote_of(vote(), 2 * kMaxNarrowMembers + 1)));
}

TEST(ViewControl, a_skip_beyond_the_last_position__expect_it_refused) {
  EXPECT_TRUE(whole(skip_of({stream(7), kMaxPosition, 0})));
  EXPECT_TRUE(whole(skip_of({stream(7), 0, kMaxPosition})));
  EXPECT_TRUE(whole(skip_of({stream(7), kMaxPosition - 5, 5})));
  EXPECT_FALSE(whole(skip_of({stream(7), kMaxPosition - 5, 6})));
  EXPECT_FALSE(whole(skip_of({stream(7), kMaxPosition + 1, 0})));
  EXPECT_FALSE(whole(skip_of({stream(7), 5, ~uint64_t{0}})));
}

TEST(ViewControl, a_kind_that_is_none__expect_it_refused) {
  const Bytes payload = skip_of({stream(7), 1, 1});
  for (const uint8_t kind : {0, 9, 10, 0xff}) {
    Bytes other = payload;
    other[1] = kind;
    EXPECT_EQ(verdict(other), DropReason::kControlKind);
  }
}

// --- order of names and of ballots ---------------------------------------------------------------

TEST(ViewControl, name_before__expect_gid_then_queue_pair_then_incarnation) {
  StreamName low = stream(5);
  StreamName high = low;
  EXPECT_FALSE(name_before(low, high));
  high.incarnation += 1;
  EXPECT_TRUE(name_before(low, high));
  low.qpn += 1;
  EXPECT_FALSE(name_before(low, high));
  EXPECT_TRUE(name_before(high, low));
  high.gid.bytes[15] += 1;
  EXPECT_TRUE(name_before(low, high));
  EXPECT_FALSE(name_before(high, low));
}

TEST(ViewControl, ballot_before__expect_rounds_before_proposers) {
  EXPECT_TRUE(ballot_before({1, 4, stream(9)}, {1, 5, stream(2)}));
  EXPECT_FALSE(ballot_before({1, 5, stream(2)}, {1, 4, stream(9)}));
  EXPECT_TRUE(ballot_before({1, 5, stream(2)}, {1, 5, stream(9)}));
  EXPECT_FALSE(ballot_before({1, 5, stream(9)}, {1, 5, stream(9)}));
}

}  // namespace view_control_test
}  // namespace lambdacast::wire
