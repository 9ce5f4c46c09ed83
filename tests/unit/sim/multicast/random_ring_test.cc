// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/random_ring.h"

#include <gtest/gtest.h>

#include <set>

namespace lambdacast::sim {
namespace {

TEST(RandomRing, equal_seeds__expect_equal_scenarios) {
  const Scenario one = random_ring_scenario(kRingSeeds + 7);
  const Scenario two = random_ring_scenario(kRingSeeds + 7);
  ASSERT_EQ(one.nodes.size(), two.nodes.size());
  EXPECT_EQ(one.actions.size(), two.actions.size());
  EXPECT_EQ(one.end_ns, two.end_ns);
}

TEST(RandomRing, many_seeds__expect_half_mixed_of_two_domains_and_neighbours_that_crash) {
  size_t mixed = 0;
  size_t groups = 0;
  size_t neighbours = 0;
  for (uint64_t seed = kRingSeeds; seed < kRingSeeds + 200; ++seed) {
    const Scenario scenario = random_ring_scenario(seed);
    const ordering::TotalOrderConfig& order = scenario.membership.order;
    EXPECT_NE(order.order, ordering::Order::kSequencer);
    if (order.order == ordering::Order::kMixed) {
      ++mixed;
      EXPECT_GE(order.domains, 2u);
    }
    groups += scenario.groups.on ? 1 : 0;
    std::set<size_t> crashed;
    for (const Action& action : scenario.actions) {
      EXPECT_LE(action.at_ns, scenario.epilogue_ns);
      if (action.what == Action::What::kCrash) crashed.insert(action.node);
    }
    bool both = false;
    for (const size_t node : crashed)
      both = both || crashed.contains((node + 1) % scenario.nodes.size());
    neighbours += both ? 1 : 0;
  }
  EXPECT_EQ(mixed, 100u);
  EXPECT_EQ(groups, 50u);
  EXPECT_GT(neighbours, 30u);
}

}  // namespace
}  // namespace lambdacast::sim
