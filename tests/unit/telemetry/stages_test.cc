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

TEST(StagesTest, count_polls_and_timed_packets__expect_packets_a_burst_and_time_a_packet) {
  test::RunningRack running;
  Snapshot snapshot = take_snapshot(running.source(), {});
  snapshot.polled[0].polls = 10;
  snapshot.polled[0].empty_polls = 6;
  snapshot.polled[0].packets = 10;
  snapshot.polled[0].sampled_ns = 300;
  snapshot.polled[0].sampled_packets = 4;
  snapshot.polled[1].empty_polls = snapshot.polled[1].polls;
  snapshot.polled[1].sampled_packets = 0;
  const Table table = stages_table(snapshot);
  EXPECT_EQ(test::count(table, 0, "burst"), 2500u);
  EXPECT_EQ(test::count(table, 0, "packet_ns"), 75u);
  EXPECT_EQ(test::count(table, 1, "burst"), 0u);
  EXPECT_EQ(test::count(table, 1, "packet_ns"), 0u);
}

}  // namespace
}  // namespace lambdacast::telemetry
