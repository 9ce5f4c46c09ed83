// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/call_run.h"

#include <gtest/gtest.h>

namespace lambdacast::sim {
namespace call_run_test {

TEST(CallRun, with_sequencers__expect_every_call_answered_and_the_bounds_held) {
  const CallFigures figures = measure_calls({.nodes = 4, .calls = 20});
  EXPECT_GE(figures.grants, 20u);
  EXPECT_GE(figures.inside, 19u);
  EXPECT_EQ(figures.outside, 20u);
  EXPECT_GT(figures.inside_p50_ns, 2 * 5'000u) << "there, and back";
  EXPECT_GT(figures.outside_p50_ns, figures.inside_p50_ns) << "by way of an entry";
}

TEST(CallRun, with_a_ring__expect_every_call_answered) {
  const CallFigures figures =
      measure_calls({.nodes = 5, .calls = 20, .order = ordering::Order::kRing});
  EXPECT_GE(figures.grants, 20u);
  EXPECT_EQ(figures.outside, 20u);
}

}  // namespace call_run_test
}  // namespace lambdacast::sim
