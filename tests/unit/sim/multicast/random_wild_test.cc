#include "sim/multicast/random_wild.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/multicast/random_scenario.h"
#include "sim/multicast/random_views.h"

namespace lambdacast::sim {
namespace {

TEST(RandomWild, many_seeds__expect_every_kind_of_surroundings) {
  bool calm = false, split = false, small = false, bounded = false, refuses = false, late = false;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    Scenario scenario = random_scenario(seed);
    make_wild(scenario, seed);
    for (const NodeScenario& node : scenario.nodes) {
      const NodeWild& wild = node.wild;
      calm |= !wild.on;
      split |= wild.lcores[0] != wild.lcores[1];
      small |= wild.link_slots != 0 && wild.link_slots <= 16;
      bounded |= wild.pool.packets != 0;
      refuses |= wild.port.refusal > 0 && wild.application_refusal > 0;
      late |= wild.port.late_free_ns != 0;
    }
  }
  EXPECT_TRUE(calm && split && small && bounded && refuses && late);
}

TEST(RandomWild, with_views__expect_the_stages_that_share_them_on_one_lcore) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    Scenario scenario = random_view_scenario(kViewSeeds + seed);
    make_wild(scenario, seed);
    for (const NodeScenario& node : scenario.nodes) {
      EXPECT_EQ(node.wild.lcores[1], node.wild.lcores[2]);
      EXPECT_EQ(node.wild.lcores[1], node.wild.lcores[3]);
    }
  }
}

TEST(RandomWild, equal_seeds__expect_equal_surroundings_and_the_scenario_left_alone) {
  const Scenario before = random_scenario(7);
  Scenario a = before, b = before;
  make_wild(a, 7);
  make_wild(b, 7);
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    EXPECT_EQ(a.nodes[i].wild.lcores, b.nodes[i].wild.lcores);
    EXPECT_EQ(a.nodes[i].wild.pool.packets, b.nodes[i].wild.pool.packets);
    EXPECT_EQ(a.nodes[i].traffic.messages, before.nodes[i].traffic.messages);
  }
}

}  // namespace
}  // namespace lambdacast::sim
