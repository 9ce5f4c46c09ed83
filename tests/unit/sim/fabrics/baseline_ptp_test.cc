// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/baseline_ptp.h"

#include <gtest/gtest.h>

#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {
namespace {

class Ptp : public ::testing::Test {
 protected:
  const Fabric fabric = *parse_graph("fat-tree:4", 1);
  const ClockTree tree = lowest_tree(fabric);
  ClockScenario scenario{.medium = {.loss = 0}, .failure_ns = 1'000'000};
  [[nodiscard]] ClockRun run() const { return run_ptp(fabric, tree, scenario); }
};

TEST_F(Ptp, nothing_fails__expect_a_lowest_tree_from_the_best_clock_and_no_change) {
  const ClockRun calm = run();
  EXPECT_TRUE(calm.violations.empty()) << calm.violations.front();
  EXPECT_FALSE(calm.flooded);
  EXPECT_EQ(calm.height, tree.height);
}

// The receipt timeout alone is three announce intervals.
TEST_F(Ptp, best_clock_dies__expect_one_tree_from_another_behind_the_timeout) {
  scenario.failures = {{.node = tree.root}};
  const ClockRun mended = run();
  EXPECT_TRUE(mended.violations.empty()) << mended.violations.front();
  EXPECT_TRUE(mended.flooded);
  EXPECT_GE(mended.full_ns, 2u * 51'200u);
}

// Waiting masters (9.2.6.11) keep switches from counting the steps to the dead one up to 255, which
// takes as many announces.
TEST_F(Ptp, best_clock_dies__expect_its_memory_to_die_within_few_announces) {
  scenario.failures = {{.node = tree.root}};
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    scenario.seed = seed;
    EXPECT_LE(run().full_ns, 20u * 51'200u) << "seed " << seed;
  }
}

// Switch 0 is the best of a ring of five: 2 and 3 are as far from it, and 2 is the better one.
TEST(PtpStates, a_ring__expect_the_link_between_the_furthest_two_passive_at_the_worse_one) {
  using enum PtpPortState;
  const Fabric ring = *parse_graph("ring:5", 1);
  const ClockTree tree = tree_from(congest::LiveGraph(ring.graph), 0);
  const PtpStates states = ptp_states(ring, tree, {.medium = {.loss = 0}});
  EXPECT_EQ(states.wrong, "");
  const auto state = [&](congest::NodeId node, congest::NodeId neighbor) {
    for (size_t port = 0; port < 2; ++port)
      if (ring.graph.to(ring.graph.arc(node, port)) == neighbor)
        return states.places[node].ports[port];
    ADD_FAILURE() << node << " has no link to " << neighbor;
    return kMaster;
  };
  EXPECT_EQ(state(0, 1), kMaster);
  EXPECT_EQ(state(0, 4), kMaster);
  EXPECT_EQ(state(1, 0), kSlave);
  EXPECT_EQ(state(1, 2), kMaster);
  EXPECT_EQ(state(2, 1), kSlave);
  EXPECT_EQ(state(2, 3), kMaster);
  EXPECT_EQ(state(3, 4), kSlave);
  EXPECT_EQ(state(3, 2), kPassive);
  for (congest::NodeId node = 0; node < 5; ++node) EXPECT_EQ(states.places[node].grandmaster, 0u);
  EXPECT_EQ(states.places[3].steps, 2);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
