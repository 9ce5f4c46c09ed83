// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/packet_lives.h"

#include "support.h"

namespace lambdacast::telemetry {
namespace {

using dpdk::PacketTrace;
using node::Passage;
using node::StageId;

TEST(PacketLivesTest, tell_of_two_packets__expect_a_row_a_step_with_times_since_the_first) {
  constexpr auto kNone = counters::DropReason::kNone;
  const dpdk::TscClock clock;
  const std::vector<rack::PacketTracer::Life> lives = {
      {"node0",
       {nullptr,
        9,
        1,
        20,
        {{1000, StageId::kApplication, Passage::kOn, kNone},
         {5000, StageId::kRateControl, Passage::kOn, kNone}},
        true}},
      {"node1",
       {nullptr,
        7,
        1,
        20,
        {{2000, StageId::kReliability, Passage::kDropped, counters::DropReason::kDuplicate}},
        false}}};
  const Table table = packet_lives(lives, clock);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(test::figure(table, 0, "step"), Value("published"));
  EXPECT_EQ(test::count(table, 0, "time"), 0u);
  EXPECT_EQ(test::figure(table, 1, "step"), Value("sent"));
  EXPECT_EQ(test::count(table, 1, "time"), clock.to_ns(4000));
  EXPECT_EQ(test::figure(table, 1, "packet"), Value("1"));
  EXPECT_EQ(test::figure(table, 2, "endpoint"), Value("node1"));
  EXPECT_EQ(test::figure(table, 2, "stage"), Value("reliability"));
  EXPECT_EQ(test::figure(table, 2, "reason"),
            Value(std::string(counters::name(counters::DropReason::kDuplicate))));
  EXPECT_EQ(table.notes, std::vector<std::string>{"1 packets are on their way."});
}

TEST(PacketLivesTest, tell_of_none__expect_an_empty_table) {
  EXPECT_TRUE(packet_lives({}, dpdk::TscClock()).rows.empty());
}

}  // namespace
}  // namespace lambdacast::telemetry
