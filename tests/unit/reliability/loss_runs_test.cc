// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/loss_runs.h"

#include <gtest/gtest.h>

namespace lambdacast::reliability {
namespace {

TEST(LossRuns, tell__expect_each_run_in_three_statuses_and_the_count_for_ever) {
  LossRuns losses;
  EXPECT_FALSE(losses.pending());
  losses.add(10, 3);
  for (int i = 0; i < LossRuns::kTellings; ++i) {
    EXPECT_TRUE(losses.pending());
    wire::StatusEntry entry;
    losses.tell(entry);
    ASSERT_EQ(entry.runs, 1);
    EXPECT_EQ(entry.run[0], (wire::LossRun{10, 3}));
    EXPECT_EQ(entry.first_losses, 3u);
  }
  EXPECT_FALSE(losses.pending());
  wire::StatusEntry entry;
  losses.tell(entry);
  EXPECT_EQ(entry.runs, 0);
  EXPECT_EQ(entry.first_losses, 3u);
}

TEST(LossRuns, fill_all_places__expect_the_oldest_untold_and_counted) {
  LossRuns losses;
  for (uint64_t i = 0; i < wire::kMaxLossRuns + 2; ++i) losses.add(100 * i, 2);
  EXPECT_EQ(losses.tellings_dropped(), 2u);
  EXPECT_EQ(losses.losses(), 2 * (wire::kMaxLossRuns + 2));
  wire::StatusEntry entry;
  losses.tell(entry);
  ASSERT_EQ(entry.runs, wire::kMaxLossRuns);
  for (const wire::LossRun& run : entry.run) EXPECT_GE(run.first, 200u);
}

TEST(LossRuns, replace_what_was_told__expect_nothing_untold) {
  LossRuns losses;
  for (uint64_t i = 0; i < wire::kMaxLossRuns; ++i) losses.add(i, 1);
  wire::StatusEntry entry;
  for (int i = 0; i < LossRuns::kTellings; ++i) losses.tell(entry);
  losses.add(1'000, 1);
  EXPECT_EQ(losses.tellings_dropped(), 0u);
}

}  // namespace
}  // namespace lambdacast::reliability
