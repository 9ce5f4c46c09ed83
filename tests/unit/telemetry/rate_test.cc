// SPDX-License-Identifier: BSD-3-Clause
#include "viewed_rack.h"

namespace lambdacast::telemetry {
namespace {

using test::figure;
using test::number;

TEST(RateTest, be_in_a_view_without_capacities__expect_no_limit_and_announcements) {
  test::ViewedRack viewed;
  const Table table = of_endpoint(viewed.table("rate"), "node1");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(figure(table, 0, "policy"), Value(std::string("fair")));
  EXPECT_EQ(figure(table, 0, "allowed"), number(0));
  EXPECT_EQ(figure(table, 0, "limited_by"), Value(std::string("-")));
  EXPECT_EQ(figure(table, 0, "announced"), number(1));
  EXPECT_EQ(figure(table, 0, "departed"), number(0));
  EXPECT_EQ(figure(table, 0, "rate_malformed"), number(0));
}

}  // namespace
}  // namespace lambdacast::telemetry
