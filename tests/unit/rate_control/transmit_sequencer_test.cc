// SPDX-License-Identifier: BSD-3-Clause
#include "rate_control/transmit_sequencer.h"

#include <gtest/gtest.h>

namespace lambdacast::rate_control {
namespace {

TEST(TransmitSequencer, number_unreliable_frames__expect_frame_seq_alone_to_advance) {
  TransmitSequencer sequencer(10);
  EXPECT_EQ(sequencer.next(false).frame_seq, 10u);
  const FrameNumber number = sequencer.next(false);
  EXPECT_EQ(number.frame_seq, 11u);
  EXPECT_EQ(number.rel_seq, 0u);
  EXPECT_EQ(sequencer.sent(), 2u);
}

TEST(TransmitSequencer, number_recoverable_frames__expect_rel_seq_repeated_between_them) {
  TransmitSequencer sequencer;
  EXPECT_EQ(sequencer.next(true).rel_seq, 1u);
  EXPECT_EQ(sequencer.next(false).rel_seq, 1u);
  EXPECT_EQ(sequencer.next(true).rel_seq, 2u);
  EXPECT_EQ(sequencer.rel_seq(), 2u);
}

TEST(TransmitSequencer, number_across_the_wrap__expect_psn_zero_and_one_wrap) {
  TransmitSequencer sequencer(0xfffffe);
  EXPECT_EQ(sequencer.psn_wraps(), 0u);
  EXPECT_EQ(sequencer.next(false).psn, 0xfffffeu);
  EXPECT_EQ(sequencer.next(false).psn, 0xffffffu);
  EXPECT_EQ(sequencer.psn_wraps(), 0u);
  const FrameNumber number = sequencer.next(false);
  EXPECT_EQ(number.psn, 0u);
  EXPECT_EQ(number.frame_seq, 0x1000000u);
  EXPECT_EQ(sequencer.psn_wraps(), 1u);
}

TEST(TransmitSequencer, start_at_psn_zero__expect_no_wrap_for_the_start) {
  TransmitSequencer sequencer(uint64_t{3} << 24);
  EXPECT_EQ(sequencer.next(false).psn, 0u);
  EXPECT_EQ(sequencer.psn_wraps(), 0u);
}

TEST(TransmitSequencer, start_below_2_to_the_63__expect_the_low_24_bits_as_psn) {
  TransmitSequencer sequencer((uint64_t{1} << 63) - 1);
  EXPECT_EQ(sequencer.next(false).psn, 0xffffffu);
  EXPECT_EQ(sequencer.next(false).frame_seq, uint64_t{1} << 63);
  EXPECT_EQ(sequencer.psn_wraps(), 1u);
}

}  // namespace
}  // namespace lambdacast::rate_control
