// SPDX-License-Identifier: BSD-3-Clause
#include "order_script.h"

namespace lambdacast::sim {
namespace {

using wire::Qos;

TEST(CheckProgress, true_story__expect_no_violation_and_progress_owed) {
  const OrderScript script = true_story();
  EXPECT_EQ(script.violations(check_progress), 0u);
  EXPECT_TRUE(progress_owed(OrderLog(script.scenario_, script.log_)));
}

TEST(CheckProgress, no_view_though_all_live__expect_violation_unless_more_are_waited_for) {
  OrderScript script(3);
  EXPECT_EQ(script.violations(check_progress), 1u);
  script.crash(2);
  EXPECT_EQ(script.violations(check_progress), 0u);
  script.scenario_.membership.views.initial_nodes = 2;
  EXPECT_EQ(script.violations(check_progress), 1u);
}

TEST(CheckProgress, survivor_in_another_view_or_none__expect_violation) {
  OrderScript script(3);
  script.install(1, {0, 1});
  EXPECT_EQ(script.violations(check_progress), 1u);  // node 2 never came in
  script.install(2, {0, 1, 2}, {0, 2});
  EXPECT_EQ(script.violations(check_progress), 1u);  // node 1 stayed behind
}

TEST(CheckProgress, dead_member_in_the_last_view__expect_violation_if_a_quorum_is_left) {
  OrderScript script(3);
  script.install(1, {0, 1, 2});
  script.crash(2);
  EXPECT_EQ(script.violations(check_progress), 1u);
  script.crash(1);
  EXPECT_EQ(script.violations(check_progress), 0u);
}

// Nodes 1 and 2 may have accepted the last view; that it was chosen only 0 knew.
TEST(CheckProgress,
     last_view_came_to_by_the_dead_alone__expect_nothing_owed_without_the_one_before) {
  OrderScript script(5);
  script.install(1, {0, 1, 2, 3, 4});
  script.install(2, {0, 1, 2}, {0});
  script.crash(0);
  EXPECT_GT(script.violations(check_progress), 0u) << "four of five can say what they accepted";
  script.crash(3);
  script.crash(4);
  EXPECT_EQ(script.violations(check_progress), 0u) << "two of five";
}

TEST(CheckProgress, smaller_than_a_primary_view_may_be__expect_nothing_owed) {
  OrderScript script(3);
  script.install(1, {0, 1, 2});
  script.crash(2);
  script.scenario_.membership.views.minimum_partition = 3;
  EXPECT_EQ(script.violations(check_progress), 0u);
}

TEST(CheckProgress, told_that_it_is_out_or_left__expect_it_not_waited_for) {
  OrderScript script(4);
  script.install(1, {0, 1, 2, 3});
  script.install(2, {0, 1, 2});
  script.exclude(3);
  EXPECT_EQ(script.violations(check_progress), 0u);
  script.leave(2);
  script.install(3, {0, 1});
  EXPECT_EQ(script.violations(check_progress), 0u);
}

TEST(CheckProgress, message_of_a_survivor_not_delivered__expect_violation_at_each_subscriber) {
  OrderScript script(3);
  script.install(1, {0, 1, 2});
  const uint32_t message = script.publish(0, Qos::kTotallyOrdered);
  EXPECT_EQ(script.violations(check_progress), 3u);
  script.deliver({0, 1}, message, 0);
  EXPECT_EQ(script.violations(check_progress), 1u);
  script.scenario_.nodes[2].subscribe = {};
  EXPECT_EQ(script.violations(check_progress), 0u);
}

TEST(CheckProgress, message_of_one_that_died__expect_all_or_none_to_deliver_it) {
  OrderScript script(3);
  script.install(1, {0, 1, 2});
  const uint32_t message = script.publish(2, Qos::kTotallyOrdered);
  script.crash(2);
  script.install(2, {0, 1});
  EXPECT_EQ(script.violations(check_progress), 0u);
  script.deliver({0}, message, 0);
  EXPECT_EQ(script.violations(check_progress), 1u);
}

TEST(CheckProgress, message_of_a_view_before_its_first__expect_it_not_owed) {
  OrderScript script(2);
  script.install(1, {0});
  script.deliver({0}, script.publish(0, Qos::kTotallyOrdered), 0);
  script.install(2, {0, 1});
  EXPECT_EQ(script.violations(check_progress), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
