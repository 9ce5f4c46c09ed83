// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/tree_schemes.h"

#include <gtest/gtest.h>

#include <set>

#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {
namespace {

TEST(TreeSchemes, published_and_ours__expect_no_improvement_and_all) {
  const auto schemes = tree_schemes_named({"published", "ours"}, {}, {"ranges"});
  ASSERT_EQ(schemes.size(), 2u);
  EXPECT_EQ(schemes[0].name, "published-ranges");
  EXPECT_FALSE(schemes[0].improvements.asks);
  EXPECT_TRUE(schemes[1].improvements.asks);
  EXPECT_TRUE(schemes[1].improvements.sources);
  EXPECT_FALSE(schemes[1].improvements.ranges);
}

TEST(TreeSchemes, ablation__expect_ours_without_and_published_with_each) {
  const auto schemes = tree_ablation_schemes();
  const size_t improvements = tree_improvement_names().size();
  ASSERT_EQ(schemes.size(), 2 + 2 * improvements);
  EXPECT_EQ(schemes.front().name, "ours");
  EXPECT_EQ(schemes[1].name, "ours-asks");
  EXPECT_EQ(schemes[1 + improvements].name, "published+asks");
  EXPECT_EQ(schemes.back().name, "published");
}

TEST(TreeFailures, a_clos_network__expect_distinct_switches_of_its_highest_layer) {
  const Fabric fabric = *parse_graph("fat-tree:4", 1);
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::set<NodeId> nodes;
    for (const Failure& failure : draw_tree_failures(fabric, 3, false, seed)) {
      EXPECT_EQ(fabric.layer[failure.node], 2);
      nodes.insert(failure.node);
    }
    EXPECT_EQ(nodes.size(), 3u);
  }
}

TEST(TreeFailures, links__expect_both_ends_named) {
  const Fabric fabric = *parse_graph("ring:9", 1);
  const auto failures = draw_tree_failures(fabric, 2, true, 4);
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_EQ(named_by(fabric.graph, failures).size(), 4u);
}

TEST(GroupsThrough, a_path__expect_groups_of_those_between_alone) {
  // Racks 0 to 4 on a ring: a group's tree passes through those between its members.
  const Fabric fabric = *parse_graph("ring:5", 1);
  const Groups groups({.racks = 5, .groups = 300, .mean_size = 7, .vms_per_rack = 2, .seed = 3});
  const auto order = by_sender(groups);
  ASSERT_EQ(order.size(), 300u);
  std::vector<bool> wanted(5);
  wanted[2] = true;
  const auto found = groups_through(fabric, groups, order, wanted, 1);
  ASSERT_FALSE(found.empty());
  for (const auto& [through, group] : found) {
    EXPECT_EQ(through, 2u);
    EXPECT_NE(group.source, 2u);
    // Somebody sits behind 2, on the side that is away from the source.
    const std::set<NodeId> receivers(group.receivers.begin(), group.receivers.end());
    EXPECT_TRUE(receivers.contains(1) || receivers.contains(3));
  }
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
