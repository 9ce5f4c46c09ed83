// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/clock_run.h"

#include <gtest/gtest.h>

#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {
namespace {

constexpr clock_sync::Improvements kOurs{.reports = true,
                                         .phases = true,
                                         .generations = true,
                                         .suspects = true,
                                         .piggyback = true,
                                         .sharing = true,
                                         .timed = true,
                                         .direct = true};

class ClockRunTest : public ::testing::Test {
 protected:
  const Fabric fabric = *parse_graph("fat-tree:4", 1);
  const ClockTree tree = lowest_tree(fabric);
  ClockScenario scenario{.medium = {.loss = 0}};
  [[nodiscard]] ClockRun run() const { return run_clock(fabric, tree, scenario); }
};

TEST_F(ClockRunTest, nothing_fails__expect_no_flood_and_the_uncertainty_of_a_wave) {
  scenario.improvements = kOurs;
  const ClockRun calm = run();
  EXPECT_TRUE(calm.violations.empty()) << calm.violations.front();
  EXPECT_FALSE(calm.flooded);
  // Four hops of 5 ns, and at most an interval and four hops of 5.62 us at 200 ppm; two of them.
  EXPECT_LE(calm.peak_ns, 2 * (20 + 200e-6 * (100'000 + 4 * 5'620)) + 0.1);
}

TEST_F(ClockRunTest, root_dies__expect_one_lowest_tree_and_published_no_faster) {
  scenario.failures = {{.node = tree.root}};
  const ClockRun published = run();
  scenario.improvements = kOurs;
  const ClockRun ours = run();
  for (const ClockRun* each : {&published, &ours}) {
    EXPECT_TRUE(each->violations.empty()) << each->violations.front();
    EXPECT_TRUE(each->flooded);
    EXPECT_EQ(each->height, 4u);
    EXPECT_LT(each->fast_ns, each->full_ns);
  }
  EXPECT_LT(ours.fast_ns, published.fast_ns);
  EXPECT_LT(ours.full_ns, published.full_ns);
  EXPECT_LT(ours.peak_ns, published.peak_ns);
}

TEST_F(ClockRunTest, leaf_dies__expect_nothing_to_mend) {
  scenario.improvements = kOurs;
  NodeId leaf = 0;
  while (congest::FilterPorts::count(tree.places[leaf].children) != 0) ++leaf;
  scenario.failures = {{.node = leaf}};
  const ClockRun calm = run();
  EXPECT_TRUE(calm.violations.empty()) << calm.violations.front();
  EXPECT_FALSE(calm.flooded);
}

TEST_F(ClockRunTest, controller_takes_over__expect_its_tree_in_force) {
  scenario.improvements = kOurs;
  scenario.failures = {{.node = tree.root}};
  scenario.install_behind_ns = 1'000'000;
  const ClockRun installed = run();
  EXPECT_TRUE(installed.violations.empty()) << installed.violations.front();
}

// Under model B an answer may have to wait for its port, and nothing that is on its way there tells
// that the neighbour lives: the verdict has to wait for it.
TEST_F(ClockRunTest, model_b_and_slow_links__expect_nobody_alive_given_up) {
  scenario.improvements = kOurs;
  scenario.medium.model = Model::kB;
  scenario.medium.budget_bps = 10'000'000;
  scenario.failures = {{.node = tree.root}, {.node = 2, .behind_ns = 300'000}};
  const ClockRun mended = run();
  EXPECT_TRUE(mended.violations.empty()) << mended.violations.front();
  EXPECT_LE(mended.floods, 8u);
}

TEST_F(ClockRunTest, series__expect_a_bin_each_and_no_direction_beyond_its_budget) {
  scenario.failures = {{.node = tree.root}};
  scenario.bin_ns = 10'240;
  const ClockRun mended = run();
  ASSERT_GT(mended.epsilon_ns.size(), 50u);
  for (const uint64_t bits : mended.busiest_bits) EXPECT_LE(bits, 3u * 512u);
}

TEST(LowestTree, clos_network__expect_the_root_in_its_highest_layer) {
  const Fabric fabric = *parse_graph("fat-tree:4", 1);
  EXPECT_EQ(fabric.layer[lowest_tree(fabric).root], 2);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
