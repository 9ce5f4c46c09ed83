// SPDX-License-Identifier: BSD-3-Clause
#include "order_script.h"

namespace lambdacast::sim {
namespace {

TEST(CheckDeathsTest, a_life_that_died_before__expect_no_violation) {
  OrderScript script(3);
  script.crash(2);
  script.log_.buried.push_back({0, 2, script.log_.lives[2].died_ns});
  EXPECT_EQ(script.violations(check_deaths), 0u);
}

TEST(CheckDeathsTest, a_life_that_lives_or_dies_later__expect_violation) {
  OrderScript script(3);
  script.log_.buried.push_back({0, 1, 1'000});
  EXPECT_EQ(script.violations(check_deaths), 1u);
  script.crash(2);
  script.log_.buried.push_back({0, 2, script.log_.lives[2].died_ns - 1});
  EXPECT_EQ(script.violations(check_deaths), 2u);
}

TEST(CheckDeathsTest, a_life_that_never_was__expect_violation) {
  OrderScript script(2);
  script.log_.buried.push_back({0, kNobody, 1'000});
  EXPECT_EQ(script.violations(check_deaths), 1u);
}

}  // namespace
}  // namespace lambdacast::sim
