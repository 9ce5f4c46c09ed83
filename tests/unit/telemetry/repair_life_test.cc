// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/repair_life.h"

#include "lossy_rack.h"

namespace lambdacast::telemetry {
namespace {

using reliability::RepairStep;
using test::figure;

// node0 sends; node1 misses 7 and 9, node2 misses 9 and never gets it.
std::vector<RepairNotes> three_nodes() {
  return {{"node0",
           {{1'000, 7, 0, RepairStep::kSent},
            {1'400, 7, 0, RepairStep::kNackTaken},
            {1'500, 7, 0, RepairStep::kRepaired},
            {2'000, 9, 0, RepairStep::kSent},
            {2'200, 9, 1, RepairStep::kNackTaken}},
           {{900, 7, 0, RepairStep::kMissed}},  // of a packet 7 of node1's
           {"node1", "node2"}},
          {"node1",
           {},
           {{500, 7, 0, RepairStep::kMissed},  // of an earlier life of node0
            {1'200, 7, 0, RepairStep::kMissed},
            {1'300, 7, 0, RepairStep::kAsked},
            {1'600, 7, 0, RepairStep::kCame},
            {1'700, 7, 0, RepairStep::kDelivered},
            {2'100, 9, 0, RepairStep::kMissed},
            {2'100, 12, 1, RepairStep::kMissed}},
           {"node0", "node2"}},
          {"node2", {}, {{2'900, 11, 0, RepairStep::kMissed}}, {"node0", "node1"}}};
}

TEST(RepairLifeTest, put_one_packets_notes_together__expect_its_life_in_order_from_its_sending) {
  const Table life = repair_life(three_nodes(), "node0", 7);
  struct Expected {
    int64_t time;
    const char* endpoint;
    const char* step;
    const char* by;
  };
  const Expected expected[] = {
      {0, "node0", "sent", ""},       {200, "node1", "missed", ""},
      {300, "node1", "asked", ""},    {400, "node0", "NACK taken", "node1"},
      {500, "node0", "repaired", ""}, {600, "node1", "came", ""},
      {700, "node1", "delivered", ""}};
  ASSERT_EQ(life.rows.size(), std::size(expected));
  for (size_t i = 0; i < life.rows.size(); ++i) {
    EXPECT_EQ(figure(life, i, "time"), Value(expected[i].time)) << i;
    EXPECT_EQ(figure(life, i, "endpoint"), Value(std::string(expected[i].endpoint))) << i;
    EXPECT_EQ(figure(life, i, "step"), Value(std::string(expected[i].step))) << i;
    EXPECT_EQ(figure(life, i, "by"), Value(std::string(expected[i].by))) << i;
  }
  EXPECT_TRUE(life.notes.empty());
}

TEST(RepairLifeTest, choose_a_packet__expect_the_newest_whose_life_is_whole) {
  auto notes = three_nodes();
  EXPECT_EQ(newest_repair(notes, "node0"), 7u);
  notes[2].receiver.push_back({3'000, 9, 0, RepairStep::kLost});
  EXPECT_EQ(newest_repair(notes, "node0"), 9u);
  notes[0].sender.clear();
  EXPECT_EQ(newest_repair(notes, "node0"), 11u);  // nobody's life is whole
  EXPECT_EQ(newest_repair(notes, "node2"), 12u);
  EXPECT_FALSE(newest_repair({}, "node0"));
}

TEST(RepairLifeTest, lack_the_sending__expect_times_from_the_first_step_and_a_note) {
  const Table life = repair_life(three_nodes(), "node0", 11);
  ASSERT_EQ(life.rows.size(), 1u);
  EXPECT_EQ(figure(life, 0, "time"), Value(int64_t{0}));
  EXPECT_EQ(life.notes.size(), 1u);
  EXPECT_TRUE(repair_life(three_nodes(), "node0", 8).rows.empty());
}

TEST(RepairLifeTest, take_notes_of_a_rack__expect_a_repaired_packet_from_sending_to_delivery) {
  test::LossyRack running;
  const auto notes = take_repair_notes(running.source());
  ASSERT_EQ(notes.size(), 3u);
  const auto position = newest_repair(notes, "node0");
  ASSERT_TRUE(position);
  const Table life = repair_life(notes, "node0", *position);
  std::vector<std::string> steps;
  for (size_t i = 0; i < life.rows.size(); ++i) {
    steps.push_back(std::get<std::string>(figure(life, i, "step")));
    if (steps.back() != "NACK taken") continue;
    EXPECT_EQ(figure(life, i, "by"), Value(std::string("node1")));
  }
  EXPECT_EQ(steps.front(), "sent");
  for (const char* step : {"missed", "asked", "NACK taken", "repaired", "came", "delivered"}) {
    EXPECT_NE(std::find(steps.begin(), steps.end(), step), steps.end()) << step;
  }
}

}  // namespace
}  // namespace lambdacast::telemetry
