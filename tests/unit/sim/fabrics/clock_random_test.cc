// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/clock_random.h"

#include <gtest/gtest.h>

namespace lambdacast::sim::fabrics {
namespace {

// `lambdacast-sim clock --small` runs as many as one likes.
TEST(RandomClocks, seeds__expect_no_checker_to_object_and_something_mended_in_most) {
  uint64_t floods = 0;
  for (uint64_t seed = 1; seed <= 1500; ++seed) {
    const RandomClock drawn = random_clock(seed, 24);
    const ClockRun run = run_clock(drawn.fabric, drawn.tree, drawn.scenario);
    floods += run.floods;
    EXPECT_TRUE(run.violations.empty())
        << "seed " << seed << ", " << drawn.text << ": " << run.violations.front();
  }
  EXPECT_GT(floods, 1500u);
}

// The test above draws smaller graphs: `clock --small` draws these.
TEST(RandomClocks, rings_whose_links_copy_frames__expect_an_end_though_each_hop_adds_copies) {
  for (const uint64_t seed : {7002760u, 7031148u}) {
    const RandomClock drawn = random_clock(seed, 40);
    const ClockRun run = run_clock(drawn.fabric, drawn.tree, drawn.scenario);
    EXPECT_TRUE(run.violations.empty())
        << "seed " << seed << ", " << drawn.text << ": " << run.violations.front();
  }
}

TEST(RandomClocks, one_seed_twice__expect_the_same_frames) {
  const RandomClock drawn = random_clock(12, 24), again = random_clock(12, 24);
  EXPECT_EQ(drawn.text, again.text);
  EXPECT_EQ(run_clock(drawn.fabric, drawn.tree, drawn.scenario).trace,
            run_clock(again.fabric, again.tree, again.scenario).trace);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
