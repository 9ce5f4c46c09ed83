// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

namespace lambdacast::telemetry {
namespace {

using test::figure;
using test::number;

TEST(FabricTest, look_at_a_rack_on_a_fabric__expect_a_row_an_endpoint) {
  test::RunningRack running({.slots = 512, .defaults = "lcore = 1"});
  const Table table = running.table("fabric");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(figure(table, 0, "fabric"), Value(running.config.fabric->name));
  EXPECT_EQ(figure(table, 0, "slots"), number(512));
  EXPECT_GE(test::count(table, 0, "sent"), 3u);  // and control
  EXPECT_GE(test::count(table, 1, "heard"), 3u);
  EXPECT_EQ(figure(table, 1, "fault_lost"), number(0));
}

constexpr char kNearlyBlind[] = "[endpoint.optical]\nsensitivity_dbm = 0\noverload_dbm = 10\n";

TEST(FabricTest, give_a_receiver_too_little_light__expect_its_margin_below_zero_and_a_warning) {
  test::RunningRack running({.defaults = "lcore = 1", .extra = {"", kNearlyBlind}});
  const Table table = running.table("fabric");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_GT(std::get<int64_t>(figure(table, 0, "margin")), 0);
  EXPECT_LT(std::get<int64_t>(figure(table, 1, "margin")), 0);
  ASSERT_FALSE(table.notes.empty());
  EXPECT_TRUE(table.notes.back().starts_with("warning: node1 receives ")) << table.notes.back();
}

}  // namespace
}  // namespace lambdacast::telemetry
