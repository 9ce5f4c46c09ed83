// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/tree_run.h"

#include <gtest/gtest.h>

#include "sim/fabrics/graphs_spec.h"
#include "sim/fabrics/tree_schemes.h"

namespace lambdacast::sim::fabrics {
namespace {

class TreeRunTest : public ::testing::Test {
 protected:
  TreeRunTest() {
    scenario.medium.loss = 0;
    scenario.checks_spanner = true;
  }
  [[nodiscard]] TreeRun run(const std::string& scheme) {
    scenario.improvements = tree_schemes_named({scheme}, {}, {}).front().improvements;
    std::vector<std::pair<NodeId, trees::InstalledGroups::Group>> through;
    for (const NodeId node : named_by(fabric.graph, scenario.failures)) {
      for (size_t i = 0; i + 3 < fabric.racks.size(); ++i)
        through.push_back({node, {fabric.racks[i], {fabric.racks[i + 1], fabric.racks[i + 3]}}});
    }
    return run_trees(fabric, trees::InstalledGroups(std::move(through)), scenario);
  }

  Fabric fabric = *parse_graph("fat-tree:4", 1);
  TreeScenario scenario;
};

TEST_F(TreeRunTest, nothing_fails__expect_no_flood) {
  const TreeRun calm = run("ours");
  EXPECT_FALSE(calm.flooded);
  EXPECT_EQ(calm.floods, 0u);
  EXPECT_TRUE(calm.violations.empty());
}

TEST_F(TreeRunTest, a_core_fails__expect_bitmaps_and_then_trees_in_both_schemes) {
  scenario.failures = {{.node = static_cast<NodeId>(fabric.graph.nodes() - 1)}};
  for (const char* scheme : {"published", "ours"}) {
    const TreeRun mended = run(scheme);
    EXPECT_TRUE(mended.violations.empty()) << mended.violations.front();
    EXPECT_TRUE(mended.flooded);
    EXPECT_EQ(mended.groups, fabric.racks.size() - 3);
    EXPECT_GT(mended.fast_ns, 0u);
    EXPECT_GT(mended.full_ns, mended.fast_ns);
  }
}

// A silent neighbour: the probe before the failure, an interval, and two probes at the pace of the
// budget with the answer's time behind the last.
TEST_F(TreeRunTest, ours__expect_the_failure_noticed_within_an_interval_and_its_probes) {
  scenario.failures = {{.node = static_cast<NodeId>(fabric.graph.nodes() - 1)}};
  const TreeRun mended = run("ours");
  const trees::RepairSettings settings = repair_settings(scenario, fabric.graph);
  const uint64_t noticed_ns = settings.interval_ns + settings.slack_ns +
                              settings.probes * settings.frame_ns + settings.reply_ns;
  // The tree has four layers each way; a frame may wait for another.
  const uint64_t flood_ns = 4 * 4 * 2 * settings.hop_ns;
  EXPECT_LT(mended.fast_ns, noticed_ns + flood_ns);
}

TEST_F(TreeRunTest, a_link_fails__expect_its_ends_to_be_in_the_new_trees) {
  scenario.failures = {{.link = 3}};
  const TreeRun mended = run("ours");
  EXPECT_TRUE(mended.violations.empty()) << mended.violations.front();
  EXPECT_TRUE(mended.flooded);
}

TEST_F(TreeRunTest, a_second_failure_amid_the_repair__expect_both_named) {
  const auto cores = static_cast<NodeId>(fabric.graph.nodes());
  scenario.failures = {{.node = cores - 1}, {.node = cores - 3, .behind_ns = 150'000}};
  const TreeRun mended = run("ours");
  EXPECT_TRUE(mended.violations.empty()) << mended.violations.front();
  EXPECT_EQ(mended.groups, 2 * (fabric.racks.size() - 3));
}

// The checkers object to a later flood that names the first failure, too: no tree passes there now.
TEST_F(TreeRunTest, a_failure_behind_the_controllers_trees__expect_it_mended_too) {
  const auto cores = static_cast<NodeId>(fabric.graph.nodes());
  scenario.failures = {{.node = cores - 1}};
  const uint64_t floods = run("ours").floods;
  scenario.later = {{.node = cores - 3}, {.link = 3, .behind_ns = 100'000}};
  for (const char* scheme : {"published", "ours"}) {
    const TreeRun mended = run(scheme);
    EXPECT_TRUE(mended.violations.empty()) << mended.violations.front();
    EXPECT_GT(mended.floods, floods);
    EXPECT_EQ(mended.groups, fabric.racks.size() - 3) << "the figures are those of the first";
  }
}

TEST_F(TreeRunTest, series__expect_the_busiest_link_within_the_budget) {
  scenario.failures = {{.node = static_cast<NodeId>(fabric.graph.nodes() - 1)}};
  scenario.bin_ns = 100'000;
  const TreeRun mended = run("ours");
  ASSERT_FALSE(mended.busiest_bits.empty());
  const uint64_t most = scenario.medium.budget_bps * scenario.bin_ns / 1'000'000'000 + 512;
  for (const uint64_t bits : mended.busiest_bits) EXPECT_LE(bits, most);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
