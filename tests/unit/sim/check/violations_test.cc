// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/violations.h"

#include <gtest/gtest.h>

namespace lambdacast::sim {
namespace {

TEST(ViolationList, add_many__expect_the_first_few_under_the_checkers_name) {
  ViolationList list("Order");
  for (int i = 0; i < 100; ++i) list.add(std::to_string(i));
  const auto taken = list.take();
  ASSERT_EQ(taken.size(), 5u);
  EXPECT_EQ(taken[4], "Order: 4");
}

}  // namespace
}  // namespace lambdacast::sim
