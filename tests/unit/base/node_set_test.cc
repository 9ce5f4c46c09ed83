// SPDX-License-Identifier: BSD-3-Clause
#include "base/node_set.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "base/random.h"

namespace lambdacast::base {
namespace {

std::vector<size_t> members(const NodeSet& set) {
  std::vector<size_t> out;
  set.for_each([&](size_t number) { out.push_back(number); });
  return out;
}

TEST(NodeSet, random_operations__expect_what_a_set_of_numbers_says) {
  SplitMix64 random(7);
  NodeSet set;
  std::set<size_t> model;
  for (int step = 0; step < 10'000; ++step) {
    const size_t number = random.below(NodeSet::kCapacity);
    if (random.below(2) == 0) {
      set.add(number);
      model.insert(number);
    } else {
      set.remove(number);
      model.erase(number);
    }
    ASSERT_EQ(set.contains(number), model.contains(number));
    ASSERT_EQ(set.count(), model.size());
    ASSERT_EQ(set.empty(), model.empty());
    ASSERT_EQ(set.lowest(), model.empty() ? NodeSet::kCapacity : *model.begin());
    ASSERT_EQ(members(set), std::vector<size_t>(model.begin(), model.end()));
  }
}

TEST(NodeSet, first_of_every_count__expect_so_many_members_from_0_on) {
  for (size_t count = 0; count <= NodeSet::kCapacity; ++count) {
    const NodeSet set = NodeSet::first(count);
    EXPECT_EQ(set.count(), count);
    EXPECT_TRUE(count == 0 || set.contains(count - 1));
    EXPECT_TRUE(count == NodeSet::kCapacity || !set.contains(count));
  }
}

TEST(NodeSet, set_algebra_across_both_words__expect_each_operation_member_by_member) {
  const NodeSet a = NodeSet::of(1) | NodeSet::of(64) | NodeSet::of(127);
  const NodeSet b = NodeSet::of(1) | NodeSet::of(65);
  EXPECT_EQ(members(a | b), (std::vector<size_t>{1, 64, 65, 127}));
  EXPECT_EQ(members(a & b), (std::vector<size_t>{1}));
  EXPECT_EQ(members(a - b), (std::vector<size_t>{64, 127}));
  EXPECT_TRUE((a & b).within(a));
  EXPECT_FALSE(a.within(b));
}

TEST(NodeSet, words__expect_them_to_carry_the_set) {
  const NodeSet set = NodeSet::of(3) | NodeSet::of(100);
  NodeSet copy;
  for (size_t i = 0; i < NodeSet::kWords; ++i) copy.set_word(i, set.word(i));
  EXPECT_EQ(copy, set);
}

}  // namespace
}  // namespace lambdacast::base
