// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/tree_random.h"

#include <gtest/gtest.h>

namespace lambdacast::sim::fabrics {
namespace {

// `lambdacast-sim trees --small` runs as many as one likes.
TEST(RandomTrees, seeds__expect_no_checker_to_object_and_something_mended_in_most) {
  uint64_t floods = 0;
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    const RandomTrees drawn = random_trees(seed, 24);
    const TreeRun run = run_trees(drawn.fabric, drawn.installed, drawn.scenario);
    floods += run.floods;
    EXPECT_TRUE(run.violations.empty())
        << "seed " << seed << ", " << drawn.text << ": " << run.violations.front();
  }
  EXPECT_GT(floods, 600u);
}

// A link that had failed stood for its other end, which failed then, and no flood named it.
TEST(RandomTrees, seeds_that_failed_before__expect_no_checker_to_object) {
  for (const uint64_t seed : {4678, 11223}) {
    const RandomTrees drawn = random_trees(seed, 40);
    EXPECT_TRUE(run_trees(drawn.fabric, drawn.installed, drawn.scenario).violations.empty());
  }
}

TEST(RandomTrees, one_seed_twice__expect_the_same_frames) {
  const RandomTrees drawn = random_trees(12, 24), again = random_trees(12, 24);
  EXPECT_EQ(drawn.text, again.text);
  EXPECT_EQ(run_trees(drawn.fabric, drawn.installed, drawn.scenario).trace,
            run_trees(again.fabric, again.installed, again.scenario).trace);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
