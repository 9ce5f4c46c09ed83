// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

namespace lambdacast::telemetry {
namespace {

using test::figure;
using test::number;

TEST(GroupsTest, subscribe_to_several__expect_a_row_each_by_number) {
  test::RunningRack running({.defaults = "lcore = 1\ngroups = [70000, 1]"});
  const Table table = running.table("groups");
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(figure(table, 2, "endpoint"), Value("node1"));
  EXPECT_EQ(figure(table, 2, "group"), Value("1"));
  EXPECT_EQ(figure(table, 2, "messages"), number(3));
  EXPECT_EQ(figure(table, 2, "bytes"), number(60));
  EXPECT_EQ(figure(table, 3, "group"), Value("70000"));
  EXPECT_EQ(figure(table, 3, "packets"), number(0));
}

}  // namespace
}  // namespace lambdacast::telemetry
