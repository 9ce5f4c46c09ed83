// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/multicast/random_views.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {
namespace {

Scenario three_with_groups() {
  Scenario scenario = quiet_scenario(3);
  scenario.membership.on = true;
  scenario.groups = {true, 100'000, 20'000'000};
  for (NodeScenario& node : scenario.nodes) node.subscribe = group_numbers();
  return scenario;
}

TEST(SimulationGroups, quiet_fabric__expect_all_told_of_and_the_same_standings) {
  const Log log = Simulation(three_with_groups(), 1).run().log;
  const auto count = [&](GroupTold::What what) {
    return std::count_if(log.group_told.begin(), log.group_told.end(),
                         [&](const GroupTold& told) { return told.what == what; });
  };
  EXPECT_GT(count(GroupTold::What::kMessage), 50);
  EXPECT_GT(count(GroupTold::What::kView), 20);
  EXPECT_GT(count(GroupTold::What::kRestored), 5);
  EXPECT_EQ(count(GroupTold::What::kLost), 0);
  for (const GroupTold& told : log.group_told) EXPECT_LT(told.view, log.views.size());
  ASSERT_EQ(log.group_standings.size(), 3u);
  for (const GroupStanding& standing : log.group_standings) {
    EXPECT_TRUE(standing.informed);
    for (size_t i = 0; i < standing.groups.size(); ++i)
      EXPECT_EQ(standing.groups[i].members, log.group_standings[0].groups[i].members);
  }
}

TEST(SimulationGroups, what_the_layer_says__expect_it_in_the_log_whole) {
  const Log log = Simulation(three_with_groups(), 1).run().log;
  size_t said = 0;
  for (const Told& told : log.told) {
    if (!told.is_message()) continue;
    EXPECT_TRUE(told.intact);
    said += log.publications[told.publication].content != 0 ? 1 : 0;
  }
  EXPECT_GT(said, 50u);
}

TEST(SimulationGroups, two_runs_of_a_seed__expect_one_trace) {
  const Scenario scenario = random_group_scenario(kGroupSeeds + 3);
  EXPECT_EQ(Simulation(scenario, 3).run().trace_hash, Simulation(scenario, 3).run().trace_hash);
}

// The same nodes, faults and publications as without groups.
TEST(SimulationGroups, random_scenario__expect_that_of_views_with_groups_besides) {
  const Scenario with = random_group_scenario(kGroupSeeds + 3);
  const Scenario without = random_view_scenario(kViewSeeds + 3);
  EXPECT_TRUE(with.groups.on);
  EXPECT_FALSE(without.groups.on);
  EXPECT_EQ(with.actions.size(), without.actions.size());
  EXPECT_EQ(with.end_ns, without.end_ns);
  EXPECT_LT(with.groups.busy_ns, with.epilogue_ns);
}

}  // namespace
}  // namespace lambdacast::sim
