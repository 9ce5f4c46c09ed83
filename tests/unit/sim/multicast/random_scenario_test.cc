// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/random_scenario.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/multicast/message.h"

namespace lambdacast::sim {
namespace {

TEST(RandomScenario, draw_many__expect_each_within_its_bounds) {
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Scenario scenario = random_scenario(seed);
    ASSERT_GE(scenario.nodes.size(), 2u);
    ASSERT_LE(scenario.nodes.size(), 64u);
    ASSERT_EQ(scenario.fabric.receivers.size(), scenario.nodes.size());
    ASSERT_LT(scenario.fabric.faults_end_ns, scenario.epilogue_ns);
    ASSERT_LT(scenario.epilogue_ns, scenario.end_ns);
    for (size_t node = 0; node < scenario.nodes.size(); ++node) {
      const NodeScenario& of_node = scenario.nodes[node];
      ASSERT_FALSE(of_node.traffic.publish_to.empty());
      ASSERT_GE(of_node.traffic.min_message_bytes, kMessageIdBytes);
      ASSERT_LE(of_node.traffic.min_message_bytes, of_node.traffic.max_message_bytes);
      ASSERT_LE(of_node.traffic.max_message_bytes + wire::kTransportHeaderBytes, scenario.path_mtu);
      ASSERT_LT(of_node.repair.suspect_after_ns, of_node.repair.repair_deadline_ns);
      ASSERT_GE(of_node.repair.transmit_window_pkts, of_node.repair.receive_window_pkts);
      ASSERT_TRUE(node::validate(node_identity(scenario, node)));
    }
    for (const Action& action : scenario.actions)
      ASSERT_LE(action.at_ns, scenario.fabric.faults_end_ns);
    for (const Partition& each : scenario.fabric.partitions)
      ASSERT_LE(each.end_ns, scenario.fabric.faults_end_ns);
  }
}

TEST(RandomScenario, draw_many__expect_every_kind_of_seed) {
  size_t wraps[3] = {};
  const uint64_t edges[3] = {uint64_t{1} << 24, uint64_t{1} << 32, uint64_t{1} << 63};
  size_t large = 0, lossy = 0, bursty = 0, reordered = 0, tolerant = 0, parted = 0, acted = 0;
  size_t evicting = 0, retaining = 0, slow = 0, ipv6 = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const Scenario scenario = random_scenario(seed);
    for (const NodeScenario& node : scenario.nodes) {
      const uint64_t first = node.repair.first_rel_seq;
      for (size_t i = 0; i < 3; ++i)
        wraps[i] += first < edges[i] && first + node.traffic.messages > edges[i] ? 1 : 0;
    }
    const NodeScenario& node = scenario.nodes[0];
    const ReceiverFaults& faults = scenario.fabric.receivers[0];
    large += scenario.nodes.size() > 8 ? 1 : 0;
    lossy += faults.loss > 0.1 ? 1 : 0;
    bursty += faults.burst_loss > 0 ? 1 : 0;
    reordered += faults.delay > 0 ? 1 : 0;
    tolerant += node.repair.nack_delay_ns != 0 ? 1 : 0;
    parted += scenario.fabric.partitions.empty() ? 0 : 1;
    acted += scenario.actions.size() > scenario.nodes.size() ? 1 : 0;
    evicting += node.repair.slow_receiver == reliability::SlowReceiver::kEvict ? 1 : 0;
    retaining += node.repair.late_join == reliability::LateJoin::kRetained ? 1 : 0;
    slow += node.poll_most < 64 ? 1 : 0;
    ipv6 += scenario.ipv6 ? 1 : 0;
  }
  for (const size_t count : wraps) EXPECT_GT(count, 50u);
  EXPECT_GE(large, 3u);
  EXPECT_LE(large, 30u);
  for (const size_t count :
       {lossy, bursty, reordered, tolerant, parted, acted, evicting, retaining, slow, ipv6}) {
    EXPECT_GT(count, 20u);
    EXPECT_LT(count, 900u);
  }
}

}  // namespace
}  // namespace lambdacast::sim
