// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/transmitter.h"

#include <gtest/gtest.h>

#include "support.h"

namespace lambdacast::fabric {
namespace transmitter_test {

using test::Segment;

constexpr Geometry kGeometry{2, 64, 256};

const WavelengthControl& control_of(Segment& segment, uint32_t wavelength) {
  return *reinterpret_cast<WavelengthControl*>(segment.data() +
                                               kGeometry.control_offset(wavelength));
}
const SlotHeader& slot_of(Segment& segment, uint64_t index) {
  return *reinterpret_cast<SlotHeader*>(segment.data() + kGeometry.ring_offset(0) +
                                        index % 64 * kGeometry.slot_stride_bytes());
}

TEST(Transmitter, first_owner_expect_epoch_1_and_frame_0) {
  Segment segment(kGeometry);
  Transmitter transmitter = segment.transmitter();
  EXPECT_EQ(transmitter.epoch(), 1u);
  EXPECT_EQ(transmitter.next_index(), 0u);
  EXPECT_EQ(transmitter.max_frame_bytes(), 256u);
  EXPECT_EQ(control_of(segment, 0).epoch, 1u);
}

TEST(Transmitter, any_owner_expect_lit_generation_to_rise) {
  Segment segment(kGeometry);
  const auto& header = *reinterpret_cast<SegmentHeader*>(segment.data());
  (void)segment.transmitter(0);
  EXPECT_EQ(header.lit_generation, 1u);
  (void)segment.transmitter(1);
  EXPECT_EQ(header.lit_generation, 2u);
}

TEST(BeginFrame, slot_in_use_expect_the_old_frame_gone_and_the_new_not_there) {
  Segment segment(kGeometry);
  Transmitter transmitter = segment.transmitter();
  test::send_burst(transmitter, 64);
  EXPECT_EQ(slot_of(segment, 64).state, complete_state(0));
  (void)transmitter.begin_frame();
  EXPECT_EQ(slot_of(segment, 64).state, writing_state(64));
  transmitter.end_frame(10, 77);
  EXPECT_EQ(slot_of(segment, 64).state, complete_state(64));
  EXPECT_EQ(slot_of(segment, 64).frame, frame_word(10, 77));
}

TEST(BeginFrame, longest_frame_in_every_slot_expect_no_neighbour_touched) {
  Segment segment(kGeometry);
  Transmitter transmitter = segment.transmitter(0);
  for (uint64_t i = 0; i < 64; ++i) {
    std::memset(transmitter.begin_frame(), 0xff, transmitter.max_frame_bytes());
    transmitter.end_frame(transmitter.max_frame_bytes(), 0);
  }
  for (uint64_t i = 0; i < 64; ++i) ASSERT_EQ(slot_of(segment, i).state, complete_state(i));
  EXPECT_EQ(segment.receiver(1).peek(), Peek::kEmpty);
}

TEST(EndBurst, before_it_expect_the_old_head_after_it_the_new) {
  Segment segment(kGeometry);
  Transmitter transmitter = segment.transmitter();
  for (int i = 0; i < 3; ++i) test::send_frame(transmitter);
  EXPECT_EQ(control_of(segment, 0).head, 0u);
  transmitter.end_burst();
  EXPECT_EQ(control_of(segment, 0).head, 3u);
}

TEST(Takeover, frames_complete_behind_the_published_head_expect_kept) {
  Segment segment(kGeometry);
  {
    Transmitter dead = segment.transmitter();
    test::send_burst(dead, 100);
    for (int i = 0; i < 5; ++i) test::send_frame(dead);  // dies before end_burst
  }
  Transmitter next = segment.transmitter();
  EXPECT_EQ(next.next_index(), 105u);
  EXPECT_EQ(next.epoch(), 2u);
  EXPECT_EQ(control_of(segment, 0).head, 105u);
}

TEST(Takeover, torn_slot_expect_written_afresh_as_the_same_index) {
  Segment segment(kGeometry);
  {
    Transmitter dead = segment.transmitter();
    test::send_burst(dead, 10);
    std::memset(dead.begin_frame(), 0xee, 256);  // dies here
  }
  Transmitter next = segment.transmitter();
  EXPECT_EQ(next.next_index(), 10u);
  EXPECT_EQ(slot_of(segment, 10).state, writing_state(10));
  test::send_frame(next);
  EXPECT_EQ(slot_of(segment, 10).state, complete_state(10));
}

TEST(Takeover, a_whole_ring_complete_behind_the_head_expect_every_frame_kept) {
  Segment segment(kGeometry);
  {
    Transmitter dead = segment.transmitter();
    for (int i = 0; i < 64; ++i) test::send_frame(dead);
  }
  EXPECT_EQ(segment.transmitter().next_index(), 64u);
}

TEST(Prefetch, anywhere_expect_no_effect) {
  Segment segment(kGeometry);
  Transmitter transmitter = segment.transmitter();
  transmitter.prefetch(8, 256);
  EXPECT_EQ(transmitter.next_index(), 0u);
  EXPECT_EQ(slot_of(segment, 8).state, 0u);
}

}  // namespace transmitter_test
}  // namespace lambdacast::fabric
