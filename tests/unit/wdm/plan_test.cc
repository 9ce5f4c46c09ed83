// SPDX-License-Identifier: BSD-3-Clause
#include "wdm/plan.h"

#include <gtest/gtest.h>

namespace lambdacast::wdm {
namespace {

Assignment on(const char* owner, const char* name) { return {owner, *channel_from_name(name)}; }

std::string error_of(Grid grid, uint32_t wavelengths, std::vector<Assignment> assignments) {
  const auto plan = Plan::make(grid, wavelengths, std::move(assignments));
  return plan ? "" : plan.error().message;
}

TEST(Plan, make_each_on_its_own_expect_them_by_frequency) {
  const auto plan = Plan::make(Grid::k100GHz, 4, {on("b", "C24"), on("a", "C21"), on("c", "C22")});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->grid(), Grid::k100GHz);
  EXPECT_EQ(plan->wavelengths(), 4u);
  ASSERT_EQ(plan->transmitters().size(), 3u);
  EXPECT_EQ(plan->transmitters()[0].owner, "a");
  EXPECT_EQ(plan->transmitters()[2].owner, "b");
  EXPECT_EQ(plan->owner_of(1), "c");
  EXPECT_EQ(plan->owner_of(2), std::nullopt);
  EXPECT_EQ(plan->owner_of(3), "b");
  EXPECT_EQ(plan->owner_of(40), std::nullopt);
}

TEST(Plan, make_nobody_expect_an_empty_plan) {
  const auto plan = Plan::make(Grid::k50GHz, 80, {});
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->transmitters().empty());
}

TEST(Plan, make_two_on_one_wavelength_expect_error_naming_both) {
  EXPECT_EQ(error_of(Grid::k100GHz, 40, {on("node0", "C34"), on("x", "C35"), on("node2", "C34")}),
            "node2 on C34: node0 transmits on it already");
}

TEST(Plan, make_between_the_channels_of_the_grid_expect_error) {
  EXPECT_EQ(error_of(Grid::k100GHz, 40, {on("node0", "H34")}),
            "node0 on H34: that is not on the fabric's grid, 100GHz");
  EXPECT_EQ(error_of(Grid::k50GHz, 80, {on("node0", "H34"), on("node1", "C34")}), "");
}

TEST(Plan, make_beyond_the_fabric_expect_error) {
  EXPECT_EQ(error_of(Grid::k100GHz, 14, {on("a", "C34"), on("b", "C35")}),
            "b on C35: that is wavelength 15 of a fabric with 14");
  EXPECT_EQ(error_of(Grid::k50GHz, 14, {on("a", "C34")}),
            "a on C34: that is wavelength 27 of a fabric with 14");
}

TEST(FaultsOfPlan, several_at_once_expect_one_for_each_assignment_at_fault) {
  const Assignment assignments[] = {on("a", "C21"), on("b", "C21"), on("c", "C21"),
                                    on("d", "H21"), on("e", "C60"), on("f", "C60")};
  const auto faults = faults_of_plan(Grid::k100GHz, 10, assignments);
  ASSERT_EQ(faults.size(), 5u);
  for (const std::size_t i : {0, 1}) {
    EXPECT_EQ(faults[i].kind, PlanFault::Kind::kTaken);
    EXPECT_EQ(faults[i].assignment, i + 1);
    EXPECT_EQ(faults[i].first, 0u);
  }
  EXPECT_EQ(faults[2].kind, PlanFault::Kind::kOffGrid);
  EXPECT_EQ(faults[2].assignment, 3u);
  EXPECT_EQ(faults[3].kind, PlanFault::Kind::kOutside);
  EXPECT_EQ(faults[4].kind, PlanFault::Kind::kOutside);
}

}  // namespace
}  // namespace lambdacast::wdm
