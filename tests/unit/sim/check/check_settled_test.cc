// SPDX-License-Identifier: BSD-3-Clause
#include "true_run.h"

namespace lambdacast::sim {
namespace {

using CheckSettledTest = TrueRun;

TEST_F(CheckSettledTest, true_run__expect_no_violation) {
  EXPECT_EQ(check_liveness(scenario_, log_), Violations{});
}

TEST_F(CheckSettledTest, survivor_not_flushed_or_unable_to_publish__expect_liveness_violated) {
  Log stuck = log_;
  stuck.lives[1].flushed = false;
  EXPECT_EQ(check_liveness(scenario_, stuck).size(), 1u);
  stuck = log_;
  stuck.lives[1].finished = false;
  EXPECT_EQ(check_liveness(scenario_, stuck).size(), 1u);
  stuck = log_;
  stuck.lives[3].flushed = false;  // it crashed
  EXPECT_EQ(check_liveness(scenario_, stuck).size(), 0u);
}

TEST_F(CheckSettledTest, last_message_missing__expect_liveness_violated) {
  while (log_.told.back().receiver != 2) log_.told.pop_back();
  log_.told.pop_back();
  EXPECT_GE(check_liveness(scenario_, log_).size(), 1u);
}

TEST_F(CheckSettledTest, survivor_never_welcomed__expect_liveness_violated) {
  std::erase_if(log_.welcomes,
                [](const Welcome& each) { return each.sender == 1 && each.receiver == 2; });
  EXPECT_EQ(check_liveness(scenario_, log_).size(), 1u);
}

}  // namespace
}  // namespace lambdacast::sim
