// The bounds of NACKs and repairs, and how long repair takes, in virtual time; and that mutants
// without the mechanisms that keep them exceed them.

#include <gtest/gtest.h>

#include "man_in_the_middle.h"
#include "sim/repair_run.h"

namespace lambdacast::sim {
namespace {

using Kind = FrameView::Kind;

TEST(Repair, a_loss_in_a_thousand__expect_a_median_below_two_round_trips_and_p99_below_four) {
  const RepairFigures figures = measure_repair({.nodes = 4, .loss = 0.001});
  EXPECT_EQ(figures.delivered, 60'000u);
  EXPECT_LT(figures.p50_rtt, 2);
  EXPECT_LT(figures.p99_rtt, 4);
  EXPECT_TRUE(figures.repairs_bounded()) << figures.repairs_per_packet;
}

TEST(Repair, a_loss_in_twenty_with_many_receivers__expect_no_stall_and_bounded_repairs) {
  for (const size_t nodes : {4, 32}) {
    const RepairFigures figures = measure_repair({.nodes = nodes, .loss = 0.05, .messages = 4000});
    EXPECT_EQ(figures.declared_lost, 0u);
    EXPECT_LT(figures.stall_rtt, 20);
    EXPECT_TRUE(figures.repairs_bounded()) << figures.repairs_per_packet;
  }
}

const RepairRun kCommon{.nodes = 32, .loss = 0.02, .at_transmitter = true, .messages = 4000};

TEST(Repair, losses_at_the_transmitter__expect_few_nacks_and_one_repair_each) {
  const RepairFigures figures = measure_repair(kCommon);
  EXPECT_EQ(figures.delivered, 4000 * 31u);
  EXPECT_LE(figures.nacks_per_loss, 9);
  EXPECT_TRUE(figures.repairs_bounded()) << figures.repairs_per_packet;
}

// Of the other receivers: no suppression, and nobody to leave the first asking to.
TEST(Repair, receivers_deaf_to_each_other__expect_the_bound_of_nacks_exceeded) {
  Hooks deaf;
  deaf.in = [](Middle& me, Bytes& frame) {
    const bool from_sender = frame[11] == 1;  // its MAC
    return me.node() == 0 || from_sender || kind_of(frame) == Kind::kData;
  };
  EXPECT_GT(measure_repair(kCommon, middle(deaf)).nacks_per_loss, 9);
}

TEST(Repair, nacks_of_others_not_heard__expect_the_bound_of_nacks_exceeded) {
  Hooks deaf;
  deaf.in = [](Middle& me, Bytes& frame) {
    return me.node() == 0 || kind_of(frame) != Kind::kNack;
  };
  EXPECT_GT(measure_repair(kCommon, middle(deaf)).nacks_per_loss, 9);
}

}  // namespace
}  // namespace lambdacast::sim
