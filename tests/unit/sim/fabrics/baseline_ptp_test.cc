// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/baseline_ptp.h"

#include <gtest/gtest.h>

#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {
namespace {

class Ptp : public ::testing::Test {
 protected:
  const Fabric fabric = *parse_graph("fat-tree:4", 1);
  const ClockTree tree = lowest_tree(fabric);
  ClockScenario scenario{.medium = {.loss = 0}, .failure_ns = 1'000'000};
  [[nodiscard]] ClockRun run() const { return run_ptp(fabric, tree, scenario); }
};

TEST_F(Ptp, nothing_fails__expect_a_lowest_tree_from_the_best_clock_and_no_change) {
  const ClockRun calm = run();
  EXPECT_TRUE(calm.violations.empty()) << calm.violations.front();
  EXPECT_FALSE(calm.flooded);
  EXPECT_EQ(calm.height, tree.height);
}

// The receipt timeout alone is three announce intervals.
TEST_F(Ptp, best_clock_dies__expect_one_tree_from_another_behind_the_timeout) {
  scenario.failures = {{.node = tree.root}};
  const ClockRun mended = run();
  EXPECT_TRUE(mended.violations.empty()) << mended.violations.front();
  EXPECT_TRUE(mended.flooded);
  EXPECT_GE(mended.full_ns, 2u * 51'200u);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
