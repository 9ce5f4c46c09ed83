// SPDX-License-Identifier: BSD-3-Clause
#include "sim/rivals/ring_paxos.h"

#include <gtest/gtest.h>

#include "loads.h"

namespace lambdacast::sim::rivals {
namespace {

// To the coordinator, from it to all, through the acceptors, and the decision.
TEST(RingPaxosTest, alone__expect_two_messages_the_votes_and_the_decision) {
  for (const uint32_t nodes : {2, 3, 4, 5, 8}) {
    const LoadRun run = light(nodes);
    const LoadFigures figures = measure_ring_paxos(run);
    const uint32_t votes = RingPaxos::ring_size(nodes) - 1;
    EXPECT_TRUE(figures.keeps_up()) << nodes;
    EXPECT_NEAR(figures.response_ns, 2 * whole_ns(run) + (votes + 1) * control_ns(run), 1.0)
        << nodes;
  }
}

TEST(RingPaxosTest, four_and_five_nodes__expect_rings_of_three) {
  EXPECT_EQ(RingPaxos::ring_size(2), 2u);
  EXPECT_EQ(RingPaxos::ring_size(3), 2u);
  EXPECT_EQ(RingPaxos::ring_size(4), 3u);
  EXPECT_EQ(RingPaxos::ring_size(5), 3u);
  EXPECT_EQ(RingPaxos::ring_size(8), 5u);
}

// The coordinator's line carries each message once, with decisions in them.
TEST(RingPaxosTest, two_or_three_send__expect_the_coordinators_line_full) {
  for (const uint32_t nodes : {2, 3}) {
    const LoadRun run = saturated(nodes);
    const LoadFigures figures = measure_ring_paxos(run);
    const double most = static_cast<double>(run.line_bps) * run.message_bytes /
                        static_cast<double>(wire_bytes(run));
    EXPECT_TRUE(figures.one_order) << nodes;
    EXPECT_NEAR(figures.delivered_bps / most, 1.0, 0.005) << nodes;
  }
}

// With more than two acceptors some take votes beside all messages, and their lines are what is
// full; decisions that find no message to go with come on top.
TEST(RingPaxosTest, more_send__expect_the_lines_of_acceptors_full) {
  for (const uint32_t nodes : {4, 5, 8}) {
    const LoadRun run = saturated(nodes);
    const LoadFigures figures = measure_ring_paxos(run);
    const double bits = static_cast<double>(run.line_bps) * run.message_bytes;
    EXPECT_TRUE(figures.one_order) << nodes;
    const auto bytes = static_cast<double>(wire_bytes(run));
    EXPECT_LT(figures.delivered_bps, 1.002 * bits / (bytes + kControlBytes)) << nodes;
    EXPECT_GT(figures.delivered_bps, bits / (bytes + 4 * kControlBytes)) << nodes;
  }
}

}  // namespace
}  // namespace lambdacast::sim::rivals
