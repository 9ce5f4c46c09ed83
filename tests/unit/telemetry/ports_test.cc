// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

namespace lambdacast::telemetry {
namespace {

using test::figure;
using test::number;

TEST(PortsTest, send_between_two_ports__expect_their_counts) {
  test::RunningRack running;
  const Table table = running.table("port_stats");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_GE(test::count(table, 0, "tx_packets"), 3u);  // and control
  EXPECT_GE(test::count(table, 1, "rx_packets"), 3u);
  EXPECT_EQ(figure(table, 1, "rx_missed"), number(0));
}

TEST(PortsTest, ask_what_they_are__expect_device_driver_and_link) {
  test::RunningRack running;
  const Table table = running.table("port_info");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(figure(table, 0, "name"), Value("net_odbss_node0"));
  EXPECT_EQ(figure(table, 0, "driver"), Value("net_odbss"));
  EXPECT_EQ(figure(table, 0, "link"), Value("up"));
  EXPECT_EQ(figure(table, 0, "link_up"), number(1));
  EXPECT_EQ(figure(table, 0, "link_changes"), number(0));
  EXPECT_EQ(figure(table, 0, "rx_queues"), number(1));
}

TEST(PortsTest, ask_for_the_drivers_counts__expect_a_row_each) {
  test::RunningRack running;
  const Table table = running.table("port_xstats");
  bool found = false;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    if (figure(table, i, "endpoint") == Value("node1") &&
        figure(table, i, "name") == Value("wl0_frames")) {
      found = true;
      EXPECT_GE(test::count(table, i, "count"), 3u);
    }
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace lambdacast::telemetry
