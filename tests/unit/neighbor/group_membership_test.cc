// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor/group_membership.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::neighbor {
namespace group_membership_test {

using wire::MembershipQuery;
using wire::MembershipVersion;
using wire::OldMembershipMessage;
using wire::RecordType;
using Message = GroupMembership::Message;

constexpr uint64_t kSecond = 1'000'000'000;
const wire::Gid kA = wire::gid_from_ipv4(0xefff4d01);
const wire::Gid kB = wire::gid_from_ipv4(0xefff4d02);

struct Said {
  uint64_t now_ns;
  Message message;
};

std::vector<Said> said_until(GroupMembership& membership, uint64_t end_ns) {
  std::vector<Said> all;
  while (membership.next_deadline_ns() <= end_ns && all.size() < 100) {
    const uint64_t now_ns = membership.next_deadline_ns();
    Message message;
    if (membership.poll(now_ns, message)) all.push_back({now_ns, message});
  }
  return all;
}

GroupMembership joined(uint64_t seed = 1) {
  const wire::Gid groups[] = {kA, kB};
  GroupMembership membership(groups, {}, seed);
  membership.join(0);
  (void)said_until(membership, 10 * kSecond);
  return membership;
}

MembershipQuery query(MembershipVersion version, const wire::Gid& group = {}) {
  MembershipQuery q;
  q.version = version;
  q.group = group;
  q.max_response_ms = 10'000;
  return q;
}

TEST(GroupMembership, join__expect_a_report_at_once_and_a_repeat_within_a_second) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const wire::Gid groups[] = {kA, kB};
    GroupMembership membership(groups, {}, seed);
    EXPECT_EQ(membership.next_deadline_ns(), kNever);
    membership.join(5 * kSecond);
    const auto all = said_until(membership, 100 * kSecond);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].now_ns, 5 * kSecond);
    EXPECT_LE(all[1].now_ns - all[0].now_ns, kSecond);
    for (const Said& each : all) {
      EXPECT_FALSE(each.message.old);
      ASSERT_EQ(each.message.count, 2u);
      EXPECT_EQ(each.message.records[0].type, RecordType::kToExclude);
      EXPECT_EQ(each.message.records[0].group, kA);
      EXPECT_EQ(each.message.records[1].group, kB);
    }
  }
}

TEST(GroupMembership, general_query__expect_one_answer_of_all_groups_within_its_time) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    GroupMembership membership = joined(seed);
    membership.query(query(MembershipVersion::kV3), 20 * kSecond);
    membership.query(query(MembershipVersion::kV3), 20 * kSecond);
    const auto all = said_until(membership, 100 * kSecond);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_GT(all[0].now_ns, 20 * kSecond);
    EXPECT_LE(all[0].now_ns, 30 * kSecond);
    EXPECT_EQ(all[0].message.count, 2u);
    EXPECT_EQ(all[0].message.records[1].type, RecordType::kIsExclude);
  }
}

TEST(GroupMembership, group_query__expect_an_answer_of_that_group_or_none) {
  GroupMembership membership = joined();
  membership.query(query(MembershipVersion::kV3, kB), 20 * kSecond);
  auto all = said_until(membership, 100 * kSecond);
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].message.count, 1u);
  EXPECT_EQ(all[0].message.records[0].group, kB);
  membership.query(query(MembershipVersion::kV3, wire::gid_from_ipv4(0xefff4d03)), 200 * kSecond);
  EXPECT_TRUE(said_until(membership, 300 * kSecond).empty());
}

TEST(GroupMembership, group_query_behind_a_general_one__expect_no_answer_later_than_either) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    GroupMembership membership = joined(seed);
    membership.query(query(MembershipVersion::kV3), 20 * kSecond);
    membership.query(query(MembershipVersion::kV3, kB), 20 * kSecond);
    const auto all = said_until(membership, 100 * kSecond);
    ASSERT_GE(all.size(), 1u);
    ASSERT_LE(all.size(), 2u);
    EXPECT_EQ(all.back().message.count, 2u);  // the general answer ends it
  }
}

TEST(GroupMembership, leave__expect_it_said_as_often_as_the_querier_wants_and_soon) {
  GroupMembership membership = joined();
  MembershipQuery q = query(MembershipVersion::kV3);
  q.robustness = 4;
  membership.query(q, 20 * kSecond);
  membership.leave(20 * kSecond);
  EXPECT_FALSE(membership.silent());
  const auto all = said_until(membership, 100 * kSecond);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_LE(all.back().now_ns - 20 * kSecond, 60'000'000u);
  for (const Said& each : all) {
    EXPECT_TRUE(each.message.leaves);
    EXPECT_EQ(each.message.records[1].type, RecordType::kToInclude);
  }
  EXPECT_TRUE(membership.silent());
  membership.leave(30 * kSecond);
  membership.query(query(MembershipVersion::kV3), 30 * kSecond);
  EXPECT_EQ(membership.next_deadline_ns(), kNever);
}

TEST(GroupMembership, older_querier__expect_answers_and_leaves_in_its_version) {
  GroupMembership membership = joined();
  membership.query(query(MembershipVersion::kV2), 20 * kSecond);
  auto all = said_until(membership, 100 * kSecond);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].message.old);
  EXPECT_EQ(all[0].message.kind, OldMembershipMessage::kReportV2);
  EXPECT_NE(all[0].message.records[0].group, all[1].message.records[0].group);
  membership.leave(100 * kSecond);
  all = said_until(membership, 200 * kSecond);
  ASSERT_EQ(all.size(), 4u);  // two groups, twice
  EXPECT_EQ(all[0].message.kind, OldMembershipMessage::kLeave);
  EXPECT_EQ(all[0].message.records[0].group, kA);
  EXPECT_EQ(all[1].message.records[0].group, kB);
}

TEST(GroupMembership, querier_of_version_1__expect_its_reports_and_no_leave) {
  GroupMembership membership = joined();
  membership.query(query(MembershipVersion::kV1), 20 * kSecond);
  const auto all = said_until(membership, 100 * kSecond);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].message.kind, OldMembershipMessage::kReportV1);
  membership.leave(100 * kSecond);
  EXPECT_TRUE(membership.silent());
  EXPECT_EQ(membership.next_deadline_ns(), kNever);
}

TEST(GroupMembership, older_querier_gone_for_260_seconds__expect_version_3_again) {
  GroupMembership membership = joined();
  membership.query(query(MembershipVersion::kV2), 20 * kSecond);
  (void)said_until(membership, 100 * kSecond);
  membership.query(query(MembershipVersion::kV3), 265 * kSecond);
  auto all = said_until(membership, 300 * kSecond);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].message.old);
  membership.query(query(MembershipVersion::kV3), 310 * kSecond);
  all = said_until(membership, 400 * kSecond);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_FALSE(all[0].message.old);
}

TEST(GroupMembership, no_groups__expect_nothing_ever) {
  GroupMembership membership({}, {}, 1);
  membership.join(0);
  Message message;
  EXPECT_FALSE(membership.poll(0, message));
}

}  // namespace group_membership_test
}  // namespace lambdacast::neighbor
