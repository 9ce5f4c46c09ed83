// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/skipped_positions.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"

namespace lambdacast::reliability {
namespace {

TEST(SkippedPositions, none__expect_nothing) {
  const SkippedPositions skipped(64);
  EXPECT_FALSE(skipped.any());
  EXPECT_FALSE(skipped.has(0));
}

TEST(SkippedPositions, clear__expect_nothing_and_a_position_a_turn_on_to_be_another) {
  SkippedPositions skipped(64);
  skipped.add(70, 60);
  EXPECT_TRUE(skipped.any());
  EXPECT_TRUE(skipped.has(70));
  EXPECT_FALSE(skipped.has(70 + 64)) << "the same bit";
  EXPECT_FALSE(skipped.has(6)) << "likewise";
  skipped.clear();
  EXPECT_FALSE(skipped.any());
  EXPECT_FALSE(skipped.has(70));
}

// Against a set, while a window of 128 moves over the stream.
TEST(SkippedPositions, at_random__expect_what_was_added_and_nothing_else) {
  base::SplitMix64 random(7);
  SkippedPositions skipped(128);
  std::set<uint64_t> model;
  uint64_t next = 1'000;
  for (int step = 0; step < 20'000; ++step) {
    const uint64_t position = next + random.below(128);
    skipped.add(position, next);
    model.insert(position);
    for (uint64_t at = next; at < next + 128; ++at) ASSERT_EQ(skipped.has(at), model.contains(at));
    if (random.below(4) == 0) next += random.below(300);
    if (random.below(500) == 0) {
      skipped.clear();
      model.clear();
    }
  }
}

}  // namespace
}  // namespace lambdacast::reliability
