// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/order_log.h"

#include "order_script.h"

namespace lambdacast::sim {
namespace {

TEST(OrderLog, true_story__expect_its_views_in_order_and_who_departed) {
  const OrderScript script = true_story();
  const OrderLog order(script.scenario_, script.log_);
  ASSERT_EQ(order.views().size(), 3u);
  EXPECT_EQ(order.views()[0].previous, kNobody);
  EXPECT_EQ(order.views()[2].previous, 1u);
  EXPECT_EQ(order.views()[0].next, 1u);
  EXPECT_EQ(order.views()[2].next, kNobody);
  EXPECT_EQ(order.departed(order.views()[0]), 1u);
  EXPECT_EQ(order.departed(order.views()[1]), 0u);
  EXPECT_EQ(order.views()[1].tenures.size(), 3u);
  EXPECT_EQ(order.first_view(4), 2u);
  EXPECT_EQ(order.tenures_of(0).size(), 3u);
  EXPECT_EQ(order.tenures_of(3).size(), 1u);
}

TEST(OrderLog, true_story__expect_places_and_what_recovery_delivered) {
  const OrderScript script = true_story();
  const OrderLog order(script.scenario_, script.log_);
  EXPECT_EQ(order.place(2), (Place{0, kScriptGroup, 2}));
  EXPECT_EQ(order.place(3), (Place{1, kScriptGroup, 0}));
  size_t recovered = 0;
  for (uint32_t i = 0; i < script.log_.told.size(); ++i) {
    if (!order.recovered(i)) continue;
    ++recovered;
    EXPECT_EQ(script.log_.told[i].publication, 2u);
  }
  EXPECT_EQ(recovered, 3u);
}

// Node 0 decides the end of the view alone, and says so a line later.
TEST(OrderLog, delivered_ahead_of_the_ballot_of_one_that_leaves__expect_it_recovered) {
  for (const bool leaves : {true, false}) {
    OrderScript script(2);
    script.install(1, {0, 1});
    if (leaves) script.leave(0);
    script.deliver({0}, script.publish(0, wire::Qos::kMajority), 0);
    const auto last = static_cast<uint32_t>(script.log_.told.size() - 1);
    EXPECT_FALSE(OrderLog(script.scenario_, script.log_).recovered(last));
    script.speak({0}, 2);
    EXPECT_EQ(OrderLog(script.scenario_, script.log_).recovered(last), leaves);
  }
}

// Node 0 goes on alone, says so a line later, and dies before its application is told.
TEST(OrderLog, delivered_ahead_of_the_word_of_one_that_goes_on_alone__expect_it_recovered) {
  for (const bool asked : {true, false}) {
    OrderScript script(2);
    script.install(1, {0, 1});
    script.deliver({0}, script.publish(0, wire::Qos::kMajority), 0);
    const auto last = static_cast<uint32_t>(script.log_.told.size() - 1);
    if (asked) script.speak({0}, 2);
    const uint64_t said_ns = script.step();
    if (!asked) script.log_.ballots.push_back({0, said_ns, 2});
    script.log_.chosen.push_back({said_ns, 2, 1, 0});
    EXPECT_EQ(OrderLog(script.scenario_, script.log_).recovered(last), !asked);
  }
}

// What a member that is excluded delivered binds the others up to the last message of a level that
// does.
TEST(OrderLog, delivered_by_one_that_is_excluded__expect_firm_as_far_as_a_level_binds) {
  for (const wire::Qos qos : {wire::Qos::kTotallyOrdered, wire::Qos::kKResilient,
                              wire::Qos::kMajority, wire::Qos::kTotallyResilient}) {
    OrderScript script(4);
    script.install(1, {0, 1, 2, 3});
    script.deliver({3}, script.publish(0, wire::Qos::kTotallyOrdered), 0);
    script.deliver({3}, script.publish(0, qos), 1);
    script.deliver({3}, script.publish(0, wire::Qos::kTotallyOrdered), 2);
    const auto firm = [&](uint32_t i) { return OrderLog(script.scenario_, script.log_).firm(i); };
    EXPECT_TRUE(firm(6));  // nobody has gone on
    script.install(2, {0, 1, 2});
    const bool binds = qos != wire::Qos::kTotallyOrdered;
    EXPECT_EQ(firm(4), binds);
    EXPECT_EQ(firm(5), binds);
    EXPECT_FALSE(firm(6));
    script.scenario_.membership.order.k = 0;
    EXPECT_EQ(firm(5), binds && qos != wire::Qos::kKResilient);
  }
}

TEST(OrderLog, view_that_only_a_newcomer_lived_to_install__expect_it_to_follow) {
  OrderScript script(3);
  script.install(1, {0, 1});
  script.install(2, {0, 1, 2}, {2});
  const OrderLog order(script.scenario_, script.log_);
  EXPECT_EQ(order.views()[1].previous, 0u);
  EXPECT_EQ(order.views()[0].next, 1u);
}

TEST(OrderLog, quorum__expect_more_than_half_or_half_with_the_tie_breaker) {
  OrderScript script(4);
  script.install(1, {0, 1, 2, 3});
  const OrderLog order(script.scenario_, script.log_);
  const View& view = order.views()[0];
  EXPECT_TRUE(order.is_quorum(view, 3, false));
  EXPECT_TRUE(order.is_quorum(view, 2, true));
  EXPECT_FALSE(order.is_quorum(view, 2, false));
  EXPECT_FALSE(order.is_quorum(view, 1, true));
  EXPECT_TRUE(order.breaks_ties(0));
  EXPECT_FALSE(order.breaks_ties(1));
}

}  // namespace
}  // namespace lambdacast::sim
