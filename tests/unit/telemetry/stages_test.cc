// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

namespace lambdacast::telemetry {
namespace {

using test::figure;
using test::number;

TEST(StagesTest, send_between_two_endpoints__expect_each_stage_to_have_counted_it) {
  test::RunningRack running;
  const Table table = running.table("stages");
  size_t seen = 0;
  for (size_t i = 0; i < table.rows.size(); ++i) {
    const bool receives = figure(table, i, "endpoint") == Value("node1");
    const Value stage = figure(table, i, "stage");
    if (receives && stage != Value("rate_control") && stage != Value("publisher")) {
      ++seen;
      const uint64_t received = test::count(table, i, "received");
      const uint64_t control = test::count(table, i, "control");
      EXPECT_EQ(test::count(table, i, "forwarded"), received - control);
      EXPECT_EQ(figure(table, i, "dropped"), number(0));
      // Control goes no further than reliability.
      EXPECT_EQ(received - control, stage == Value("receive") ? received : 3u);
    }
    if (!receives && stage == Value("rate_control")) {
      ++seen;
      EXPECT_EQ(figure(table, i, "received"), number(3));
    }
    EXPECT_EQ(figure(table, i, "lcore"), number(1));
  }
  EXPECT_EQ(seen, 4u);
}

}  // namespace
}  // namespace lambdacast::telemetry
