// A few hundred random scenarios through every checker, on the shipped cores. A failing seed is
// replayed with: lambdacast-sim replay --seed SEED --trace

#include <gtest/gtest.h>

#include "sim/run_seed.h"

namespace lambdacast::sim {
namespace {

TEST(Campaign, random_scenarios__expect_no_violation_and_every_kind_of_event) {
  Coverage coverage;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const SeedResult result = run_seed(seed);
    EXPECT_TRUE(result.violations.empty())
        << "seed " << seed << ": " << result.violations.size()
        << " violations, the first: " << result.violations.front();
    coverage.add(result.coverage);
  }
  EXPECT_STREQ(coverage.missing(), nullptr);
  EXPECT_GT(coverage.delivered, 100'000u);
  EXPECT_GT(coverage.delivered_unreliable, 10'000u);
  EXPECT_GT(coverage.repaired, 10'000u);
  EXPECT_GT(coverage.lost_at_transmitter, 100u);
  EXPECT_GT(coverage.copies_damaged, 1'000u);
  EXPECT_GT(coverage.ring_losses, 100u);
  EXPECT_GT(coverage.nacks_suppressed, 100u);
  EXPECT_GT(coverage.slow_consumer, 100u);
  EXPECT_GT(coverage.lost_outside_retention, 0u);
}

// Each of these once found a bug of the cores, or a checker that claimed too much.
TEST(Campaign, seeds_that_failed_before__expect_no_violation) {
  constexpr uint64_t kSeeds[] = {
      430,    // positions announced beyond a full window, and then the sender went away
      1459,   // cut off again before it had heard of being admitted anew
      4924,   // cut off by a sender that died before it was joined again
      6759,   // repairs for one that had died since it asked
      6894,   // a receiver cut off and heard in its next life before anybody took the event
      7127,   // likewise
      15261,  // repairs within a round trip that nobody had measured yet
      24961,  // likewise, after a restart
      19552,  // a receiver that was leaving when its sender's next life spoke
      22788,  // a receiver cut off for its lag and admitted anew at once
      25037,  // packets behind the heartbeat of their sender's next life
      79964,  // a newcomer asked again for what was under way to it
      77895,  // a sender died between admitting anew and saying so
      54535,  // a copy of a NACK, later than a repair is held off
  };
  for (const uint64_t seed : kSeeds) {
    const SeedResult result = run_seed(seed);
    EXPECT_TRUE(result.violations.empty()) << "seed " << seed << ": " << result.violations.front();
  }
}

TEST(Campaign, equal_seeds__expect_equal_traces_and_different_ones_otherwise) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const uint64_t hash = run_seed(seed).trace_hash;
    EXPECT_EQ(run_seed(seed).trace_hash, hash) << "seed " << seed;
    EXPECT_NE(run_seed(seed + 1000).trace_hash, hash) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lambdacast::sim
