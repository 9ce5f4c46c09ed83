// SPDX-License-Identifier: BSD-3-Clause
#include "trees/group_index.h"

#include <gtest/gtest.h>

namespace lambdacast::trees {
namespace {

// Two groups through switch 5 and one through switch 8.
const InstalledGroups& installed() {
  static const InstalledGroups groups({{5, {1, {2, 3}}}, {8, {4, {2}}}, {5, {2, {1}}}});
  return groups;
}

std::vector<size_t> at(const GroupIndex& index, NodeId node) {
  std::vector<size_t> numbers;
  index.each_at(node, [&](size_t number) { numbers.push_back(number); });
  return numbers;
}

TEST(GroupIndex, two_failed_switches__expect_the_groups_of_the_first_first) {
  const NodeId failed[] = {5, 8};
  const GroupIndex index(installed(), failed);
  EXPECT_EQ(index.groups(), 3u);
  EXPECT_EQ(index.group(0).source, 1u);
  EXPECT_EQ(index.group(1).source, 2u);
  EXPECT_EQ(index.group(2).source, 4u);
  EXPECT_EQ(at(index, 2), (std::vector<size_t>{0, 1, 2})) << "as a source, too";
  EXPECT_EQ(at(index, 4), (std::vector<size_t>{2}));
  EXPECT_EQ(at(index, 5), (std::vector<size_t>{}));
}

TEST(GroupIndex, a_switch_that_no_group_passes__expect_none) {
  const NodeId failed[] = {6};
  const GroupIndex index(installed(), failed);
  EXPECT_EQ(index.groups(), 0u);
  EXPECT_EQ(at(index, 2), (std::vector<size_t>{}));
}

TEST(GroupIndex, more_groups_than_numbers__expect_the_rest_left_out) {
  std::vector<std::pair<NodeId, InstalledGroups::Group>> many(kMostGroups + 5, {7, {1, {2}}});
  many.push_back({9, {1, {2}}});
  const InstalledGroups all(std::move(many));
  const NodeId failed[] = {7, 9};
  const GroupIndex index(all, failed);
  EXPECT_EQ(index.groups(), kMostGroups);
  EXPECT_EQ(at(index, 2).size(), kMostGroups);
}

}  // namespace
}  // namespace lambdacast::trees
