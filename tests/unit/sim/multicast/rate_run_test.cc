// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/rate_run.h"

#include <gtest/gtest.h>

namespace lambdacast::sim {
namespace {

TEST(RateRun, optima_of_the_figure__expect_max_min_fair_shares) {
  for (size_t plateau = 0; plateau < 3; ++plateau) {
    for (size_t node = 0; node < kFigureNodes; ++node)
      EXPECT_NEAR(figure_optimum(plateau)[node], figure_needs(plateau)[node], 1e-9);
  }
  EXPECT_NEAR(figure_optimum(3)[2], 1 - 0.1 - 1.0 / 3, 1e-9);
  EXPECT_NEAR(figure_optimum(4)[0], 1 - 0.2 - 1.0 / 3, 1e-9);
}

TEST(RateRun, jain_index__expect_one_of_equals_and_a_quarter_of_one_alone) {
  EXPECT_DOUBLE_EQ(jain_index({1, 1, 1, 1}), 1);
  EXPECT_DOUBLE_EQ(jain_index({1, 0, 0, 0}), 0.25);
}

TEST(RateRun, one_sends_less_than_it_should__expect_its_part_as_the_least) {
  FigureFigures figures;
  for (FigureRates& parts : figures.parts) parts.fill(1);
  figures.parts[3][2] = 0.5;
  figures.parts[4][1] = 1.5;
  EXPECT_EQ(figures.least_part(), 0.5);
  EXPECT_EQ(figures.most_part(), 1.5);
  EXPECT_LT(figures.least_jain(), 0.97);
}

TEST(RateRun, raise_a_need__expect_three_links_at_least) {
  const RaiseRun run{.nodes = 3, .latency_ns = 7'000, .raises = 3};
  const RaiseFigures figures = measure_raises(run);
  EXPECT_TRUE(figures.sound());
  EXPECT_EQ(figures.asked, 3u);
  EXPECT_GE(figures.p50_ns, 2 * run.latency_ns);
  EXPECT_LE(figures.p50_ns, figures.max_ns);
}

// It would measure when statuses open the window.
TEST(RateRun, windows_too_small_for_the_load__expect_no_sound_figures) {
  const RaiseFigures figures =
      measure_raises({.nodes = 4, .loaded = true, .window_pkts = 64, .raises = 2});
  EXPECT_TRUE(figures.one_view);
  EXPECT_GT(figures.windows_closed, 0u);
  EXPECT_FALSE(figures.sound());
}

TEST(RateRun, a_small_buffer__expect_frames_dropped) {
  const FigureFigures figures = measure_figure({.plateau_ns = 10'000'000, .buffer_bytes = 4'186});
  EXPECT_GT(figures.dropped, 0u);
  EXPECT_GT(figures.most_waiting_bytes, 4'186u);
}

}  // namespace
}  // namespace lambdacast::sim
