// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "lambdacast-bench/cases/fairness.h"

namespace lambdacast::bench {
namespace {

TEST(Fairness, optima__expect_those_of_the_figure) {
  for (uint32_t phase = 0; phase < 3; ++phase) {
    for (uint32_t node = 0; node < kFairNodes; ++node)
      EXPECT_NEAR(optimum_of(phase)[node], needs_of(phase)[node], 1e-9);
  }
  EXPECT_NEAR(optimum_of(3)[2], 1 - 0.1 - 1.0 / 3, 1e-9);
  EXPECT_NEAR(optimum_of(4)[0], 1 - 0.2 - 1.0 / 3, 1e-9);
  EXPECT_NEAR(optimum_of(4)[2], 0.2, 1e-9);
}

TEST(Fairness, jain_index__expect_one_of_equals_and_a_quarter_of_one_alone) {
  EXPECT_DOUBLE_EQ(jain_index({1, 1, 1, 1}), 1);
  EXPECT_DOUBLE_EQ(jain_index({1, 0, 0, 0}), 0.25);
}

FairnessReport report_of(double part) {
  FairnessReport report;
  report.room_bps = 1e9;
  for (uint32_t phase = 0; phase < kFairPhases; ++phase) {
    for (uint32_t node = 0; node < kFairNodes; ++node)
      report.achieved_bps[phase][node] = optimum_of(phase)[node] * 1e9;
  }
  report.achieved_bps[3][2] *= part;
  return report;
}

TEST(Fairness, one_sends_less_than_it_should__expect_its_part_as_the_least) {
  EXPECT_NEAR(report_of(1).least_part(), 1, 1e-9);
  EXPECT_NEAR(report_of(0.5).least_part(), 0.5, 1e-9);
  EXPECT_NEAR(report_of(1.5).most_part(), 1.5, 1e-9);
  EXPECT_LT(report_of(0.5).least_jain(), 0.95);
}

TEST(Fairness, read_a_report__expect_its_keys) {
  const Json object = object_of(readings_of(report_of(1), {}));
  for (const char* key : {"jain_index", "optimum_ratio", "lost", "repairs", "increase_rtts"})
    EXPECT_TRUE(object.contains(key)) << key;
  EXPECT_EQ(object["phases"].size(), kFairPhases);
}

TEST(Fairness, declared_lost__expect_it_not_sound) {
  FairnessReport report = report_of(1);
  EXPECT_TRUE(report.sound());
  report.lost = 1;
  EXPECT_FALSE(report.sound());
}

}  // namespace
}  // namespace lambdacast::bench
