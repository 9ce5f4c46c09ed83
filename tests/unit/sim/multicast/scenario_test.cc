// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/scenario.h"

#include <gtest/gtest.h>

namespace lambdacast::sim {
namespace {

TEST(Scenario, node_identity__expect_valid_and_different_addresses) {
  for (const bool ipv6 : {false, true}) {
    Scenario scenario = quiet_scenario(3);
    scenario.ipv6 = ipv6;
    for (size_t node = 0; node < 3; ++node) {
      EXPECT_TRUE(node::validate(node_identity(scenario, node)));
    }
    EXPECT_NE(node_identity(scenario, 0).gid, node_identity(scenario, 1).gid);
    EXPECT_NE(node_identity(scenario, 0).mac, node_identity(scenario, 1).mac);
    EXPECT_EQ(node_identity(scenario, 0).multicast_gid, node_identity(scenario, 1).multicast_gid);
  }
}

TEST(Scenario, next_life__expect_a_newer_incarnation_across_its_wrap) {
  Scenario scenario = quiet_scenario(2);
  scenario.nodes[0].incarnation = ~uint32_t{0};
  EXPECT_EQ(node_config(scenario, 0, 0).identity.incarnation, ~uint32_t{0});
  EXPECT_EQ(node_config(scenario, 0, 1).identity.incarnation, 0u);
  EXPECT_NE(node_config(scenario, 0, 1).first_frame_seq,
            node_config(scenario, 0, 0).first_frame_seq);
}

TEST(Scenario, quiet__expect_every_node_started_and_no_fault) {
  const Scenario scenario = quiet_scenario(4);
  EXPECT_EQ(scenario.actions.size(), 4u);
  EXPECT_EQ(scenario.fabric.receivers.size(), 4u);
  for (const NodeScenario& node : scenario.nodes) EXPECT_EQ(node.traffic.messages, 0u);
}

TEST(Scenario, settling__expect_longer_than_silence_and_slow_consumers) {
  Scenario scenario = quiet_scenario(2);
  const uint64_t alone_ns = settling_ns(scenario);
  EXPECT_GT(alone_ns, scenario.nodes[0].repair.suspect_after_ns);
  scenario.nodes[1].poll_every_ns = 10'000;
  scenario.nodes[1].poll_most = 1;
  EXPECT_GE(settling_ns(scenario), alone_ns + 256 * 2 * 10'000u);
}

}  // namespace
}  // namespace lambdacast::sim
