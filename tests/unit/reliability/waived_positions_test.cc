#include "reliability/waived_positions.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"

namespace lambdacast::reliability {
namespace {

TEST(WaivedPositions, none__expect_nothing) {
  const WaivedPositions waived(64);
  EXPECT_FALSE(waived.any());
  EXPECT_FALSE(waived.has(0));
}

TEST(WaivedPositions, clear__expect_nothing_and_a_position_a_turn_on_to_be_another) {
  WaivedPositions waived(64);
  waived.add(70, 60);
  EXPECT_TRUE(waived.any());
  EXPECT_TRUE(waived.has(70));
  EXPECT_FALSE(waived.has(70 + 64)) << "the same bit";
  EXPECT_FALSE(waived.has(6)) << "likewise";
  waived.clear();
  EXPECT_FALSE(waived.any());
  EXPECT_FALSE(waived.has(70));
}

// Against a set, while a window of 128 moves over the stream.
TEST(WaivedPositions, at_random__expect_what_was_added_and_nothing_else) {
  base::SplitMix64 random(7);
  WaivedPositions waived(128);
  std::set<uint64_t> model;
  uint64_t next = 1'000;
  for (int step = 0; step < 20'000; ++step) {
    const uint64_t position = next + random.below(128);
    waived.add(position, next);
    model.insert(position);
    for (uint64_t at = next; at < next + 128; ++at) ASSERT_EQ(waived.has(at), model.contains(at));
    if (random.below(4) == 0) next += random.below(300);
    if (random.below(500) == 0) {
      waived.clear();
      model.clear();
    }
  }
}

}  // namespace
}  // namespace lambdacast::reliability
