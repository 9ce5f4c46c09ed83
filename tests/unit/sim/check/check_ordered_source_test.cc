// SPDX-License-Identifier: BSD-3-Clause
#include "order_script.h"

namespace lambdacast::sim {
namespace {

using wire::Qos;

// All receivers admitted to all senders from the first position on.
OrderScript admitted(size_t nodes) {
  OrderScript script(nodes);
  for (uint32_t sender = 0; sender < nodes; ++sender) {
    for (uint32_t receiver = 0; receiver < nodes; ++receiver)
      if (sender != receiver) script.log_.welcomes.push_back({sender, receiver, 0, 1});
  }
  return script;
}

TEST(CheckOrderedSource, true_story__expect_no_violation) {
  EXPECT_EQ(true_story().violations(check_ordered_source), 0u);
}

// Each pair of levels of which one is ordered: the later message first, or alone.
TEST(CheckOrderedSource, later_one_first__expect_violation_at_any_level_and_at_its_sender) {
  for (const auto& [first, second] : {std::pair{Qos::kTotallyOrdered, Qos::kKResilient},
                                      std::pair{Qos::kTotallyResilient, Qos::kSourceOrdered},
                                      std::pair{Qos::kSourceOrdered, Qos::kTotallyOrdered}}) {
    OrderScript script = admitted(2);
    script.install(1, {0, 1});
    const uint32_t one = script.publish(0, first);
    const uint32_t two = script.publish(0, second);
    OrderScript bad = script;
    script.deliver({1}, one, 0);
    script.deliver({1}, two, is_ordered(first) ? 1 : 0);
    EXPECT_EQ(script.violations(check_ordered_source), 0u);
    bad.deliver({1}, two, 0);
    EXPECT_EQ(bad.violations(check_ordered_source), 1u);
  }
  OrderScript own = admitted(1);
  own.install(1, {0});
  (void)own.publish(0, Qos::kTotallyOrdered);
  own.deliver({0}, own.publish(0, Qos::kTotallyOrdered), 0);
  EXPECT_EQ(own.violations(check_ordered_source), 1u);
}

TEST(CheckOrderedSource, behind_its_successor__expect_violation) {
  OrderScript script = admitted(2);
  script.install(1, {0, 1});
  const uint32_t one = script.publish(0, Qos::kTotallyOrdered);
  const uint32_t two = script.publish(0, Qos::kTotallyOrdered);
  script.deliver({1}, two, 1);
  script.deliver({1}, one, 0);
  EXPECT_EQ(script.violations(check_ordered_source), 2u);
}

TEST(CheckOrderedSource, another_group_or_a_reliable_one__expect_no_violation) {
  OrderScript script = admitted(2);
  script.install(1, {0, 1});
  (void)script.publish(0, Qos::kTotallyOrdered, kOtherGroup);
  (void)script.publish(0, Qos::kReliable);
  script.deliver({1}, script.publish(0, Qos::kTotallyOrdered), 0);
  EXPECT_EQ(script.violations(check_ordered_source), 0u);
}

TEST(CheckOrderedSource, declared_lost_before_it__expect_no_violation) {
  OrderScript script = admitted(2);
  script.install(1, {0, 1});
  (void)script.publish(0, Qos::kSourceOrdered);
  Told gap;
  gap.what = Told::What::kGap;
  gap.receiver = 1;
  gap.sender = 0;
  gap.first = gap.count = 1;
  const uint32_t later = script.publish(0, Qos::kTotallyOrdered);
  OrderScript bad = script;
  bad.deliver({1}, later, 0);
  EXPECT_EQ(bad.violations(check_ordered_source), 1u);
  script.log_.told.push_back(gap);
  script.deliver({1}, later, 0);
  EXPECT_EQ(script.violations(check_ordered_source), 0u);
}

TEST(CheckOrderedSource, of_views_before_its_first__expect_it_not_owed) {
  OrderScript script = admitted(3);
  script.install(1, {0, 1});
  script.deliver({0, 1}, script.publish(0, Qos::kTotallyOrdered), 0);
  (void)script.publish(0, Qos::kTotallyOrdered);  // that nobody subscribes to, as far as is known
  script.install(2, {0, 1, 2});
  const uint32_t owed = script.publish(0, Qos::kTotallyOrdered);
  OrderScript bad = script;
  script.deliver({2}, owed, 0);
  EXPECT_EQ(script.violations(check_ordered_source), 0u);
  bad.deliver({2}, bad.publish(0, Qos::kTotallyOrdered), 0);
  EXPECT_EQ(bad.violations(check_ordered_source), 1u);
}

// Nobody has a message that its sender took with it; its source-ordered successors need not wait.
TEST(CheckOrderedSource, source_ordered_behind_one_discarded__expect_it_only_without_its_sender) {
  OrderScript script = admitted(3);
  script.install(1, {0, 1, 2});
  (void)script.publish(0, Qos::kTotallyOrdered);
  const uint32_t successor = script.publish(0, Qos::kSourceOrdered);
  OrderScript bad = script;
  script.install(2, {1, 2});
  script.deliver({1}, successor);
  EXPECT_EQ(script.violations(check_ordered_source), 0u);
  bad.deliver({1}, successor);
  EXPECT_EQ(bad.violations(check_ordered_source), 1u);
}

}  // namespace
}  // namespace lambdacast::sim
