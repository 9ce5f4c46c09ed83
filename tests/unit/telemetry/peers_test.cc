#include "support.h"

namespace lambdacast::telemetry {
namespace {

using test::figure;
using test::number;

TEST(PeersTest, hear_one_sender__expect_its_sequence_told) {
  test::RunningRack running;
  const Table table = running.table("peers");
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
  const Table table = running.table("peers");
  ASSERT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(figure(table, 0, "received"), number(3));
}

}  // namespace
}  // namespace lambdacast::telemetry
