// SPDX-License-Identifier: BSD-3-Clause
#include "lossy_rack.h"

namespace lambdacast::telemetry {
namespace {

using test::count;

TEST(ReliabilityTest, lose_some_and_repair_them__expect_both_sides_told) {
  test::LossyRack running;
  const Table table = running.table("reliability");
  ASSERT_EQ(table.rows.size(), 3u);
  const size_t sender = test::row_of(table, {"node0"});
  const size_t receiver = test::row_of(table, {"node1"});
  EXPECT_EQ(count(table, sender, "receivers"), 2u);
  EXPECT_EQ(count(table, sender, "unstable"), 0u);
  EXPECT_EQ(count(table, sender, "retained_packets"), 0u);
  EXPECT_EQ(count(table, sender, "retained_bytes"), 0u);
  EXPECT_GT(count(table, sender, "nacks_taken"), 0u);
  EXPECT_GT(count(table, sender, "repairs_sent"), 0u);
  EXPECT_GT(count(table, sender, "in_flight"), 0u);
  EXPECT_GT(count(table, sender, "rtt"), 0u);
  EXPECT_EQ(count(table, sender, "first_losses"), 0u);
  EXPECT_GT(count(table, receiver, "first_losses"), 0u);
  EXPECT_EQ(count(table, receiver, "first_losses"), count(table, receiver, "repairs_useful"));
  EXPECT_GE(count(table, receiver, "nacks_sent"), count(table, sender, "nacks_taken"));
  EXPECT_EQ(count(table, receiver, "missing"), 0u);
  EXPECT_EQ(count(table, receiver, "kept"), 0u);
  EXPECT_GT(count(table, receiver, "statuses_sent"), 0u);
  for (const char* reason : {"outside_retention", "sender_gone", "deadline", "evicted"}) {
    EXPECT_EQ(count(table, receiver, std::string("lost_") + reason), 0u);
  }
}

// Every reason of a declared loss has its figure, also one that is added some day.
TEST(ReliabilityTest, look_at_the_reasons__expect_a_figure_for_each) {
  for (const char* subject : {"reliability", "losses"}) {
    std::string names;
    for (const Figure& figure : find_subject(subject)->table({}).figures) {
      names += std::string(figure.name) + " ";
    }
    for (size_t i = 1; i < reliability::kLossReasons; ++i) {
      const char* reason = name(static_cast<reliability::LossReason>(i));
      EXPECT_NE(names.find(reason), std::string::npos) << subject << ' ' << reason;
    }
  }
}

}  // namespace
}  // namespace lambdacast::telemetry
