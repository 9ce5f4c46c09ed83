// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/random_views.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lambdacast::sim {
namespace {

TEST(RandomViews, equal_seeds__expect_equal_scenarios) {
  const Scenario one = random_view_scenario(kViewSeeds + 7);
  const Scenario two = random_view_scenario(kViewSeeds + 7);
  EXPECT_EQ(one.end_ns, two.end_ns);
  EXPECT_EQ(one.actions.size(), two.actions.size());
  EXPECT_EQ(one.membership.views.retry_ns, two.membership.views.retry_ns);
}

TEST(RandomViews, many_seeds__expect_all_that_happens_to_views_and_times_in_order) {
  std::set<Action::What> happened;
  size_t split = 0;
  size_t returns = 0;
  std::set<size_t> levels;
  for (uint64_t seed = kViewSeeds; seed < kViewSeeds + 200; ++seed) {
    const Scenario scenario = random_view_scenario(seed);
    ASSERT_TRUE(scenario.membership.on);
    EXPECT_LT(scenario.membership.tie_breaker, scenario.nodes.size());
    EXPECT_LE(scenario.membership.views.minimum_partition, scenario.nodes.size());
    EXPECT_LT(scenario.membership.views.heartbeat_ns * 4,
              scenario.membership.views.suspect_after_ns);
    for (const Action& action : scenario.actions) {
      EXPECT_LE(action.at_ns, scenario.fabric.faults_end_ns);
      happened.insert(action.what);
    }
    for (const Partition& each : scenario.fabric.partitions)
      EXPECT_LE(each.end_ns, scenario.fabric.faults_end_ns);
    EXPECT_LT(scenario.fabric.faults_end_ns, scenario.epilogue_ns);
    EXPECT_LT(scenario.epilogue_ns, scenario.end_ns);
    split += scenario.fabric.partitions.size() > 4 ? 1 : 0;
    returns += scenario.membership.return_after_ns != kNever ? 1 : 0;
    for (const NodeScenario& node : scenario.nodes) {
      EXPECT_GE(scenario.membership.order.stream_pkts, node.repair.transmit_window_pkts);
      for (size_t level = 0; level < 4; ++level) {
        if (node.traffic.total_weights[level] != 0) levels.insert(level);
      }
    }
  }
  EXPECT_EQ(happened.size(), 5u);
  EXPECT_EQ(levels.size(), 4u);
  EXPECT_GT(split, 5u);
  EXPECT_GT(returns, 50u);
}

TEST(RandomViews, seeds_of_locks__expect_groups_with_locks_and_all_faults_before_the_epilogue) {
  size_t paused = 0;
  size_t sharing = 0;
  for (uint64_t seed = kHandlerSeeds; seed < kHandlerSeeds + 100; ++seed) {
    const Scenario scenario = random_handler_scenario(seed);
    sharing += std::ranges::any_of(
        scenario.nodes, [](const NodeScenario& node) { return node.coalesce_ns.has_value(); });
    EXPECT_TRUE(scenario.groups.on && scenario.groups.locks);
    for (const Action& action : scenario.actions) {
      EXPECT_LE(action.at_ns, scenario.fabric.faults_end_ns);
      paused += action.what == Action::What::kPause ? 1 : 0;
    }
    EXPECT_LT(scenario.fabric.faults_end_ns, scenario.epilogue_ns);
    EXPECT_LT(scenario.epilogue_ns, scenario.end_ns);
  }
  EXPECT_GT(paused, 40u);
  EXPECT_GT(sharing, 10u);
  EXPECT_LT(sharing, 50u);
}

}  // namespace
}  // namespace lambdacast::sim
