// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/random_wild.h"

#include <gtest/gtest.h>

#include <set>

namespace lambdacast::sim {
namespace {

Scenario wild_scenario(uint64_t seed, bool membership = false) {
  Scenario scenario = quiet_scenario(4);
  scenario.membership.on = membership;
  scenario.fabric.faults_end_ns = 7'000'000;
  make_wild(scenario, seed);
  return scenario;
}

TEST(RandomWild, equal_seeds__expect_equal_surroundings_and_the_rest_untouched) {
  const Scenario one = wild_scenario(7);
  const Scenario two = wild_scenario(7);
  for (size_t node = 0; node < 4; ++node) {
    EXPECT_EQ(one.nodes[node].wild.lcores, two.nodes[node].wild.lcores);
    EXPECT_EQ(one.nodes[node].wild.pool.packets, two.nodes[node].wild.pool.packets);
    EXPECT_EQ(one.nodes[node].wild.port.refusal, two.nodes[node].wild.port.refusal);
  }
  EXPECT_EQ(one.end_ns, quiet_scenario(4).end_ns);
  EXPECT_EQ(one.actions.size(), 4u);
}

TEST(RandomWild, with_membership__expect_what_shares_a_view_on_one_lcore) {
  std::set<uint8_t> receive;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    for (const NodeScenario& node : wild_scenario(seed, true).nodes) {
      EXPECT_EQ(node.wild.lcores[1], node.wild.lcores[2]);
      EXPECT_EQ(node.wild.lcores[1], node.wild.lcores[3]);
      receive.insert(node.wild.lcores[0]);
    }
  }
  EXPECT_EQ(receive.size(), kPlaces);
}

TEST(RandomWild, bounded_pool_and_locks__expect_no_link_that_may_take_all_of_it) {
  size_t bounded = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Scenario scenario = quiet_scenario(4);
    scenario.membership.on = scenario.groups.locks = true;
    make_wild(scenario, seed);
    for (const NodeScenario& node : scenario.nodes) {
      if (node.wild.pool.packets == 0) continue;
      ++bounded;
      EXPECT_NE(node.wild.link_slots, 0u);
      EXPECT_LE(node.wild.link_slots, 256u);
    }
  }
  EXPECT_GT(bounded, 50u);
}

// Seven others say seven statuses each, one in a frame of 256 bytes, in each 10 us. The node looks
// each 17.6 us, and hears 86 frames in between.
TEST(RandomWild, seldom_polled_among_many__expect_links_for_twice_the_statuses_of_a_turn) {
  std::set<uint32_t> slots;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Scenario scenario = quiet_scenario(8);
    scenario.path_mtu = 256;
    for (NodeScenario& node : scenario.nodes) node.repair.status_ns = 10'000;
    scenario.nodes[3].poll_every_ns = 17'600;
    make_wild(scenario, seed);
    if (scenario.nodes[3].wild.link_slots != 0) slots.insert(scenario.nodes[3].wild.link_slots);
  }
  EXPECT_EQ(slots, std::set<uint32_t>{256});
}

TEST(RandomWild, many_seeds__expect_each_kind_of_surroundings_and_what_the_node_needs) {
  size_t calm = 0;
  size_t apart = 0;
  size_t little_links = 0;
  size_t little_pools = 0;
  size_t partial = 0;
  size_t refusing_ports = 0;
  size_t late = 0;
  size_t without_flag = 0;
  size_t refusing_applications = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    for (const NodeScenario& node : wild_scenario(seed).nodes) {
      const NodeWild& wild = node.wild;
      calm += wild.on ? 0 : 1;
      apart += wild.lcores[0] != wild.lcores[1] ? 1 : 0;
      little_links += wild.link_slots != 0 ? 1 : 0;
      little_pools += wild.pool.packets != 0 ? 1 : 0;
      partial += wild.port.partial_burst > 0 ? 1 : 0;
      refusing_ports += wild.port.refusal > 0 ? 1 : 0;
      late += wild.port.late_free_ns != 0 ? 1 : 0;
      without_flag += wild.port.keeps ? 0 : 1;
      refusing_applications += wild.application_refusal > 0 ? 1 : 0;
      for (const uint8_t lcore : wild.lcores) EXPECT_LT(lcore, kPlaces);
      EXPECT_EQ(wild.link_slots & (wild.link_slots - 1), 0u);
      EXPECT_LT(wild.port.refusal, 1);
      EXPECT_LT(wild.application_refusal, 1);
      if (wild.on) {
        EXPECT_EQ(wild.port.until_ns, 7'000'000u) << "calm when the faults end";
      }
      if (wild.pool.packets != 0) {
        EXPECT_GE(wild.pool.packets, node.repair.transmit_window_pkts + node.repair.hold_pkts);
      }
    }
  }
  for (const size_t kind : {calm, apart, little_links, little_pools, partial, refusing_ports, late,
                            without_flag, refusing_applications}) {
    EXPECT_GT(kind, 50u);
  }
}

}  // namespace
}  // namespace lambdacast::sim
