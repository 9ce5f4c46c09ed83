// SPDX-License-Identifier: BSD-3-Clause
#include "sim/rivals/own.h"

#include <gtest/gtest.h>

namespace lambdacast::sim::rivals {
namespace {

LoadRun light(uint32_t nodes) {
  LoadRun run;
  run.nodes = nodes;
  run.load_bps = 10'000'000;  // a message each 8 ms
  run.senders = 1;
  run.warm_up_ns = 10'000'000;
  run.measure_ns = 40'000'000;
  return run;
}

// The message and its mark go one way each; a poll of each node comes on top.
TEST(OwnTest, one_sender_alone__expect_its_message_and_a_mark_whatever_the_number_of_nodes) {
  for (const uint32_t nodes : {2, 5}) {
    const LoadRun run = light(nodes);
    const LoadFigures figures = measure_own({.load = run, .level = wire::Qos::kTotallyOrdered});
    const double least = static_cast<double>(Lines::duration_ns(wire_bytes(run), run.line_bps)) +
                         2.0 * static_cast<double>(run.latency_ns);
    EXPECT_TRUE(figures.keeps_up()) << nodes;
    EXPECT_GT(figures.response_ns, 0.95 * least) << nodes;  // headers of fragments differ
    EXPECT_LT(figures.response_ns, 1.2 * least) << nodes;
  }
}

LoadRun all_send(uint32_t nodes) {
  LoadRun run;
  run.nodes = nodes;
  run.warm_up_ns = 10'000'000;
  run.measure_ns = 20'000'000;
  return run;
}

TEST(OwnTest, all_send_at_their_shares__expect_most_of_the_optimum) {
  const LoadRun run = all_send(3);
  for (const auto order : {ordering::Order::kSequencer, ordering::Order::kRing}) {
    const LoadFigures figures = measure_own({.load = run, .order = order, .ack_ns = 1'000'000});
    EXPECT_TRUE(figures.one_order);
    EXPECT_GT(figures.delivered_bps, 0.9 * optimum_bps(run));
    EXPECT_LT(figures.delivered_bps, optimum_bps(run));
  }
}

TEST(OwnTest, a_tenth_of_the_copies_is_lost__expect_repairs_charged_to_the_share) {
  const LoadRun run = all_send(2);
  const LoadFigures figures = measure_own({.load = run, .ack_ns = 1'000'000, .loss = 0.1});
  EXPECT_TRUE(figures.one_order);
  EXPECT_GT(figures.delivered_bps, 0.75 * optimum_bps(run));
  EXPECT_LT(figures.delivered_bps, 0.9 * optimum_bps(run));
}

TEST(OwnTest, one_sends_alone_at_its_line__expect_each_other_node_to_take_most_of_it) {
  LoadRun run = all_send(4);
  run.senders = 1;
  const LoadFigures figures = measure_own({.load = run, .ack_ns = 1'000'000, .alone = true});
  EXPECT_TRUE(figures.one_order);
  EXPECT_GT(figures.delivered_bps, 0.9 * static_cast<double>(run.line_bps));
}

}  // namespace
}  // namespace lambdacast::sim::rivals
