// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

namespace lambdacast::telemetry {
namespace {

using test::figure;
using test::number;

TEST(EndpointTest, send_between_two_endpoints__expect_both_to_tell_of_it) {
  test::RunningRack running;
  const Table table = running.table("endpoint");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(figure(table, 0, "address"), Value("10.77.0.1"));
  EXPECT_EQ(figure(table, 1, "wavelength"), Value("C22"));
  EXPECT_EQ(figure(table, 0, "published_packets"), number(3));
  EXPECT_EQ(figure(table, 0, "published_bytes"), number(60));
  EXPECT_GE(test::count(table, 0, "tx_packets"), 3u);  // and control
  EXPECT_GE(test::count(table, 1, "rx_packets"), 3u);
  EXPECT_EQ(figure(table, 1, "delivered_messages"), number(3));
  EXPECT_EQ(figure(table, 1, "delivered_bytes"), number(60));
  EXPECT_EQ(figure(table, 1, "gaps"), number(0));
}

}  // namespace
}  // namespace lambdacast::telemetry
