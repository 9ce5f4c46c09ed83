// SPDX-License-Identifier: BSD-3-Clause
// The bounds of NACKs and repairs, and how long repair takes, in virtual time; and that mutants
// without the mechanisms that keep them exceed them.

#include <gtest/gtest.h>

#include "man_in_the_middle.h"
#include "sim/multicast/repair_run.h"

namespace lambdacast::sim {
namespace {

using Kind = FrameView::Kind;

constexpr size_t kSizes[] = {4, 8, 16, 32, 64};

// Whoever misses it: one receiver, or all because the transmitter lost it.
TEST(Repair, a_loss_in_a_thousand__expect_a_median_below_two_round_trips_and_p99_below_four) {
  for (const bool at_transmitter : {false, true}) {
    for (const size_t nodes : kSizes) {
      SCOPED_TRACE(nodes);
      const RepairFigures figures = measure_repair({.nodes = nodes,
                                                    .loss = 0.001,
                                                    .at_transmitter = at_transmitter,
                                                    .messages = nodes == 4 ? 20'000u : 4'000u});
      EXPECT_EQ(figures.delivered, figures.messages * (nodes - 1));
      EXPECT_LT(figures.p50_rtt, 2);
      EXPECT_LT(figures.p99_rtt, 4);
      EXPECT_TRUE(figures.repairs_bounded()) << figures.repairs_per_packet;
      if (at_transmitter) {
        EXPECT_TRUE(figures.nacks_bounded()) << figures.nacks_per_loss;
      }
    }
  }
}

// NACKs and repairs are lost as often.
TEST(Repair, a_loss_in_twenty__expect_no_stall_and_bounded_nacks_and_repairs) {
  for (const bool at_transmitter : {false, true}) {
    for (const size_t nodes : kSizes) {
      SCOPED_TRACE(nodes);
      const RepairFigures figures = measure_repair(
          {.nodes = nodes, .loss = 0.05, .at_transmitter = at_transmitter, .messages = 4000});
      EXPECT_EQ(figures.delivered, figures.messages * (nodes - 1));
      EXPECT_EQ(figures.declared_lost, 0u);
      EXPECT_LT(figures.p50_rtt, 2);
      EXPECT_LT(figures.stall_rtt, 20);
      EXPECT_TRUE(figures.repairs_bounded()) << figures.repairs_per_packet;
      if (at_transmitter) {
        EXPECT_TRUE(figures.nacks_bounded()) << figures.nacks_per_loss;
      }
    }
  }
}

const RepairRun kCommon{.nodes = 32, .loss = 0.02, .at_transmitter = true, .messages = 4000};

// Of the other receivers: no suppression, and nobody to leave the first asking to.
TEST(Repair, receivers_deaf_to_each_other__expect_the_bound_of_nacks_exceeded) {
  Hooks deaf;
  deaf.in = [](Middle& me, Bytes& frame) {
    const bool from_sender = frame[11] == 1;  // its MAC
    return me.index() == 0 || from_sender || kind_of(frame) == Kind::kData;
  };
  EXPECT_GT(measure_repair(kCommon, middle(deaf)).nacks_per_loss, 9);
}

TEST(Repair, nacks_of_others_not_heard__expect_the_bound_of_nacks_exceeded) {
  Hooks deaf;
  deaf.in = [](Middle& me, Bytes& frame) {
    return me.index() == 0 || kind_of(frame) != Kind::kNack;
  };
  EXPECT_GT(measure_repair(kCommon, middle(deaf)).nacks_per_loss, 9);
}

}  // namespace
}  // namespace lambdacast::sim
