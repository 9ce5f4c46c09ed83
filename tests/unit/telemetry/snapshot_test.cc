// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/snapshot.h"

#include "support.h"

namespace lambdacast::telemetry {
namespace {

TEST(SnapshotTest, look_at_a_running_rack__expect_every_endpoint_lcore_and_stage) {
  test::RunningRack running({.defaults = "lcore = 1", .extra = {"", "lcore = 2"}});
  const Snapshot snapshot = take_snapshot(running.source(), {.ports = true, .groups = true});
  ASSERT_EQ(snapshot.endpoints.size(), 2u);
  EXPECT_EQ(snapshot.config, &running.config);
  EXPECT_EQ(snapshot.name(1), "node1");
  ASSERT_EQ(snapshot.endpoints[1].groups.size(), 1u);
  EXPECT_EQ(snapshot.endpoints[1].groups[0].report.delivered.packets, 3u);
  ASSERT_EQ(snapshot.endpoints[1].stages.peers(), 1u);
  EXPECT_GE(snapshot.endpoints[1].port.rx_packets, 3u);  // and control
  ASSERT_EQ(snapshot.lcores.size(), 2u);
  EXPECT_EQ(snapshot.lcores[1].id, 2u);
  EXPECT_EQ(snapshot.polled.back().endpoint, 1u);
  EXPECT_EQ(snapshot.polled.back().lcore, 2u);
}

TEST(SnapshotTest, do_not_ask_for_groups_and_ports__expect_none) {
  test::RunningRack running;
  const Snapshot snapshot = take_snapshot(running.source(), {});
  EXPECT_TRUE(snapshot.endpoints[0].groups.empty());
  EXPECT_TRUE(snapshot.endpoints[0].port.extended.empty());
}

}  // namespace
}  // namespace lambdacast::telemetry
