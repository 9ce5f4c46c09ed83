// SPDX-License-Identifier: BSD-3-Clause
#include "viewed_rack.h"

namespace lambdacast::telemetry {
namespace {

using test::figure;
using test::number;

TEST(SharesTest, be_in_a_view_of_three__expect_its_members_by_rank_without_limits) {
  test::ViewedRack viewed;
  const Table table = of_endpoint(viewed.table("shares"), "node1");
  ASSERT_EQ(table.rows.size(), 3u);
  for (size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(figure(table, rank, "member"),
              Value("10.77.0." + std::to_string(rank + 1) + ":17/7"));
    EXPECT_EQ(figure(table, rank, "share"), number(0));
    EXPECT_EQ(figure(table, rank, "room"), number(0));
  }
}

}  // namespace
}  // namespace lambdacast::telemetry
