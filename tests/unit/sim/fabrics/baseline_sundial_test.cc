// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/baseline_sundial.h"

#include <gtest/gtest.h>

#include "sim/fabrics/clock_schemes.h"
#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {
namespace {

class Sundial : public ::testing::Test {
 protected:
  const Fabric fabric = *parse_graph("fat-tree:4", 1);
  const ClockTree tree = lowest_tree(fabric);
  ClockScenario scenario{.medium = {.loss = 0}, .failure_ns = 1'000'000};
  [[nodiscard]] ClockRun run() const { return run_sundial(fabric, tree, scenario); }
};

TEST_F(Sundial, plan__expect_another_father_for_everybody_but_the_root) {
  const SundialPlan plan = sundial_plan(fabric, tree);
  for (NodeId node = 0; node < fabric.graph.nodes(); ++node) {
    if (node == tree.root) continue;
    EXPECT_TRUE(node == plan.backup_root || plan.backup[node] != congest::kNoPort) << node;
    EXPECT_NE(plan.backup[node], tree.places[node].parent) << node;
  }
}

TEST_F(Sundial, root_or_one_of_its_links_fails__expect_it_covered_within_two_intervals) {
  scenario.failures = {{.node = tree.root}};
  EXPECT_LE(run().fast_ns, 2 * scenario.interval_ns + 50'000);
  for (uint64_t seed = 0; seed < 8; ++seed) {
    scenario.failures = draw_failures(fabric, tree, 1, true, seed);
    const ClockRun mended = run();
    EXPECT_TRUE(mended.flooded);
    EXPECT_LE(mended.fast_ns, 2 * scenario.interval_ns + 50'000);
    EXPECT_EQ(mended.full_ns, kControllerNs);
  }
}

TEST_F(Sundial, root_and_backup_root_fail__expect_the_controller_waited_for) {
  scenario.failures = {{.node = tree.root}, {.node = sundial_plan(fabric, tree).backup_root}};
  const ClockRun waits = run();
  EXPECT_EQ(waits.fast_ns, kControllerNs);
  // Two clocks that drift apart for 100 ms at 200 ppm.
  EXPECT_GT(waits.peak_ns, 2 * 200e-6 * 100e6);
}

TEST_F(Sundial, leaf_fails__expect_nothing_to_mend) {
  NodeId leaf = 0;
  while (congest::FilterPorts::count(tree.places[leaf].children) != 0) ++leaf;
  scenario.failures = {{.node = leaf}};
  EXPECT_FALSE(run().flooded);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
