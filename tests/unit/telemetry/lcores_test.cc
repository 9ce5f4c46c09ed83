// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

namespace lambdacast::telemetry {
namespace {

using test::figure;

TEST(LcoresTest, run_two_lcores__expect_a_row_each_with_its_policy) {
  test::RunningRack running({.defaults = "lcore = 1",
                             .extra = {"", "lcore = 2"},
                             .tables = "[[lcore]]\nid = 2\nidle = \"sleep\"\n"});
  const Table table = running.table("lcores");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(figure(table, 0, "lcore"), Value("1"));
  EXPECT_EQ(figure(table, 0, "idle"), Value("pause"));
  EXPECT_EQ(figure(table, 1, "idle"), Value("sleep"));
  EXPECT_GT(std::get<uint64_t>(figure(table, 0, "loops")), 0u);
  EXPECT_LE(std::get<uint64_t>(figure(table, 0, "busy_share")), 1000u);
}

}  // namespace
}  // namespace lambdacast::telemetry
