// SPDX-License-Identifier: BSD-3-Clause
#include "multicast.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <deque>

namespace lambdacast::verbs {
namespace {

class Groups : public ::testing::Test {
 protected:
  static ibv_qp_cap cap() { return {1, 1, 1, 1, 0}; }
  QueuePair one{cap(), false}, two{cap(), false};
  const wire::Gid group = *wire::parse_gid("239.1.2.3");
  Attachments groups;
};

TEST_F(Groups, HaveWhoeverIsAttached) {
  EXPECT_TRUE(groups.of(group).empty());
  EXPECT_EQ(groups.attach(one, group), 0);
  EXPECT_EQ(groups.attach(two, group), 0);
  EXPECT_EQ(groups.of(group).size(), 2u);
  EXPECT_TRUE(groups.of(*wire::parse_gid("239.1.2.4")).empty());
  EXPECT_EQ(groups.detach(one, group), 0);
  ASSERT_EQ(groups.of(group).size(), 1u);
  EXPECT_EQ(groups.of(group)[0], &two);
  EXPECT_EQ(one.groups, 0u);
  EXPECT_EQ(two.groups, 1u);
}

TEST_F(Groups, HaveNobodyTwice) {
  EXPECT_EQ(groups.attach(one, group), 0);
  EXPECT_EQ(groups.attach(one, group), 0);
  EXPECT_EQ(groups.of(group).size(), 1u);
  EXPECT_EQ(groups.detach(one, group), 0);
  EXPECT_EQ(groups.detach(one, group), EINVAL);
}

TEST_F(Groups, AreGroups) {
  EXPECT_EQ(groups.attach(one, *wire::parse_gid("10.0.0.1")), EINVAL);
  EXPECT_EQ(groups.attach(one, *wire::parse_gid("fe80::1")), EINVAL);
  EXPECT_EQ(groups.attach(one, *wire::parse_gid("ff0e::1")), 0);
}

TEST_F(Groups, AreBounded) {
  std::deque<QueuePair> many;
  for (size_t i = 0; i < kMaxAttachedPerGroup; ++i) {
    EXPECT_EQ(groups.attach(many.emplace_back(cap(), false), group), 0);
  }
  EXPECT_EQ(groups.attach(one, group), ENOMEM);
  for (uint32_t i = 1; i < kMaxGroups; ++i) {
    EXPECT_EQ(groups.attach(one, wire::gid_from_ipv4(0xe1000000 + i)), 0);
  }
  EXPECT_EQ(groups.attach(one, wire::gid_from_ipv4(0xe2000000)), ENOMEM);
}

TEST_F(Groups, ForgetAQueuePair) {
  EXPECT_EQ(groups.attach(one, group), 0);
  EXPECT_EQ(groups.attach(one, *wire::parse_gid("ff0e::1")), 0);
  EXPECT_EQ(groups.attach(two, group), 0);
  groups.forget(one);
  EXPECT_EQ(groups.of(group).size(), 1u);
  EXPECT_TRUE(groups.of(*wire::parse_gid("ff0e::1")).empty());
  EXPECT_EQ(one.groups, 0u);
}

}  // namespace
}  // namespace lambdacast::verbs
