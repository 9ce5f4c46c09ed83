// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/loss_run.h"

#include <gtest/gtest.h>

namespace lambdacast::sim {
namespace {

TEST(LossRun, nothing_is_lost__expect_every_message_back_without_repairs) {
  const LossRun run{.nodes = 3, .duration_ns = 2'000'000};
  const LossFigures figures = measure_loss(run);
  EXPECT_TRUE(figures.sound());
  EXPECT_EQ(figures.repairs, 0u);
  EXPECT_GE(figures.p50_ns, 2 * run.latency_ns);
  EXPECT_GE(figures.p99_ns, figures.p50_ns);
}

TEST(LossRun, twice_the_load__expect_twice_the_messages) {
  LossRun run{.nodes = 3, .load = 0.4, .duration_ns = 2'000'000};
  const LossFigures half = measure_loss(run);
  run.load = 0.8;
  EXPECT_NEAR(static_cast<double>(measure_loss(run).accepted),
              2 * static_cast<double>(half.accepted), 10);
}

}  // namespace
}  // namespace lambdacast::sim
