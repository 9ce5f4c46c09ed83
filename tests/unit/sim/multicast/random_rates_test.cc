// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/random_rates.h"

#include <gtest/gtest.h>

namespace lambdacast::sim {
namespace {

TEST(RandomRates, equal_seeds__expect_equal_scenarios) {
  const Scenario one = random_rate_scenario(kRateSeeds + 7);
  const Scenario two = random_rate_scenario(kRateSeeds + 7);
  ASSERT_EQ(one.nodes.size(), two.nodes.size());
  EXPECT_EQ(one.actions.size(), two.actions.size());
  EXPECT_EQ(one.nodes[0].rate.capacity_bps, two.nodes[0].rate.capacity_bps);
}

TEST(RandomRates, many_seeds__expect_capacities_of_all_kinds_and_needs_that_change) {
  size_t alike = 0;
  size_t measured = 0;
  size_t changes = 0;
  size_t windows = 0;
  for (uint64_t seed = kRateSeeds; seed < kRateSeeds + 100; ++seed) {
    const Scenario scenario = random_rate_scenario(seed);
    if (scenario.nodes[0].rate.policy == rate_control::Policy::kWindow) {
      EXPECT_FALSE(scenario.membership.rates);
      ++windows;
      continue;
    }
    EXPECT_TRUE(scenario.membership.on && scenario.membership.rates);
    EXPECT_GE(scenario.membership.views.suspect_after_ns,
              8 * scenario.membership.views.heartbeat_ns);
    bool equal = true;
    for (const NodeScenario& node : scenario.nodes) {
      EXPECT_EQ(node.rate.policy, rate_control::Policy::kFair);
      EXPECT_GE(node.rate.capacity_bps, 1'000'000'000u);
      EXPECT_GT(node.rate.reserve_percent, 0u);
      equal = equal && node.rate.capacity_bps == scenario.nodes[0].rate.capacity_bps;
      measured += node.rate.need_bps == 0 ? 1 : 0;
    }
    alike += equal ? 1 : 0;
    for (const Action& action : scenario.actions)
      changes += action.what == Action::What::kNeed ? 1 : 0;
  }
  EXPECT_GT(alike, 20u);
  EXPECT_LT(alike, 80u);
  EXPECT_GT(measured, 100u);
  EXPECT_GT(changes, 1'000u);
  EXPECT_GT(windows, 5u);
}

// Seed 14050601: statuses of 62 streams took 15 ms at the rate of the slowest node, where a silence
// of 4 ms cuts a node off: no view formed. Seed 15062564: signs of life took half of that rate.
TEST(RandomRates, many_nodes__expect_capacities_at_which_all_can_be_heard_of) {
  const Scenario scenario = random_rate_scenario(kRateSeeds + 14050601);
  const uint64_t nodes = scenario.nodes.size();
  ASSERT_EQ(nodes, 63u);
  const double suspect_s = double(scenario.membership.views.suspect_after_ns) / 1e9;
  for (const NodeScenario& node : scenario.nodes) {
    const double reserve_bps = double(node.rate.capacity_bps) * node.rate.reserve_percent / 100;
    const double control_bps = reserve_bps * 2 / 3 / double(nodes);
    // Four statuses of all streams, and sixteen signs of life of 56 bytes behind 110 of headers.
    EXPECT_GE(control_bps * suspect_s, double(8 * (4 * nodes * 72 + 16 * 166)));
  }
}

}  // namespace
}  // namespace lambdacast::sim
