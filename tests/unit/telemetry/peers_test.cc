// SPDX-License-Identifier: BSD-3-Clause
#include "lossy_rack.h"

namespace lambdacast::telemetry {
namespace {

using test::figure;
using test::number;

TEST(PeersTest, hear_one_sender__expect_its_sequence_told) {
  test::RunningRack running;
  const Table table = of_endpoint(running.table("peers"), "node1");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(figure(table, 0, "endpoint"), Value("node1"));
  EXPECT_EQ(figure(table, 0, "peer"), Value("10.77.0.1"));
  EXPECT_EQ(figure(table, 0, "qpn"), Value("17"));
  EXPECT_EQ(figure(table, 0, "received"), number(3));
  EXPECT_EQ(figure(table, 0, "gaps"), number(0));
  EXPECT_EQ(figure(table, 0, "psn_wraps"), number(0));
  EXPECT_EQ(figure(table, 0, "last_sequence"), number(2));
}

TEST(PeersTest, receive_on_one_lcore_and_judge_on_another__expect_the_same) {
  test::RunningRack running({.defaults = "lcore = 2\nstages = { reliability = 1 }"});
  const Table table = of_endpoint(running.table("peers"), "node1");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(figure(table, 0, "received"), number(3));
}

TEST(PeersTest, lose_some_and_repair_them__expect_each_peers_part_in_it) {
  using test::count;
  test::LossyRack running;
  const Table table = running.table("peers");
  const size_t to_sender = test::row_of(table, {"node1", "10.77.0.1"});
  EXPECT_EQ(figure(table, to_sender, "stream"), Value(std::string("open")));
  EXPECT_GT(count(table, to_sender, "repairs_useful"), 0u);
  EXPECT_GT(count(table, to_sender, "nacks_sent"), 0u);
  EXPECT_GT(count(table, to_sender, "rtt"), 0u);
  EXPECT_GT(count(table, to_sender, "room"), 0u);
  EXPECT_EQ(count(table, to_sender, "kept"), 0u);
  EXPECT_EQ(count(table, to_sender, "declared_lost"), 0u);
  const size_t to_lossy = test::row_of(table, {"node0", "10.77.0.2"});
  EXPECT_EQ(figure(table, to_lossy, "receiver"), Value(std::string("admitted")));
  EXPECT_EQ(count(table, to_lossy, "unconfirmed"), 0u);
  EXPECT_EQ(count(table, to_lossy, "retained_bytes"), 0u);
  EXPECT_GT(count(table, to_lossy, "nacks_taken"), 0u);
  EXPECT_GT(count(table, to_lossy, "repairs_sent"), 0u);
  EXPECT_EQ(count(table, to_lossy, "evictions"), 0u);
  const size_t to_other = test::row_of(table, {"node2", "10.77.0.1"});
  EXPECT_EQ(count(table, to_other, "repairs_useful"), 0u);
  EXPECT_GE(count(table, to_other, "nacks_heard"), 1u);
  EXPECT_GE(count(table, to_other, "repairs_redundant"), 1u);
}

}  // namespace
}  // namespace lambdacast::telemetry
