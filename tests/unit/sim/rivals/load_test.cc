// SPDX-License-Identifier: BSD-3-Clause
#include "sim/rivals/load.h"

#include <gtest/gtest.h>

#include "loads.h"

namespace lambdacast::sim::rivals {
namespace {

TEST(Rivals, three_packets_of_headers__expect_them_counted) {
  EXPECT_EQ(wire_bytes(LoadRun{}), 10'000u + 3 * kHeaderBytes);
}

TEST(Rivals, loads_below_and_beyond_a_rival__expect_it_to_keep_up_with_the_first_alone) {
  LoadRun run;
  run.load_bps = 900'000'000;
  EXPECT_TRUE(measure_lcr(run).keeps_up());
  EXPECT_TRUE(measure_ring_paxos(run).keeps_up());
  run.load_bps = 1'000'000'000;  // more than one line, less than eight sevenths of it
  EXPECT_TRUE(measure_lcr(run).keeps_up());
  EXPECT_FALSE(measure_ring_paxos(run).keeps_up());
  run.load_bps = 1'100'000'000;
  EXPECT_FALSE(measure_lcr(run).keeps_up());
}

// Whatever the pace, and whoever sends: messages overtake each other's acknowledgements, and
// clocks are far apart.
TEST(Rivals, many_loads__expect_one_order_at_all_nodes) {
  for (const uint32_t nodes : {2, 3, 4, 7}) {
    for (const uint32_t senders : {1u, 2u, nodes}) {
      for (const uint64_t mbps : {50, 300, 700, 940}) {
        LoadRun run;
        run.nodes = nodes;
        run.senders = senders;
        run.load_bps = mbps * 1'000'000;
        run.message_bytes = static_cast<uint32_t>(500 + mbps * 7);
        run.warm_up_ns = run.measure_ns = 10'000'000;
        EXPECT_TRUE(measure_lcr(run).one_order) << nodes << ' ' << senders << ' ' << mbps;
        EXPECT_TRUE(measure_ring_paxos(run).one_order) << nodes << ' ' << senders << ' ' << mbps;
      }
    }
  }
}

TEST(Ledger, nodes_that_deliver_in_different_orders__expect_it_told) {
  LoadRun run;
  run.nodes = 2;
  run.warm_up_ns = 0;
  run.measure_ns = 1'000;
  LoadLedger ledger(run);
  ledger.published(0, 0);
  ledger.published(1, 100);
  ledger.delivered(0, 0, 0, 200);
  ledger.delivered(0, 1, 0, 300);
  ledger.delivered(1, 1, 0, 350);
  EXPECT_FALSE(ledger.figures(0).one_order);
}

TEST(Ledger, deliveries_at_a_sender_and_at_another_node__expect_the_senders_time_and_all_bits) {
  LoadRun run;
  run.nodes = 2;
  run.message_bytes = 1'000;
  run.measure_ns = 1'000'000;
  LoadLedger ledger(run);
  ledger.published(1, 2'000'000);
  ledger.delivered(0, 1, 0, 2'300'000);
  ledger.delivered(1, 1, 0, 2'400'000);
  const LoadFigures figures = ledger.figures(2'000'000);
  EXPECT_TRUE(figures.one_order);
  EXPECT_EQ(figures.published, 1u);
  EXPECT_EQ(figures.delivered, 1u);
  EXPECT_DOUBLE_EQ(figures.response_ns, 400'000);
  EXPECT_DOUBLE_EQ(figures.delivered_bps, 8e6);  // 8000 bits a millisecond at each
}

}  // namespace
}  // namespace lambdacast::sim::rivals
