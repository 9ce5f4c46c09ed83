// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "many_optimisers.h"

namespace lambdacast::trees {
namespace {

using Links = std::vector<std::pair<NodeId, NodeId>>;

RepairSettings all_links() {
  RepairSettings settings;
  settings.spanner_k = 1;  // a spanner of all links
  return settings;
}

// Two racks' switches 0 and 1 reach the spines 2, 3 and 4; so do 5 and 6 of a fabric of four racks.
TEST(TreeOptimiserRounds, equal_counts__expect_the_parent_with_the_least_number) {
  ManyOptimisers all("spine-leaf:4,3", {{0, {1, 2, 3}}}, all_links());
  ASSERT_TRUE(all.run(1));
  EXPECT_EQ(all.tree(0), (Links{{0, 4}, {4, 1}, {4, 2}, {4, 3}}));
  EXPECT_EQ(all.at(0).parent(0), congest::kNoPort) << "the source";
  EXPECT_EQ(all.at(1).parent(0), 0u);
}

TEST(TreeOptimiserRounds, ring__expect_each_receiver_by_the_shorter_way) {
  ManyOptimisers all("ring:7", {{0, {2, 5}}, {3, {4}}}, all_links());
  ASSERT_TRUE(all.run(3));
  EXPECT_EQ(all.tree(0), (Links{{0, 1}, {0, 6}, {1, 2}, {6, 5}}));
  EXPECT_EQ(all.tree(1), (Links{{3, 4}}));
  EXPECT_TRUE(all.at(1).in_tree(0));
  EXPECT_FALSE(all.at(1).in_tree(1));
}

TEST(TreeOptimiserRounds, groups_of_one_source__expect_fewer_records_by_source_and_by_range) {
  std::vector<InstalledGroups::Group> groups(300, {0, {1, 2, 3}});
  const auto records = [&](bool sources, bool ranges) {
    RepairSettings settings = all_links();
    settings.improvements.sources = sources;
    settings.improvements.ranges = ranges;
    ManyOptimisers all("spine-leaf:4,3", groups, settings);
    EXPECT_TRUE(all.run(1));
    return all.records();
  };
  EXPECT_LT(records(true, false), records(false, false));
  EXPECT_LT(records(true, true), records(true, false));
}

}  // namespace
}  // namespace lambdacast::trees
