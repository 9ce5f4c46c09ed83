// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "sim/multicast/simulation.h"

namespace lambdacast::sim {
namespace {

constexpr uint64_t kMs = 1'000'000;

// Node 2 dies at 10 ms; node 0 looks 300 us later, and node 1 does not.
Scenario scenario() {
  Scenario scenario = quiet_scenario(3);
  scenario.membership.on = true;
  scenario.nodes[0].looks_after_ns = 300'000;
  scenario.actions.push_back({10 * kMs, 2, Action::What::kCrash});
  scenario.epilogue_ns = 20 * kMs;
  scenario.end_ns = 30 * kMs;
  return scenario;
}

TEST(SimulationDeathsTest, a_life_ends__expect_it_told_to_who_looks_when_it_does) {
  const Log log = Simulation(scenario(), 1).run().log;
  EXPECT_TRUE(log.tells_deaths);
  ASSERT_EQ(log.buried.size(), 1u);
  EXPECT_EQ(log.lives[log.buried[0].told].node, 0u);
  EXPECT_EQ(log.lives[log.buried[0].over].node, 2u);
  EXPECT_EQ(log.buried[0].at_ns, 10 * kMs + 300'000);
}

TEST(SimulationDeathsTest, who_looks_is_paused__expect_it_told_once_it_goes_on) {
  Scenario wanted = scenario();
  wanted.actions.push_back({9 * kMs, 0, Action::What::kPause});
  wanted.actions.push_back({12 * kMs, 0, Action::What::kResume});
  const Log log = Simulation(wanted, 1).run().log;
  ASSERT_EQ(log.buried.size(), 1u);
  EXPECT_EQ(log.buried[0].at_ns, 12 * kMs);
}

TEST(SimulationDeathsTest, nobody_looks__expect_nothing_told) {
  Scenario wanted = scenario();
  wanted.nodes[0].looks_after_ns = kNever;
  const Log log = Simulation(wanted, 1).run().log;
  EXPECT_FALSE(log.tells_deaths);
  EXPECT_TRUE(log.buried.empty());
}

}  // namespace
}  // namespace lambdacast::sim
