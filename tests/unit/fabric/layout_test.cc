// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/layout.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace lambdacast::fabric {
namespace {

// Other programs map these bytes: whoever changes one of the figures bumps kLayoutVersion.
TEST(Layout, version_3_expect_these_sizes_and_offsets) {
  EXPECT_EQ(kLayoutVersion, 3u);
  EXPECT_EQ(sizeof(ControlFile), 280u);
  EXPECT_EQ(offsetof(ControlFile, data_path), 24u);
  EXPECT_EQ(offsetof(ControlFile, grid_ghz), 272u);
  EXPECT_EQ(sizeof(SegmentHeader), 128u);
  EXPECT_EQ(offsetof(SegmentHeader, lit_generation), 16u);
  EXPECT_EQ(sizeof(WavelengthControl), 256u);
  EXPECT_EQ(offsetof(WavelengthControl, epoch), 8u);
  EXPECT_EQ(offsetof(WavelengthControl, owner), 128u);
  EXPECT_EQ(offsetof(OwnerControl, version), 4u);
  EXPECT_EQ(offsetof(OwnerControl, epoch), 8u);
  EXPECT_EQ(offsetof(OwnerControl, name), 16u);
  EXPECT_EQ(sizeof(SlotHeader), 16u);
  EXPECT_EQ(offsetof(SlotHeader, frame), 8u);
}

TEST(FrameWord, lengths_and_departures_expect_both_back) {
  for (const uint64_t now : {uint64_t{1} << 20, (uint64_t{1} << 49) + 5, uint64_t{1} << 62}) {
    for (const uint32_t bytes : {0u, 64u, kMaxFrameBytes}) {
      for (const int64_t age : {0ll, 1ll, -1ll, 1000ll, -(1ll << 19), (1ll << 48) - 1}) {
        const uint64_t word = frame_word(bytes, now - static_cast<uint64_t>(age));
        EXPECT_EQ(length_of(word), bytes);
        EXPECT_EQ(departure_of(word, now), now - static_cast<uint64_t>(age)) << now << ' ' << age;
      }
    }
  }
}

TEST(FrameWord, departures_around_now_expect_what_is_past_or_days_old_to_have_left) {
  constexpr uint64_t kHz = 3'000'000'000;
  for (const uint64_t now : {uint64_t{5} * kHz, (uint64_t{1} << 49) - 1, (uint64_t{1} << 49) + 7}) {
    EXPECT_TRUE(has_left(frame_word(64, now), now, kHz));
    EXPECT_TRUE(has_left(frame_word(64, now - 1), now, kHz));
    EXPECT_TRUE(has_left(frame_word(64, now - 5 * kHz), now, kHz));
    EXPECT_FALSE(has_left(frame_word(64, now + 1), now, kHz));
    EXPECT_FALSE(has_left(frame_word(64, now + 60 * kHz), now, kHz));
    EXPECT_TRUE(has_left(frame_word(64, now + 60 * kHz + 1), now, kHz));
  }
}

TEST(SlotState, the_life_of_a_slot_expect_only_rising_states) {
  const uint64_t slots = 64;
  uint64_t last = 0;  // zeroed memory: no frame
  for (uint64_t index = 7; index < 1000; index += slots) {
    EXPECT_GT(writing_state(index), last);
    EXPECT_GT(complete_state(index), writing_state(index));
    last = complete_state(index);
  }
  EXPECT_LT(uint64_t{0}, writing_state(0));
  EXPECT_LT(writing_state(0), complete_state(0));
}

TEST(PrefetchedBytes, short_frame_expect_all_of_it_long_frame_expect_a_limit) {
  EXPECT_EQ(prefetched_bytes(0), 16u);
  EXPECT_EQ(prefetched_bytes(146), 162u);
  EXPECT_EQ(prefetched_bytes(496), 512u);
  EXPECT_EQ(prefetched_bytes(4464), 512u);
}

}  // namespace
}  // namespace lambdacast::fabric
