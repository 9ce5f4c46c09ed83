// SPDX-License-Identifier: BSD-3-Clause
#include "wdm/power_budget.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lambdacast::wdm {
namespace {

// A lossless way: the received power is the launch less the coupler.
NodeOptics bare(double launch_dbm) {
  NodeOptics optics;
  optics.launch_dbm = launch_dbm;
  optics.fiber_km = 0;
  optics.connectors = 0;
  return optics;
}

TEST(SplittingLoss, powers_of_two_and_ten_expect_the_textbook_values) {
  EXPECT_DOUBLE_EQ(splitting_loss_db(1), 0);
  EXPECT_NEAR(splitting_loss_db(2), 3.0103, 1e-4);
  EXPECT_DOUBLE_EQ(splitting_loss_db(10), 10);
  EXPECT_NEAR(splitting_loss_db(40), 16.0206, 1e-4);
  EXPECT_NEAR(splitting_loss_db(80), 19.0309, 1e-4);
}

TEST(ReceivedPower, each_term_expect_it_counted_once_and_with_its_sign) {
  const CouplerOptics coupler{10, 0, 0};
  EXPECT_DOUBLE_EQ(received_dbm(bare(3), coupler, bare(0)), -7);
  EXPECT_DOUBLE_EQ(received_dbm(bare(3), {10, 2, 0}, bare(0)), -9);
  EXPECT_DOUBLE_EQ(received_dbm(bare(3), {10, 2, 15}, bare(0)), 6);
  NodeOptics far = bare(3);
  far.fiber_km = 20;
  far.fiber_db_per_km = 0.25;
  EXPECT_DOUBLE_EQ(received_dbm(far, coupler, bare(0)), -12);
  EXPECT_DOUBLE_EQ(received_dbm(far, coupler, far), -17);
  far.connectors = 4;
  far.connector_db = 0.5;
  EXPECT_DOUBLE_EQ(received_dbm(far, coupler, far), -21);
}

// By hand: -1 - 0.53 - 16.0206 - 1.5 - 0.53 = -19.5806 dBm at 40 ports.
TEST(PowerBudgets, defaults_expect_forty_and_eighty_ports_within_budget) {
  const Node nodes[] = {{"a", {}}, {"b", {}}};
  const auto forty = power_budgets({}, nodes);
  ASSERT_EQ(forty.size(), 2u);
  EXPECT_NEAR(forty[0].weakest_dbm, -19.5806, 1e-4);
  EXPECT_NEAR(forty[0].margin_db, 3.4194, 1e-4);
  EXPECT_NEAR(forty[0].headroom_db, 12.5806, 1e-4);
  EXPECT_TRUE(forty[0].in_order());
  EXPECT_TRUE(power_budgets({80, 1.5, 0}, nodes)[1].in_order());
}

TEST(PowerBudgets, unequal_transmitters_expect_the_weakest_and_the_strongest_of_the_others) {
  const Node nodes[] = {{"a", bare(0)}, {"b", bare(2)}, {"c", bare(-3)}};
  const auto budgets = power_budgets({1, 0, 0}, nodes);
  EXPECT_EQ(budgets[0].weakest_from, "c");
  EXPECT_EQ(budgets[0].strongest_from, "b");
  EXPECT_DOUBLE_EQ(budgets[0].weakest_dbm, -3);
  EXPECT_DOUBLE_EQ(budgets[0].strongest_dbm, 2);
  EXPECT_EQ(budgets[2].weakest_from, "a");  // its own light does not count
  EXPECT_DOUBLE_EQ(budgets[2].margin_db, 23);
  EXPECT_DOUBLE_EQ(budgets[2].headroom_db, -9);
}

TEST(PowerBudgets, alone_expect_its_own_light) {
  const Node alone[] = {{"a", bare(0)}};
  EXPECT_EQ(power_budgets({1, 0, 0}, alone)[0].weakest_from, "a");
  EXPECT_TRUE(power_budgets({}, {}).empty());
}

TEST(Warning, too_weak_too_strong_and_right_expect_a_clause_or_nothing) {
  const Node weak[] = {{"a", bare(-10)}, {"b", bare(-10)}};
  EXPECT_EQ(warning(power_budgets({40, 0, 0}, weak)[0]),
            "receives -26.02 dBm from b, 3.02 dB below its sensitivity");
  const Node strong[] = {{"a", bare(3)}, {"b", bare(3)}};
  EXPECT_EQ(warning(power_budgets({2, 0, 20}, strong)[1]),
            "receives 19.99 dBm from a, 26.99 dB above its overload");
  EXPECT_EQ(warning(power_budgets({}, std::vector<Node>{{"a", {}}, {"b", {}}})[0]), "");
}

TEST(Table, budgets_expect_a_heading_and_a_line_each_as_long) {
  const Node nodes[] = {{"a", {}}, {"b", {}}};
  const std::string text = table(power_budgets({}, nodes));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_NE(text.find("a                  -19.58 dBm b                   3.42 dB"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace lambdacast::wdm
