// SPDX-License-Identifier: BSD-3-Clause
#include "order_script.h"

namespace lambdacast::sim {
namespace {

using wire::Qos;

constexpr OrderScript::Checker kCheckers[] = {check_safe, check_k, check_majority, check_held};

TEST(CheckResilience, true_story__expect_no_violation) {
  for (const OrderScript::Checker checker : kCheckers)
    EXPECT_EQ(true_story().violations(checker), 0u);
}

// Node 3 delivers and dies, and the others go on without the message.
TEST(CheckResilience, lost_by_those_who_go_on__expect_violation_of_its_level) {
  for (const auto& [qos, checker] :
       {std::pair{Qos::kTotallyResilient, &check_safe}, std::pair{Qos::kKResilient, &check_k},
        std::pair{Qos::kMajority, &check_majority}}) {
    OrderScript script(4);
    script.install(1, {0, 1, 2, 3});
    const uint32_t message = script.publish(0, qos);
    script.deliver({3}, message, 0);
    script.crash(3);
    OrderScript kept = script;
    kept.deliver({0, 1, 2}, message, 0);
    kept.install(2, {0, 1, 2});
    EXPECT_EQ(kept.violations(checker), 0u);
    script.deliver({0, 1}, message, 0);
    script.install(2, {0, 1, 2});
    for (const OrderScript::Checker each : kCheckers)
      EXPECT_EQ(script.violations(each), each == checker ? 1u : 0u);
    script.scenario_.nodes[2].subscribe = {};
    EXPECT_EQ(script.violations(checker), 0u);
  }
}

TEST(CheckResilience, totally_ordered_lost_with_its_deliverer__expect_no_violation) {
  OrderScript script(3);
  script.install(1, {0, 1, 2});
  script.deliver({2}, script.publish(0, Qos::kTotallyOrdered), 0);
  script.install(2, {0, 1});
  for (const OrderScript::Checker checker : kCheckers) EXPECT_EQ(script.violations(checker), 0u);
}

TEST(CheckResilience, more_than_k_depart__expect_k_resilient_not_to_bind) {
  OrderScript script(4);
  script.install(1, {0, 1, 2, 3});
  script.deliver({3}, script.publish(0, Qos::kKResilient), 0);
  OrderScript bound = script;
  script.install(2, {0, 1});
  EXPECT_EQ(script.violations(check_k), 0u);
  bound.install(2, {0, 1, 2});
  EXPECT_EQ(bound.violations(check_k), 3u);
  script.scenario_.membership.order.k = 2;
  EXPECT_EQ(script.violations(check_k), 2u);
}

TEST(CheckResilience, majority_in_both_orders__expect_violation_whatever_views_they_were_in) {
  for (const Qos qos : {Qos::kMajority, Qos::kKResilient}) {
    OrderScript script(4);
    script.install(1, {0, 1}, {0, 1}, 1);
    script.install(1, {2, 3}, {2, 3}, 2);
    const uint32_t one = script.publish(0, qos);
    const uint32_t two = script.publish(1, qos);
    script.deliver({0}, one, 0);
    script.deliver({0}, two, 1);
    script.deliver({3}, two, 0);
    script.deliver({3}, one, 1);
    EXPECT_EQ(script.violations(check_majority), qos == Qos::kMajority ? 1u : 0u);
  }
}

// K = 1, of four nodes: two, three and four have to hold a message.
TEST(CheckResilience, delivered_before_enough_hold_it__expect_violation) {
  for (const auto& [qos, needed] :
       {std::pair{Qos::kTotallyOrdered, 1u}, std::pair{Qos::kKResilient, 2u},
        std::pair{Qos::kMajority, 3u}, std::pair{Qos::kTotallyResilient, 4u}}) {
    for (uint32_t holders = 1; holders <= 4; ++holders) {
      OrderScript script(4);
      script.install(1, {0, 1, 2, 3});
      Lives heard_by;
      for (uint32_t life = 1; life < holders; ++life) heard_by.push_back(life);
      const uint32_t message = script.publish_to(0, qos, heard_by);
      script.deliver({0}, message, 0);
      script.log_.arrivals.push_back({0, 3, {}});  // too late
      EXPECT_EQ(script.violations(check_held), holders < needed ? 1u : 0u);
      script.install_now(2, {0, 1, 2, 3}, {0});  // recovery has decided
      EXPECT_EQ(script.violations(check_held), 0u);
    }
  }
}

TEST(CheckResilience, arrived_and_refused__expect_it_not_held) {
  OrderScript script(2);
  script.install(1, {0, 1});
  const uint32_t message = script.publish(0, Qos::kTotallyResilient);
  script.deliver({0}, message, 0);
  EXPECT_EQ(script.violations(check_held), 0u);
  script.log_.arrivals.back().outcome = counters::DropReason::kSlowConsumer;
  EXPECT_EQ(script.violations(check_held), 1u);
}

}  // namespace
}  // namespace lambdacast::sim
