// SPDX-License-Identifier: BSD-3-Clause
#include "order_script.h"

namespace lambdacast::sim {
namespace {

TEST(CheckViews, true_story__expect_no_violation) {
  EXPECT_EQ(true_story().violations(check_views), 0u);
}

TEST(CheckViews, two_views_after_one__expect_violation) {
  OrderScript script(4);
  script.install(1, {0, 1, 2, 3});
  script.install(2, {0, 1, 2});
  EXPECT_EQ(script.violations(check_views), 0u);
  script.install(2, {1, 2, 3}, {3}, 2);
  EXPECT_GT(script.violations(check_views), 0u);
}

TEST(CheckViews, no_quorum_of_the_one_before__expect_violation_unless_the_tie_breaker_is_there) {
  for (const uint32_t stays : {0u, 1u}) {
    OrderScript script(2);
    script.install(1, {0, 1});
    script.install(2, {stays});
    EXPECT_EQ(script.violations(check_views), stays == 0 ? 0u : 1u);
  }
}

TEST(CheckViews, left_in_order__expect_them_counted_for_the_quorum) {
  OrderScript script(3);
  script.install(1, {0, 1, 2});
  OrderScript bad = script;
  script.leave(0);
  script.leave(1);
  script.install(2, {2});
  EXPECT_EQ(script.violations(check_views), 0u);
  bad.install(2, {2});
  EXPECT_EQ(bad.violations(check_views), 1u);
}

TEST(CheckViews, first_view_anew__expect_violation_if_anybody_of_an_older_one_lives) {
  OrderScript script(2);
  script.install(1, {0, 1});
  script.crash(0);
  OrderScript bad = script;
  script.crash(1);
  for (OrderScript* each : {&script, &bad}) {
    const uint32_t one = each->start(0);
    const uint32_t two = each->start(1);
    each->install(1, {one, two});
  }
  EXPECT_EQ(script.violations(check_views), 0u);
  EXPECT_EQ(bad.violations(check_views), 1u);
}

TEST(CheckViews, first_view_anew_and_who_was_to_join_another_lives__expect_violation_if_one_had) {
  OrderScript script(3);
  script.install(1, {0});
  OrderScript bad = script;
  script.install(2, {0, 1, 2}, {0});
  bad.install(2, {0, 1, 2}, {0, 2});
  for (OrderScript* each : {&script, &bad}) {
    each->crash(0);
    const uint32_t again = each->start(0);
    each->install(1, {again, 1});
    for (InstalledView& view : each->log_.views) view.stayed = view.epoch == 2 ? 1 : 0;
  }
  EXPECT_EQ(script.violations(check_views), 0u);
  EXPECT_EQ(bad.violations(check_views), 1u);
}

TEST(CheckViews, ranks_changed_or_newcomers_before_others__expect_violation) {
  for (const Lives& members : {Lives{1, 0, 2}, Lives{0, 2, 1}}) {
    OrderScript script(3);
    script.install(1, {0, 1});
    script.install(2, members, {0, 1});
    EXPECT_GT(script.violations(check_views), 0u);
  }
}

TEST(CheckViews, told_of_other_newcomers_than_there_are__expect_violation) {
  OrderScript script(4);
  script.install(1, {0, 1, 2});
  script.install(2, {0, 2, 3});
  EXPECT_EQ(script.violations(check_views), 0u);
  for (const size_t stayed : {0, 1, 3}) {
    OrderScript bad = script;
    bad.log_.views.back().stayed = stayed;
    EXPECT_EQ(bad.violations(check_views), 1u);
  }
  script.log_.views.front().stayed = 1;
  EXPECT_EQ(script.violations(check_views), 1u);
}

TEST(CheckViews, returns_after_it_was_out__expect_violation) {
  OrderScript script(3);
  script.install(1, {0, 1, 2});
  script.install(2, {0, 1});
  script.install(3, {0, 1, 2}, {0, 1});
  EXPECT_EQ(script.violations(check_views), 1u);
}

TEST(CheckViews, view_missed_by_one__expect_violation) {
  OrderScript script(3);
  script.install(1, {0, 1, 2});
  script.install(2, {0, 1, 2}, {0, 1});
  script.install(3, {0, 1, 2});
  EXPECT_EQ(script.violations(check_views), 1u);
}

TEST(CheckViews, epoch_that_does_not_ascend__expect_violation) {
  OrderScript script(2);
  script.install(2, {0, 1});
  script.install(1, {0, 1});
  EXPECT_GT(script.violations(check_views), 0u);
}

TEST(CheckViews, members_that_cannot_be__expect_violation) {
  OrderScript nobody(2);
  nobody.install(1, {0, kNobody}, {0});
  EXPECT_EQ(nobody.violations(check_views), 1u);
  OrderScript twice(2);
  const uint32_t again = twice.start(1);
  twice.install(1, {0, 1, again});
  EXPECT_EQ(twice.violations(check_views), 1u);
  OrderScript without(2);
  without.install(1, {0}, {0, 1});
  EXPECT_EQ(without.violations(check_views), 1u);
}

TEST(CheckViews, smaller_than_allowed__expect_violation) {
  OrderScript script(3);
  script.scenario_.membership.views.minimum_partition = 2;
  script.install(1, {0, 1});
  EXPECT_EQ(script.violations(check_views), 0u);
  script.install(2, {0});
  EXPECT_EQ(script.violations(check_views), 1u);
}

TEST(CheckViews, told_that_it_is_out__expect_violation_unless_it_is_and_is_told_nothing_more) {
  OrderScript script(3);
  script.install(1, {0, 1, 2});
  OrderScript bad = script;
  bad.exclude(2);
  EXPECT_EQ(bad.violations(check_views), 1u);
  script.install(2, {0, 1});
  script.exclude(2);
  EXPECT_EQ(script.violations(check_views), 0u);
  script.deliver({2}, script.publish(0, wire::Qos::kTotallyOrdered), 0);
  EXPECT_EQ(script.violations(check_views), 1u);
}

TEST(CheckViews, lets_itself_out_unheard__expect_violation_unless_it_leaves_and_is_a_quorum) {
  for (const uint32_t life : {0u, 1u}) {
    for (const bool leaves : {true, false}) {
      OrderScript script(2);
      script.install(1, {0, 1});
      if (leaves) script.leave(life);
      script.log_.chosen.push_back({script.step(), 2, 1, life});
      script.exclude(life);
      const bool right = leaves && life == script.scenario_.membership.tie_breaker;
      EXPECT_EQ(script.violations(check_views), right ? 0u : 1u);
    }
  }
}

}  // namespace
}  // namespace lambdacast::sim
