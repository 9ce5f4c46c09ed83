// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

namespace lambdacast::telemetry {
namespace {

using test::figure;
using test::number;

TEST(WavelengthsTest, hear_one_transmitter__expect_its_channel_and_its_frames) {
  test::RunningRack running;
  const Table table = of_endpoint(running.table("wavelengths"), "node1");
  ASSERT_EQ(table.rows.size(), 1u);  // not its own, and no dark one
  EXPECT_EQ(figure(table, 0, "wavelength"), Value("C21"));
  EXPECT_EQ(figure(table, 0, "transmitter"), Value("node0"));
  EXPECT_EQ(figure(table, 0, "frequency"), number(192'100));
  EXPECT_EQ(figure(table, 0, "length"), number(1'560'606));
  EXPECT_GE(test::count(table, 0, "frames"), 3u);  // and control
}

}  // namespace
}  // namespace lambdacast::telemetry
