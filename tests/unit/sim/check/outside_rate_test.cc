// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/outside_rate.h"

#include "order_script.h"

namespace lambdacast::sim {
namespace {

constexpr uint64_t kMega = 1'000'000;
constexpr uint64_t kUp = 1;  // it is rounded up

// Three nodes that take 100, 200 and 300 Mbit/s, and keep 9 % of that.
class OutsideRateTest : public ::testing::Test {
 protected:
  OutsideRateTest() : script_(3) {
    for (size_t i = 0; i < 3; ++i) {
      node(i).rate.capacity_bps = (i + 1) * 100 * kMega;
      node(i).rate.reserve_percent = 9;
    }
  }
  [[nodiscard]] NodeScenario& node(size_t index) { return script_.scenario_.nodes[index]; }
  [[nodiscard]] uint64_t rate(uint32_t life) const {
    return outside_bps(script_.scenario_, script_.log_, life);
  }

  OrderScript script_;
};

TEST_F(OutsideRateTest, in_no_view__expect_the_part_of_its_own_reserve) {
  EXPECT_EQ(rate(0), kMega + kUp);
  EXPECT_EQ(rate(2), 3 * kMega + kUp);
}

TEST_F(OutsideRateTest, in_views__expect_the_part_of_the_least_other_member_if_that_is_more) {
  script_.install(1, {0, 1, 2});
  EXPECT_EQ(rate(0), 2 * kMega + kUp);
  EXPECT_EQ(rate(2), 3 * kMega + kUp);
}

TEST_F(OutsideRateTest, nobody_else_has_a_capacity__expect_no_limit) {
  node(1).rate.capacity_bps = node(2).rate.capacity_bps = 0;
  script_.install(1, {0, 1, 2});
  EXPECT_EQ(rate(0), kNoLimit);
  EXPECT_EQ(rate(1), kMega + kUp) << "the first node has one";
}

TEST_F(OutsideRateTest, configured__expect_that) {
  node(0).rate.outside_bps = 7;
  EXPECT_EQ(rate(0), 7u);
}

}  // namespace
}  // namespace lambdacast::sim
