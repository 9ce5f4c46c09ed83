// SPDX-License-Identifier: BSD-3-Clause
#include "order_script.h"

namespace lambdacast::sim {
namespace {

using wire::Qos;

TEST(CheckSynchrony, true_story__expect_no_violation) {
  EXPECT_EQ(true_story().violations(check_synchrony), 0u);
  EXPECT_EQ(true_story().violations(check_causality), 0u);
}

TEST(CheckSynchrony, one_delivers_less_or_other_messages__expect_violation_if_both_go_on) {
  OrderScript script(3);
  script.install(1, {0, 1, 2});
  const uint32_t one = script.publish(0, Qos::kTotallyOrdered);
  const uint32_t two = script.publish(1, Qos::kTotallyOrdered);
  script.deliver({0, 1}, one, 0);
  OrderScript other = script;
  other.deliver({2}, two, 0);
  for (OrderScript* each : {&script, &other}) {
    each->install(2, {0, 1, 2}, {0, 1});
    EXPECT_EQ(each->violations(check_synchrony), 0u);
    each->install(2, {0, 1, 2}, {2});
    EXPECT_EQ(each->violations(check_synchrony), 1u);
  }
}

TEST(CheckSynchrony, delivered_after_the_view_instead_of_before__expect_violation) {
  OrderScript script(2);
  script.install(1, {0, 1});
  const uint32_t message = script.publish(0, Qos::kTotallyOrdered);
  script.deliver({0}, message, 0);
  script.install(2, {0, 1});
  script.deliver({1}, message, 0);
  EXPECT_EQ(script.violations(check_synchrony), 1u);
}

TEST(CheckSynchrony, not_subscribed__expect_no_violation) {
  OrderScript script(2);
  script.scenario_.nodes[1].subscribe = {};
  script.install(1, {0, 1});
  script.deliver({0}, script.publish(0, Qos::kTotallyOrdered), 0);
  script.install(2, {0, 1});
  EXPECT_EQ(script.violations(check_synchrony), 0u);
}

TEST(CheckSynchrony, source_ordered_messages__expect_them_not_bound_to_views) {
  OrderScript script(3);
  script.install(1, {0, 1, 2});
  script.deliver({1}, script.publish(0, Qos::kSourceOrdered));
  script.install(2, {0, 1, 2});
  EXPECT_EQ(script.violations(check_synchrony), 0u);
}

// Node 1 answers what it has delivered: nobody gets the answer first.
TEST(CheckCausality, effect_before_its_cause__expect_violation_in_one_domain_only) {
  for (const uint32_t group : {kScriptGroup, kOtherGroup}) {
    OrderScript script(3);
    script.install(1, {0, 1, 2});
    const uint32_t cause = script.publish(0, Qos::kTotallyOrdered);
    const uint32_t filler = script.publish(0, Qos::kTotallyOrdered, group);
    script.deliver({1}, cause, 1);
    const uint32_t effect = script.publish(1, Qos::kTotallyOrdered, group);
    script.deliver({2}, effect, 0);
    script.deliver({2}, group == kScriptGroup ? cause : filler, 1);
    EXPECT_EQ(script.violations(check_causality), group == kScriptGroup ? 1u : 0u);
  }
}

TEST(CheckCausality, concurrent_messages__expect_any_order) {
  OrderScript script(2);
  script.install(1, {0, 1});
  const uint32_t one = script.publish(0, Qos::kTotallyOrdered);
  const uint32_t two = script.publish(1, Qos::kTotallyOrdered);
  script.deliver({0, 1}, two, 0);
  script.deliver({0, 1}, one, 1);
  EXPECT_EQ(script.violations(check_causality), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
