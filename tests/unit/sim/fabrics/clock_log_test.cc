// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/clock_log.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"

namespace lambdacast::sim::fabrics {
namespace {

using clock_sync::KeptTime;
using congest::Graph;
using congest::NodeId;

TEST(Greatest, random_uncertainties__expect_the_sum_of_the_two_greatest) {
  base::SplitMix64 random(3);
  for (size_t nodes = 1; nodes < 20; ++nodes) {
    Greatest greatest(nodes);
    std::vector<double> keys(nodes, -1);
    double at_ns = 0;
    for (int step = 0; step < 100; ++step) {
      at_ns += 10;
      const auto node = static_cast<NodeId>(random.below(nodes));
      const double epsilon = static_cast<double>(random.below(50)) + 1;
      const bool root = random.below(5) == 0;
      greatest.set(node, epsilon, at_ns, 1e-3, root);
      keys[node] = root ? -1 : epsilon - 1e-3 * at_ns;
      std::vector<double> sorted;
      for (const double key : keys) sorted.push_back(key == -1 ? 0 : key + 1e-3 * at_ns);
      std::sort(sorted.rbegin(), sorted.rend());
      const double expected = sorted[0] + (nodes > 1 ? sorted[1] : 0);
      EXPECT_NEAR(greatest.pair_ns(at_ns, 1e-3), expected, 1e-9);
    }
  }
}

// Switches in a row; 1 gains 100 ns in a millisecond.
class ClockLogTest : public ::testing::Test {
 protected:
  const Graph graph{3, {{0, 1}, {1, 2}}};
  ClockLog log{graph, {0, 1e-4, 0}, {.base_ns = 5, .drift = 200e-6, .checks_bound = true}};
  KeptTime root, other;
  ClockLogTest() {
    root.set(0, 0, 0, 0);
    root.lead();
    log.tree(0, {.tree = 1}, root, true, 0);
  }
};

TEST_F(ClockLogTest, clock_within_its_bound__expect_nothing_said) {
  other.set(3, 0, 1, 0);
  log.tree(1, {.tree = 1, .father = graph.arc(1, 0)}, other, true, 0);
  log.end(1'000'000);
  EXPECT_TRUE(log.violations().empty()) << log.violations()[0];
  EXPECT_NEAR(log.pair_ns(1'000'000), 5 + 200, 0.1);
}

TEST_F(ClockLogTest, clock_set_wrongly_or_by_nobody__expect_it_said) {
  other.set(7, 0, 1, 0);
  log.tree(1, {.tree = 1, .father = graph.arc(1, 0)}, other, true, 0);
  ASSERT_EQ(log.violations().size(), 1u);
  EXPECT_EQ(log.violations()[0], "switch 1 at 0 ns: is further off than it says");
  log.tree(2, {.tree = 5, .father = graph.arc(2, 0)}, other, true, 10);
  EXPECT_EQ(log.violations()[1], "switch 2 at 10 ns: is set by a tree without a root");
}

TEST_F(ClockLogTest, fathers_go_round_or_a_generation_falls__expect_it_said) {
  log.tree(1, {.tree = 2, .generation = 3, .father = graph.arc(1, 1)}, other, false, 5);
  EXPECT_TRUE(log.violations().empty());
  log.tree(2, {.tree = 2, .generation = 3, .father = graph.arc(2, 0)}, other, false, 6);
  ASSERT_EQ(log.violations().size(), 1u);
  EXPECT_EQ(log.violations()[0], "switch 2 at 6 ns: is its own ancestor");
  log.tree(1, {.tree = 3, .generation = 2, .father = graph.arc(1, 0)}, other, false, 7);
  EXPECT_EQ(log.violations()[1], "switch 1 at 7 ns: goes back to a generation");
}

TEST_F(ClockLogTest, failure__expect_the_peak_from_then_on_without_the_dead) {
  other.set(0, 0, 1, 0);
  log.tree(1, {.tree = 1, .father = graph.arc(1, 0)}, other, true, 0);
  log.failure(100'000);
  EXPECT_NEAR(log.peak_ns(), 5 + 20, 0.1);
  log.time(1, other, 200'000);
  EXPECT_NEAR(log.peak_ns(), 5 + 40, 0.1);
  log.died(1, 300'000);
  log.end(900'000);
  EXPECT_NEAR(log.peak_ns(), 5 + 40, 0.1);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
