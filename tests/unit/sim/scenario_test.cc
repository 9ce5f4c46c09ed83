#include "sim/scenario.h"

#include <gtest/gtest.h>

#include "wire/transport.h"

namespace lambdacast::sim {
namespace {

TEST(Scenario, node_identity__expect_valid_and_different_addresses) {
  for (const bool ipv6 : {false, true}) {
    Scenario scenario;
    scenario.ipv6 = ipv6;
    scenario.nodes.resize(3);
    for (size_t node = 0; node < 3; ++node) {
      EXPECT_TRUE(endpoint::validate(node_identity(scenario, node)));
    }
    EXPECT_NE(node_identity(scenario, 0).gid, node_identity(scenario, 1).gid);
    EXPECT_NE(node_identity(scenario, 0).mac, node_identity(scenario, 1).mac);
    EXPECT_EQ(node_identity(scenario, 0).multicast_gid, node_identity(scenario, 1).multicast_gid);
  }
}

TEST(Scenario, draw_many__expect_each_within_its_bounds) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Scenario scenario = random_scenario(seed);
    ASSERT_GE(scenario.nodes.size(), 2u);
    ASSERT_LE(scenario.nodes.size(), 6u);
    ASSERT_EQ(scenario.fabric.receivers.size(), scenario.nodes.size());
    for (size_t node = 0; node < scenario.nodes.size(); ++node) {
      const NodeScenario& of_node = scenario.nodes[node];
      ASSERT_FALSE(of_node.publish_to.empty());
      ASSERT_LE(of_node.min_message_bytes, of_node.max_message_bytes);
      ASSERT_LE(of_node.max_message_bytes + wire::kTransportHeaderBytes, scenario.path_mtu);
      ASSERT_TRUE(endpoint::validate(node_identity(scenario, node)));
    }
  }
}

TEST(Scenario, draw_many__expect_starts_on_both_sides_of_each_wrap) {
  size_t wraps[3] = {};
  const uint64_t edges[3] = {uint64_t{1} << 24, uint64_t{1} << 32, uint64_t{1} << 63};
  for (uint64_t seed = 0; seed < 200; ++seed) {
    for (const NodeScenario& node : random_scenario(seed).nodes) {
      for (size_t i = 0; i < 3; ++i) {
        wraps[i] +=
            node.first_frame_seq < edges[i] && node.first_frame_seq + node.messages > edges[i] ? 1
                                                                                               : 0;
      }
    }
  }
  for (const size_t count : wraps) EXPECT_GT(count, 10u);
}

}  // namespace
}  // namespace lambdacast::sim
