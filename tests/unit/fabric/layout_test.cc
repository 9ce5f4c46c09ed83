#include "fabric/layout.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace lambdacast::fabric {
namespace {

// Other programs map these bytes: whoever changes one of the figures bumps kLayoutVersion.
TEST(Layout, version_1_expect_these_sizes_and_offsets) {
  EXPECT_EQ(kLayoutVersion, 1u);
  EXPECT_EQ(sizeof(ControlFile), 280u);
  EXPECT_EQ(offsetof(ControlFile, data_path), 24u);
  EXPECT_EQ(sizeof(SegmentHeader), 128u);
  EXPECT_EQ(offsetof(SegmentHeader, lit_generation), 16u);
  EXPECT_EQ(sizeof(WavelengthControl), 128u);
  EXPECT_EQ(offsetof(WavelengthControl, epoch), 8u);
  EXPECT_EQ(sizeof(SlotHeader), 16u);
  EXPECT_EQ(offsetof(SlotHeader, length), 8u);
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
