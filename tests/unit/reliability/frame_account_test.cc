// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/frame_account.h"

#include <gtest/gtest.h>

namespace lambdacast::reliability {
namespace {

using counters::DropReason;

constexpr uint32_t kIncarnation = 100;

class FrameAccountTest : public ::testing::Test {
 protected:
  DropReason accept(uint64_t frame_seq, uint32_t incarnation = kIncarnation) {
    return core_.accept(0, incarnation, frame_seq,
                        static_cast<uint32_t>(frame_seq & wire::kPsnMask));
  }
  FrameAccount core_{FrameAccountConfig{4}};
};

TEST_F(FrameAccountTest, receive_new_frames__expect_them_forwarded_and_counted) {
  EXPECT_EQ(accept(10), DropReason::kNone);
  EXPECT_EQ(accept(11), DropReason::kNone);
  EXPECT_EQ(accept(14), DropReason::kNone);
  EXPECT_EQ(accept(12), DropReason::kNone);
  const StreamReport report = core_.report(0);
  EXPECT_EQ(report.current.received, 4u);
  EXPECT_EQ(report.current.missing, 1u);
  EXPECT_EQ(report.current.late, 1u);
  EXPECT_EQ(report.first_frame_seq, 10u);
  EXPECT_EQ(report.highest_frame_seq, 14u);
}

TEST_F(FrameAccountTest, receive_what_cannot_be_new__expect_each_refused_by_its_reason) {
  EXPECT_EQ(accept(5000), DropReason::kNone);
  EXPECT_EQ(accept(5000), DropReason::kDuplicate);
  EXPECT_EQ(accept(5000 - SequenceTracker::kWindow), DropReason::kTooOld);
  EXPECT_EQ(accept(5001 + SequenceTracker::kMaxJump + 1), DropReason::kTooFarAhead);
  EXPECT_EQ(core_.report(0).current.received, 1u);
}

TEST_F(FrameAccountTest, receive_from_two_peers__expect_separate_streams) {
  EXPECT_EQ(core_.accept(1, 7, 100, 100), DropReason::kNone);
  EXPECT_EQ(core_.accept(2, 9, 100, 100), DropReason::kNone);
  EXPECT_EQ(core_.report(1).incarnation, 7u);
  EXPECT_EQ(core_.report(2).incarnation, 9u);
  EXPECT_FALSE(core_.report(0).started);
  EXPECT_EQ(core_.total().received, 2u);
}

TEST_F(FrameAccountTest, receive_a_newer_incarnation__expect_a_new_stream_and_the_old_kept) {
  EXPECT_EQ(accept(50), DropReason::kNone);
  EXPECT_EQ(accept(53), DropReason::kNone);
  EXPECT_EQ(accept(7, kIncarnation + 1), DropReason::kNone);
  const StreamReport report = core_.report(0);
  EXPECT_EQ(report.incarnation, kIncarnation + 1);
  EXPECT_EQ(report.current.received, 1u);
  EXPECT_EQ(report.current.missing, 0u);
  EXPECT_EQ(report.total.received, 3u);
  EXPECT_EQ(report.total.missing, 2u);
  EXPECT_EQ(report.incarnation_changes, 1u);
}

TEST_F(FrameAccountTest, receive_an_older_incarnation__expect_stale_and_the_stream_unharmed) {
  EXPECT_EQ(accept(50), DropReason::kNone);
  EXPECT_EQ(accept(51, kIncarnation - 1), DropReason::kStaleIncarnation);
  EXPECT_EQ(accept(51), DropReason::kNone);
  EXPECT_EQ(core_.report(0).stale_incarnations, 1u);
}

TEST_F(FrameAccountTest, follow_an_older_incarnation__expect_it_heard_and_the_newer_one_retired) {
  EXPECT_EQ(accept(50), DropReason::kNone);
  EXPECT_EQ(accept(53), DropReason::kNone);
  core_.follow(0, kIncarnation - 1);
  EXPECT_EQ(accept(7, kIncarnation - 1), DropReason::kNone);
  core_.follow(0, kIncarnation - 1);  // it is the one already
  EXPECT_EQ(accept(8, kIncarnation - 1), DropReason::kNone);
  const StreamReport report = core_.report(0);
  EXPECT_EQ(report.current.received, 2u);
  EXPECT_EQ(report.current.missing, 0u);
  EXPECT_EQ(report.total.received, 4u);
  EXPECT_EQ(report.total.missing, 2u);
  EXPECT_EQ(report.incarnation_changes, 1u);
}

TEST_F(FrameAccountTest, receive_incarnations_across_zero__expect_serial_arithmetic) {
  EXPECT_EQ(accept(1, 0xffffffff), DropReason::kNone);
  EXPECT_EQ(accept(1, 0), DropReason::kNone);  // one newer
  EXPECT_EQ(accept(2, 0xffffffff), DropReason::kStaleIncarnation);
}

TEST_F(FrameAccountTest, receive_incarnation_zero_first__expect_the_next_one_to_count_as_change) {
  EXPECT_EQ(accept(1, 0), DropReason::kNone);
  EXPECT_EQ(accept(1, 1), DropReason::kNone);
  EXPECT_EQ(core_.report(0).incarnation_changes, 1u);
}

TEST_F(FrameAccountTest, receive_across_psn_wraps__expect_them_counted) {
  uint64_t frame_seq = (uint64_t{1} << 24) - 16;
  constexpr uint64_t kStep = uint64_t{1} << 22;  // a gap below 2^23 each time
  for (int i = 0; i < 13; ++i, frame_seq += kStep) ASSERT_EQ(accept(frame_seq), DropReason::kNone);
  const StreamReport report = core_.report(0);
  EXPECT_EQ(report.psn_wraps, 3u);
  EXPECT_EQ(report.psn_mismatches, 0u);
  EXPECT_EQ(report.psn_undecidable, 0u);
}

TEST_F(FrameAccountTest, receive_late_across_a_wrap__expect_one_wrap) {
  const uint64_t wrap = uint64_t{1} << 24;
  EXPECT_EQ(accept(wrap - 2), DropReason::kNone);
  EXPECT_EQ(accept(wrap), DropReason::kNone);
  EXPECT_EQ(accept(wrap - 1), DropReason::kNone);
  EXPECT_EQ(accept(wrap + 1), DropReason::kNone);
  EXPECT_EQ(core_.report(0).psn_wraps, 1u);
}

TEST_F(FrameAccountTest, receive_a_gap_of_2_to_the_23__expect_undecidable_and_wraps_by_frame_seq) {
  EXPECT_EQ(accept(0), DropReason::kNone);
  EXPECT_EQ(accept((uint64_t{5} << 24) + 1), DropReason::kNone);
  EXPECT_EQ(core_.report(0).psn_undecidable, 1u);
  EXPECT_EQ(core_.report(0).psn_wraps, 5u);
}

TEST_F(FrameAccountTest, receive_a_psn_that_does_not_follow__expect_mismatch_and_delivery) {
  EXPECT_EQ(core_.accept(0, kIncarnation, 10, 10), DropReason::kNone);
  EXPECT_EQ(core_.accept(0, kIncarnation, 11, 12), DropReason::kNone);
  EXPECT_EQ(core_.report(0).psn_mismatches, 1u);
  EXPECT_EQ(core_.report(0).current.missing, 0u);  // frame_seq is the truth
}

TEST_F(FrameAccountTest, finish__expect_head_and_tail_missing) {
  EXPECT_EQ(accept(105), DropReason::kNone);
  core_.finish(0, kIncarnation, 100, 109);
  EXPECT_EQ(core_.report(0).current.missing, 9u);
  EXPECT_EQ(core_.report(0).psn_wraps, 0u);
}

TEST_F(FrameAccountTest, finish_a_peer_never_heard__expect_all_missing_and_no_psn_complaint) {
  const uint64_t first = (uint64_t{1} << 24) - 4;
  core_.finish(0, kIncarnation, first, first + 9);
  EXPECT_EQ(core_.report(0).current.missing, 10u);
  EXPECT_EQ(core_.report(0).psn_undecidable, 0u);
}

TEST_F(FrameAccountTest, finish_a_stale_incarnation__expect_it_ignored) {
  EXPECT_EQ(accept(50), DropReason::kNone);
  core_.finish(0, kIncarnation - 1, 0, 1000);
  EXPECT_EQ(core_.report(0).current.missing, 0u);
}

TEST_F(FrameAccountTest, accept_a_packet__expect_its_fields_used) {
  struct Packet {
    uint16_t peer = 3;
    uint32_t incarnation = 1;
    uint64_t frame_seq = 42;
    uint32_t psn = 42;
  };
  EXPECT_EQ(core_.accept(Packet{}), DropReason::kNone);
  EXPECT_EQ(core_.report(3).highest_frame_seq, 42u);
}

TEST_F(FrameAccountTest,
       another_peer_has_the_place__expect_its_frames_taken_and_counts_told_apart) {
  EXPECT_EQ(accept(50), DropReason::kNone);
  EXPECT_EQ(accept(52), DropReason::kNone);
  EXPECT_EQ(accept(50, kIncarnation - 1), DropReason::kStaleIncarnation);
  for (const uint32_t incarnation : {kIncarnation - 7, kIncarnation - 7}) {  // older; the same
    core_.succeed(0);
    EXPECT_EQ(accept(50, incarnation), DropReason::kNone);
  }
  EXPECT_EQ(accept(51, kIncarnation - 7), DropReason::kNone);
  const StreamReport report = core_.report(0);
  EXPECT_EQ(report.incarnation, kIncarnation - 7);
  EXPECT_EQ(report.current.received, 2u);
  EXPECT_EQ(report.total.received, 5u);
  EXPECT_EQ(report.of_others.received, 3u);
  EXPECT_EQ(report.of_others.missing, 1u);
  EXPECT_EQ(report.stale_incarnations, 1u);
  EXPECT_EQ(report.stale_of_others, 1u);
  EXPECT_EQ(core_.total().received, 5u);
}

TEST_F(FrameAccountTest, another_peer_has_a_place_that_was_never_heard__expect_nothing_counted) {
  core_.succeed(0);
  EXPECT_EQ(accept(50), DropReason::kNone);
  EXPECT_EQ(core_.report(0).incarnation_changes, 0u);
  EXPECT_EQ(core_.report(0).of_others, SequenceCounters{});
}

}  // namespace
}  // namespace lambdacast::reliability
