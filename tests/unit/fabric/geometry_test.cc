// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/geometry.h"

#include <gtest/gtest.h>

#include <set>

#include "base/cacheline.h"
#include "fabric/layout.h"

namespace lambdacast::fabric {
namespace geometry_test {

// Each area of a segment: [first, last] bytes.
using Areas = std::set<std::pair<std::size_t, std::size_t>>;

Areas areas_of(const Geometry& g) {
  Areas areas = {{0, sizeof(SegmentHeader) - 1}};
  for (uint32_t w = 0; w < g.wavelengths; ++w) {
    areas.emplace(g.control_offset(w), g.control_offset(w) + sizeof(WavelengthControl) - 1);
    areas.emplace(g.ring_offset(w), g.ring_offset(w) + g.slots * g.slot_stride_bytes() - 1);
  }
  return areas;
}

TEST(Geometry, any_frame_size_expect_stride_never_a_multiple_of_4096) {
  for (uint32_t bytes = kMinFrameBytes; bytes <= kMaxFrameBytes; ++bytes) {
    const std::size_t stride = Geometry{1, 64, bytes}.slot_stride_bytes();
    ASSERT_NE(stride % 4096, 0u) << bytes;
    ASSERT_EQ(stride % base::kCacheLinePairBytes, 0u) << bytes;
    ASSERT_GE(stride, sizeof(SlotHeader) + bytes) << bytes;
  }
}

TEST(Geometry, equal_slots_of_two_rings_expect_different_cache_sets) {
  for (uint32_t slots = kMinSlots; slots <= kMaxSlots; slots *= 2) {
    EXPECT_NE((Geometry{2, slots, 4464}.ring_stride_bytes()) % 4096, 0u) << slots;
  }
}

TEST(Geometry, every_area_expect_its_own_bytes_inside_the_segment) {
  for (const Geometry& g : {Geometry{}, Geometry{1, 64, 64}, Geometry{80, 64, 64},
                            Geometry{80, 128, 16384}, Geometry{3, 1u << 20, 64}}) {
    std::size_t free_from = 0;
    for (const auto& [first, last] : areas_of(g)) {
      ASSERT_GE(first, free_from) << g.text();
      free_from = last + 1;
    }
    EXPECT_LE(free_from, g.segment_bytes()) << g.text();
    EXPECT_EQ(g.segment_bytes() % (std::size_t{2} << 20), 0u) << g.text();
  }
}

TEST(Geometry, text_expect_the_devargs_that_make_it) {
  EXPECT_EQ((Geometry{2, 64, 1500}.text()), "wavelengths=2,slots=64,frame_bytes=1500,grid=100GHz");
}

TEST(Validate, limits_expect_accepted) {
  EXPECT_TRUE(validate(Geometry{}));
  EXPECT_TRUE(validate(Geometry{1, kMinSlots, kMinFrameBytes}));
  EXPECT_TRUE(validate(Geometry{kMaxWavelengths, kMaxSlots, kMaxFrameBytes}));
}

TEST(Validate, bad_field_expect_error_with_name_value_and_what_is_allowed) {
  const std::pair<Geometry, const char*> cases[] = {
      {{0, 1024, 4464}, "wavelengths=0 is not allowed; allowed: 1 to 80"},
      {{81, 1024, 4464}, "wavelengths=81 is not allowed; allowed: 1 to 80"},
      {{40, 0, 4464}, "slots=0 is not allowed; allowed: a power of two from 64 to 1048576"},
      {{40, 32, 4464}, "slots=32 is not allowed; allowed: a power of two from 64 to 1048576"},
      {{40, 96, 4464}, "slots=96 is not allowed; allowed: a power of two from 64 to 1048576"},
      {{40, 1u << 21, 4464},
       "slots=2097152 is not allowed; allowed: a power of two from 64 to "
       "1048576"},
      {{40, 1024, 63}, "frame_bytes=63 is not allowed; allowed: 64 to 16384 bytes"},
      {{40, 1024, 16385}, "frame_bytes=16385 is not allowed; allowed: 64 to 16384 bytes"},
  };
  for (const auto& [geometry, sentence] : cases) {
    const auto result = validate(geometry);
    ASSERT_FALSE(result) << sentence;
    EXPECT_EQ(result.error().message, sentence);
  }
}

}  // namespace geometry_test
}  // namespace lambdacast::fabric
