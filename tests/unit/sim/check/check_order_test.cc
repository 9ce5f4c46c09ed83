// SPDX-License-Identifier: BSD-3-Clause
#include "order_script.h"

namespace lambdacast::sim {
namespace {

using wire::Qos;

TEST(CheckOrder, true_story__expect_no_violation) {
  EXPECT_EQ(true_story().violations(check_order), 0u);
}

TEST(CheckOrder, two_messages_exchanged_at_one_member__expect_violation) {
  OrderScript script(3);
  script.install(1, {0, 1, 2});
  const uint32_t one = script.publish(0, Qos::kTotallyOrdered);
  const uint32_t two = script.publish(1, Qos::kTotallyOrdered);
  script.deliver({0, 1}, one, 0);
  script.deliver({0, 1}, two, 1);
  EXPECT_EQ(script.violations(check_order), 0u);
  script.deliver({2}, two, 0);
  script.deliver({2}, one, 1);
  EXPECT_GT(script.violations(check_order), 0u);
}

TEST(CheckOrder, index_left_out_or_repeated__expect_violation) {
  OrderScript script(2);
  script.install(1, {0, 1});
  script.deliver({0, 1}, script.publish(0, Qos::kTotallyOrdered), 0);
  OrderScript hole = script;
  hole.deliver({0, 1}, hole.publish(0, Qos::kTotallyOrdered), 1);
  EXPECT_EQ(hole.violations(check_order), 0u);
  hole.deliver({0}, hole.publish(0, Qos::kTotallyOrdered), 3);
  EXPECT_GT(hole.violations(check_order), 0u);
  script.deliver({1}, script.publish(0, Qos::kTotallyOrdered), 0);
  EXPECT_GT(script.violations(check_order), 0u);
}

TEST(CheckOrder, index_beyond_all_publications__expect_violation) {
  OrderScript script(2);
  script.install(1, {0, 1});
  script.deliver({0}, script.publish(0, Qos::kTotallyOrdered), uint64_t{1} << 60);
  EXPECT_GT(script.violations(check_order), 0u);
}

// Groups 7 and 8 share a domain: who subscribes to one of them misses the other one's indices.
TEST(CheckOrder, shared_domain__expect_holes_for_what_is_not_subscribed_to_only) {
  OrderScript script(2);
  script.scenario_.nodes[1].subscribe = {kOtherGroup};
  script.install(1, {0, 1});
  const uint32_t one = script.publish(0, Qos::kTotallyOrdered, kScriptGroup);
  const uint32_t two = script.publish(0, Qos::kTotallyOrdered, kOtherGroup);
  script.deliver_now({0}, one, 0, 9);
  script.deliver_now({0, 1}, two, 1, 9);
  EXPECT_EQ(script.violations(check_order), 0u);
  script.scenario_.nodes[1].subscribe = {kScriptGroup, kOtherGroup};
  EXPECT_EQ(script.violations(check_order), 1u);
}

TEST(CheckOrder, delivered_in_no_view_or_of_another_epoch__expect_violation) {
  OrderScript script(2);
  script.install(1, {0});
  const uint32_t message = script.publish(0, Qos::kTotallyOrdered);
  script.deliver({0}, message, 0);
  EXPECT_EQ(script.violations(check_order), 0u);
  script.deliver({1}, message, 0);
  EXPECT_EQ(script.violations(check_order), 1u);
  script.log_.told.pop_back();
  script.log_.told.back().epoch = 2;
  EXPECT_EQ(script.violations(check_order), 1u);
}

TEST(CheckOrder, same_message_in_two_views__expect_violation_unless_nobody_else_was_bound) {
  for (const Qos qos : {Qos::kTotallyOrdered, Qos::kMajority}) {
    OrderScript script(3);
    script.install(1, {0, 1, 2});
    const uint32_t message = script.publish(0, qos);
    script.deliver({2}, message, 0);  // and only it had the mark
    script.install(2, {0, 1});
    script.deliver({0, 1}, message, 0);
    EXPECT_EQ(script.violations(check_order) > 0, qos == Qos::kMajority);
  }
}

// Nodes 2 and 3 delivered by marks that nobody else had; recovery puts another message in their
// place, of a group to which 2 subscribes as well.
TEST(CheckOrder, hole_in_an_order_by_marks__expect_what_the_marks_have_there_to_count) {
  OrderScript script(5);
  script.scenario_.nodes[2].subscribe = {kScriptGroup};
  script.install(1, {0, 1, 2, 3, 4});
  const uint32_t marked = script.publish(3, Qos::kTotallyOrdered, kOtherGroup);
  const uint32_t behind = script.publish(3, Qos::kTotallyOrdered, kScriptGroup);
  const uint32_t other = script.publish(0, Qos::kTotallyOrdered, kScriptGroup);
  script.step();
  script.deliver_now({3}, marked, 0, 9);
  script.deliver_now({2, 3}, behind, 1, 9);
  script.step();
  script.deliver_now({0, 1, 4}, other, 0, 9);
  script.install_now(2, {0, 1, 4}, {0, 1, 4});
  EXPECT_EQ(script.violations(check_order), 0u);
  script.scenario_.nodes[2].subscribe = {kScriptGroup, kOtherGroup};
  EXPECT_EQ(script.violations(check_order), 1u);
}

// Node 2 delivered by a mark that died with it; recovery puts another message in that place.
TEST(CheckOrder, place_taken_by_recovery__expect_violation_if_the_others_had_delivered_before_it) {
  OrderScript script(3);
  script.install(1, {0, 1, 2});
  const uint32_t marked = script.publish(0, Qos::kTotallyOrdered);
  const uint32_t other = script.publish(2, Qos::kTotallyOrdered);
  script.deliver({2}, marked, 0);
  OrderScript bad = script;
  script.step();
  script.deliver_now({0, 1}, other, 0);
  script.install_now(2, {0, 1}, {0, 1});
  EXPECT_EQ(script.violations(check_order), 0u);
  bad.deliver({0, 1}, other, 0);
  bad.install(2, {0, 1});
  EXPECT_GT(bad.violations(check_order), 0u);
}

// The same, and who goes on subscribes to one of two groups only: what is missing is told by the
// order of those who go on, not by that of the node that is out.
TEST(CheckOrder, hole_in_an_order_that_recovery_made__expect_what_the_others_have_there_to_count) {
  OrderScript script(3);
  script.scenario_.nodes[1].subscribe = {kOtherGroup};
  script.install(1, {0, 1, 2});
  const uint32_t alone = script.publish(2, Qos::kTotallyOrdered, kOtherGroup);
  const uint32_t first = script.publish(0, Qos::kTotallyOrdered, kScriptGroup);
  const uint32_t second = script.publish(0, Qos::kTotallyOrdered, kOtherGroup);
  script.step();
  script.deliver_now({2}, alone, 0, 9);
  script.step();
  script.deliver_now({0}, first, 0, 9);
  script.deliver_now({0, 1}, second, 1, 9);
  script.install_now(2, {0, 1}, {0, 1});
  EXPECT_EQ(script.violations(check_order), 0u);
  script.scenario_.nodes[1].subscribe = {kScriptGroup, kOtherGroup};
  EXPECT_GT(script.violations(check_order), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
