// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/subscriptions.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace lambdacast::ordering {
namespace subscriptions_test {

using counters::DropReason;

// One packet of one message.
DropReason accept(Subscriptions& core, uint32_t group, uint32_t bytes) {
  const DropReason reason = core.admit(group);
  if (reason == DropReason::kNone) core.count(group, 1, 1, bytes);
  return reason;
}

TEST(Subscriptions, receive_a_subscribed_group__expect_delivered_and_counted) {
  Subscriptions core({4, false});
  EXPECT_TRUE(core.subscribe(7));
  EXPECT_EQ(accept(core, 7, 100), DropReason::kNone);
  EXPECT_EQ(accept(core, 7, 50), DropReason::kNone);
  EXPECT_EQ(core.report(7).delivered.packets, 2u);
  EXPECT_EQ(core.report(7).delivered.bytes, 150u);
  EXPECT_EQ(core.total().packets, 2u);
  EXPECT_EQ(core.total().bytes, 150u);
}

TEST(Subscriptions, receive_another_group__expect_not_subscribed) {
  Subscriptions core({4, false});
  EXPECT_EQ(accept(core, 0, 1), DropReason::kNotSubscribed);  // group 0 is a group like any other
  EXPECT_TRUE(core.subscribe(0));
  EXPECT_EQ(accept(core, 0, 1), DropReason::kNone);
  EXPECT_EQ(accept(core, 1, 1), DropReason::kNotSubscribed);
  EXPECT_EQ(core.total().packets, 1u);
}

TEST(Subscriptions, subscribe_to_all__expect_every_group_delivered) {
  Subscriptions core({4, true});
  EXPECT_EQ(accept(core, 123, 9), DropReason::kNone);
  EXPECT_TRUE(core.subscribed(123));
  EXPECT_EQ(core.report(123).delivered.packets, 0u);  // no count of its own
  EXPECT_EQ(core.total().packets, 1u);
}

TEST(Subscriptions, subscribe_beyond_the_bound__expect_refusal_until_one_leaves) {
  Subscriptions core({2, false});
  EXPECT_TRUE(core.subscribe(1));
  EXPECT_TRUE(core.subscribe(2));
  EXPECT_FALSE(core.subscribe(3));
  EXPECT_TRUE(core.subscribe(2));  // twice is once
  EXPECT_TRUE(core.unsubscribe(1));
  EXPECT_TRUE(core.subscribe(3));
  EXPECT_EQ(core.groups(), 2u);
}

TEST(Subscriptions, unsubscribe__expect_not_subscribed_even_right_after_a_hit) {
  Subscriptions core({2, false});
  EXPECT_TRUE(core.subscribe(1));
  EXPECT_EQ(accept(core, 1, 1), DropReason::kNone);
  EXPECT_TRUE(core.unsubscribe(1));
  EXPECT_FALSE(core.unsubscribe(1));
  EXPECT_EQ(accept(core, 1, 1), DropReason::kNotSubscribed);
  EXPECT_FALSE(core.subscribed(1));
}

TEST(Subscriptions, subscribe_to_none_at_all__expect_every_group_refused) {
  Subscriptions core({0, false});
  EXPECT_FALSE(core.subscribe(1));
  EXPECT_EQ(accept(core, 1, 1), DropReason::kNotSubscribed);
}

// Against std::map, with joins and leaves in a table that is often full.
TEST(Subscriptions, random_joins_leaves_and_packets__expect_what_a_map_says) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    base::SplitMix64 random(seed);
    Subscriptions core({16, false});
    std::map<uint32_t, uint64_t> model;  // subscribed group -> packets
    for (int step = 0; step < 2000; ++step) {
      const auto group = static_cast<uint32_t>(random.below(24));
      switch (random.below(4)) {
        case 0:
          ASSERT_EQ(core.subscribe(group), model.contains(group) || model.size() < 16);
          if (core.subscribed(group)) model.try_emplace(group, 0);
          break;
        case 1:
          ASSERT_EQ(core.unsubscribe(group), model.erase(group) == 1);
          break;
        default:
          ASSERT_EQ(accept(core, group, 1) == DropReason::kNone, model.contains(group));
          if (model.contains(group)) ++model[group];
      }
      ASSERT_EQ(core.groups(), model.size());
    }
    size_t visited = 0;
    core.for_each_group([&](const GroupReport& report) {
      ++visited;
      EXPECT_EQ(report.delivered.packets, model.at(report.group));
    });
    EXPECT_EQ(visited, model.size());
  }
}

}  // namespace subscriptions_test
}  // namespace lambdacast::ordering
