// SPDX-License-Identifier: BSD-3-Clause
// The agreement on rates in virtual time, against its bounds: how long a higher need takes to be
// granted, and how much members send while their needs change.

#include <gtest/gtest.h>

#include "sim/multicast/loss_run.h"
#include "sim/multicast/rate_run.h"

namespace lambdacast::sim {
namespace {

TEST(RateBounds, needs_are_raised_at_rest_and_under_load__expect_them_granted_in_time) {
  for (const bool loaded : {false, true}) {
    for (const size_t nodes : {3, 5, 16}) {
      SCOPED_TRACE(testing::Message() << nodes << (loaded ? " nodes, loaded" : " nodes, at rest"));
      const RaiseRun run{.nodes = nodes, .loaded = loaded, .raises = 2 * nodes};
      const RaiseFigures figures = measure_raises(run);
      EXPECT_TRUE(figures.sound());
      EXPECT_GE(figures.p50_ns, 3 * run.latency_ns);
      EXPECT_LE(figures.max_ns, raise_bound_ns(run));
    }
  }
}

TEST(RateBounds, a_view_of_32__expect_a_raise_to_take_no_longer) {
  const RaiseRun run{.nodes = 32, .raises = 4};
  const RaiseFigures figures = measure_raises(run);
  EXPECT_TRUE(figures.sound());
  EXPECT_LE(figures.max_ns, raise_bound_ns(run));
}

TEST(RateBounds, fastcasts_figure__expect_all_near_the_optimum_and_nothing_dropped) {
  const FigureFigures figures = measure_figure({});
  EXPECT_TRUE(figures.one_view);
  EXPECT_GE(figures.least_part(), 0.99);
  EXPECT_LE(figures.most_part(), 1.01);
  EXPECT_GE(figures.least_jain(), 0.999);
  EXPECT_EQ(figures.dropped, 0u);
  EXPECT_EQ(figures.repairs, 0u);
  ASSERT_EQ(figures.raise_ns.size(), 2u);
  for (const uint64_t ns : figures.raise_ns) EXPECT_LE(ns, 20 * 2 * FigureRun{}.latency_ns);
}

// Repairs are within the share of their sender: at nine tenths of it there is room for them.
TEST(RateBounds, one_copy_of_a_hundred_is_lost__expect_order_half_as_slow_again_at_most) {
  LossRun run{.nodes = 4, .duration_ns = 20'000'000};
  const LossFigures whole = measure_loss(run);
  run.loss = 0.01;
  const LossFigures lossy = measure_loss(run);
  EXPECT_TRUE(whole.sound());
  EXPECT_TRUE(lossy.sound());
  EXPECT_EQ(whole.repairs, 0u);
  EXPECT_GE(lossy.repairs, whole.accepted / 100);
  EXPECT_GE(lossy.p99_ns, 2 * whole.p50_ns);
  EXPECT_LE(lossy.p50_ns, whole.p50_ns * 3 / 2);
}

// The bound is none for links that are twice as long.
TEST(RateBounds, links_twice_as_long_as_said__expect_the_bound_exceeded) {
  RaiseRun run;
  run.latency_ns = 20'000;
  const RaiseFigures figures = measure_raises(run);
  EXPECT_TRUE(figures.sound());
  run.latency_ns = 10'000;
  EXPECT_GT(figures.max_ns, raise_bound_ns(run));
}

}  // namespace
}  // namespace lambdacast::sim
