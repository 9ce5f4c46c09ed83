// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

namespace lambdacast::telemetry {
namespace {

using test::figure;
using test::number;

TEST(DropsTest, send_to_a_group_that_nobody_wants__expect_its_reason_alone) {
  test::RunningRack running({.defaults = "lcore = 1", .extra = {"groups = [1]", "groups = [2]"}});
  const Table table = running.table("drops");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(figure(table, 0, "endpoint"), Value("node1"));
  EXPECT_EQ(figure(table, 0, "stage"), Value("ordering"));
  EXPECT_EQ(figure(table, 0, "reason"), Value("not_subscribed"));
  EXPECT_EQ(figure(table, 0, "packets"), number(3));
  EXPECT_EQ(figure(table, 0, "meaning"), Value("Nobody here subscribes to the frame's group."));
}

}  // namespace
}  // namespace lambdacast::telemetry
