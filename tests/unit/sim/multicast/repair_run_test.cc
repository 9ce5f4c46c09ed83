// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/repair_run.h"

#include <gtest/gtest.h>

namespace lambdacast::sim {
namespace {

TEST(RepairRun, expected_transmissions__expect_the_known_values) {
  EXPECT_DOUBLE_EQ(expected_transmissions(0, 5), 1);
  EXPECT_NEAR(expected_transmissions(0.5, 1), 2, 1e-9);        // geometric
  EXPECT_NEAR(expected_transmissions(0.5, 2), 8.0 / 3, 1e-9);  // the greater of two such
  EXPECT_NEAR(expected_transmissions(0.001, 3), 1.003, 1e-5);
}

TEST(RepairRun, few_receivers_and_some_loss__expect_all_delivered_and_plausible_figures) {
  const RepairRun run{.nodes = 4, .loss = 0.02, .messages = 3000};
  const RepairFigures figures = measure_repair(run);
  EXPECT_EQ(figures.delivered, 9000u);
  EXPECT_EQ(figures.declared_lost, 0u);
  EXPECT_NEAR(static_cast<double>(figures.missed), 3000 * 0.0588, 40);
  EXPECT_GE(figures.p50_rtt, 0.9);
  EXPECT_LE(figures.p50_rtt, figures.p99_rtt);
  EXPECT_GE(figures.nacks_per_loss, 0.5);
  EXPECT_GE(figures.repairs_per_packet, 0.04);
}

TEST(RepairRun, no_loss__expect_no_repair) {
  const RepairFigures figures = measure_repair({.nodes = 3, .loss = 0, .messages = 1000});
  EXPECT_EQ(figures.delivered, 2000u);
  EXPECT_EQ(figures.missed, 0u);
  EXPECT_EQ(figures.repairs_per_packet, 0);
  EXPECT_EQ(figures.nacks_per_loss, 0);
}

}  // namespace
}  // namespace lambdacast::sim
