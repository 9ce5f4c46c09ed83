// SPDX-License-Identifier: BSD-3-Clause
#include "sim/rivals/lcr.h"

#include <gtest/gtest.h>

#include "loads.h"

namespace lambdacast::sim::rivals {
namespace {

// The message goes N - 1 hops to the node before its sender, and one acknowledgement the last one.
TEST(LcrTest, alone__expect_all_hops_of_the_ring) {
  for (const uint32_t nodes : {2, 3, 4, 8}) {
    const LoadRun run = light(nodes);
    const LoadFigures figures = measure_lcr(run);
    EXPECT_TRUE(figures.keeps_up()) << nodes;
    EXPECT_NEAR(figures.response_ns, (nodes - 1) * whole_ns(run) + control_ns(run), 1.0) << nodes;
  }
}

// Each line of the ring carries the messages of all but one node, and as many acknowledgements.
TEST(LcrTest, all_send__expect_every_line_full) {
  for (const uint32_t nodes : {2, 3, 5, 8}) {
    const LoadRun run = saturated(nodes);
    const LoadFigures figures = measure_lcr(run);
    const double bytes = static_cast<double>(wire_bytes(run) + kControlBytes);
    const double most = optimum_bps(run) * run.message_bytes / bytes;
    EXPECT_TRUE(figures.one_order) << nodes;
    EXPECT_NEAR(figures.delivered_bps / most, 1.0, 0.005) << nodes;
  }
}

}  // namespace
}  // namespace lambdacast::sim::rivals
