// SPDX-License-Identifier: BSD-3-Clause
#include "viewed_rack.h"

namespace lambdacast::telemetry {
namespace {

using test::count;
using test::figure;
using test::number;

TEST(ViewTest, deliver_in_a_view_of_three__expect_state_and_counts_of_each) {
  test::ViewedRack viewed;
  const Table table = viewed.table("view");
  ASSERT_EQ(table.rows.size(), 3u);
  uint64_t marks_sent = 0;
  for (size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(figure(table, row, "state"), Value(std::string("operational")));
    EXPECT_EQ(figure(table, row, "epoch"), number(1));
    EXPECT_EQ(figure(table, row, "members"), number(3));
    EXPECT_EQ(figure(table, row, "views"), number(1));
    EXPECT_EQ(figure(table, row, "suspicions"), number(0));
    EXPECT_EQ(figure(table, row, "held_out"), number(0));
    EXPECT_EQ(figure(table, row, "impasse"), Value(std::string("-")));
    EXPECT_EQ(figure(table, row, "missing"), number(0));
    EXPECT_EQ(figure(table, row, "ordered_delivered"), number(5));
    EXPECT_EQ(figure(table, row, "recovered"), number(0));
    EXPECT_EQ(figure(table, row, "not_in_view"), number(0));
    EXPECT_EQ(figure(table, row, "held"), number(0));
    EXPECT_EQ(figure(table, row, "relayed"), number(0));
    EXPECT_EQ(figure(table, row, "sequencers"), figure(table, 0, "sequencers"));
    EXPECT_GT(count(table, row, "member_frames"), 0u);
    EXPECT_GT(count(table, row, "votes"), 0u);
    marks_sent += count(table, row, "marks_sent");
  }
  EXPECT_GT(marks_sent, 0u);
  for (size_t row = 0; row < 3; ++row)
    EXPECT_EQ(figure(table, row, "marks_applied"), number(marks_sent));
  // By hand: the ranks are in the order of the addresses.
  const auto sequencer = [](uint32_t group) {
    return std::to_string(group) + " at 10.77.0." +
           std::to_string(1 + ordering::sequencer_of(ordering::domain_of(group, 1024), 3));
  };
  EXPECT_EQ(figure(table, 0, "sequencers"), Value(sequencer(1) + ", " + sequencer(2)));
}

TEST(ViewTest, wait_for_the_others__expect_it_joining_in_no_view) {
  test::RunningRack running({.defaults = "lcore = 1\nmax_peers = 3\n"
                                         "membership = { enabled = true, initial_nodes = 3 }"});
  const Table table = running.table("view");
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(figure(table, 0, "state"), Value(std::string("joining")));
  EXPECT_EQ(figure(table, 0, "view"), Value(std::string("0.0")));
  EXPECT_EQ(figure(table, 0, "rank"), Value(std::string("-")));
  EXPECT_EQ(figure(table, 0, "sequencers"), Value(std::string("-")));
  EXPECT_EQ(figure(table, 0, "members"), number(0));
  EXPECT_TRUE(running.table("members").rows.empty());
}

TEST(ViewTest, run_without_membership__expect_no_row) {
  test::RunningRack running;
  EXPECT_TRUE(running.table("view").rows.empty());
}

}  // namespace
}  // namespace lambdacast::telemetry
