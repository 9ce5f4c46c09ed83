// SPDX-License-Identifier: BSD-3-Clause
// What the levels of service cost in virtual time, and what does not grow: neither latency with the
// number of members, nor acknowledgements with the rate of messages.

#include <gtest/gtest.h>

#include "sim/multicast/order_run.h"

namespace lambdacast::sim {
namespace {

using wire::Qos;

struct Times {  // source ordered's latency
  double p50 = 0;
  double p99 = 0;
};

Times times(size_t nodes, Qos level) {
  const OrderFigures source = measure_order({.nodes = nodes, .level = Qos::kSourceOrdered});
  const OrderFigures figures = measure_order({.nodes = nodes, .level = level});
  EXPECT_TRUE(source.sound());
  EXPECT_TRUE(figures.sound());
  return {static_cast<double>(figures.p50_ns) / static_cast<double>(source.p50_ns),
          static_cast<double>(figures.p99_ns) / static_cast<double>(source.p99_ns)};
}

TEST(Order, levels_at_three_to_eight_nodes__expect_their_latency_bounded_and_not_to_grow) {
  constexpr struct {
    Qos level;
    double most;
  } kBounds[] = {{Qos::kTotallyOrdered, 2.3}, {Qos::kTotallyResilient, 3.5}};
  for (const auto& bound : kBounds) {
    const Times fewest = times(3, bound.level);
    for (size_t nodes = 3; nodes <= 8; ++nodes) {
      SCOPED_TRACE(testing::Message()
                   << "level " << static_cast<int>(bound.level) << ", " << nodes);
      const Times now = times(nodes, bound.level);
      EXPECT_LE(now.p50, bound.most);
      EXPECT_LE(now.p99, bound.most);
      EXPECT_LE(now.p50, 1.2 * fewest.p50);
      EXPECT_LE(now.p99, 1.2 * fewest.p99);
    }
  }
}

TEST(Order, four_times_as_many_messages__expect_no_more_acknowledgements) {
  for (const size_t nodes : {3, 8}) {
    SCOPED_TRACE(nodes);
    OrderRun run{.nodes = nodes, .level = Qos::kTotallyResilient};
    run.every_ns = 2'000;
    run.messages = 5'000;
    const OrderFigures some = measure_order(run);
    run.every_ns = 500;
    run.messages = 20'000;
    const OrderFigures many = measure_order(run);
    EXPECT_TRUE(some.sound() && many.sound());
    EXPECT_LE(many.acks_per_ms, 1.05 * some.acks_per_ms);
    EXPECT_LE(many.acks_per_ms, 1.05 * 1e6 / static_cast<double>(run.ack_ns));
  }
}

// What does not fit a packet goes in parts: votes of 80 positions, and acknowledgements of as many.
TEST(Order, eighty_nodes_at_small_path_mtus__expect_one_view_and_everything_delivered) {
  constexpr struct {
    uint32_t path_mtu;
    Qos level;
  } kRuns[] = {
      {512, Qos::kTotallyOrdered}, {512, Qos::kTotallyResilient}, {256, Qos::kTotallyResilient}};
  for (const auto& [path_mtu, level] : kRuns) {
    SCOPED_TRACE(testing::Message()
                 << "level " << static_cast<int>(level) << ", path MTU " << path_mtu);
    const OrderFigures figures =
        measure_order({.nodes = 80, .level = level, .path_mtu = path_mtu, .messages = 10});
    EXPECT_TRUE(figures.one_view);
    EXPECT_EQ(figures.delivered, figures.expected);
  }
}

// A node whose acknowledgements wait for its next heartbeat, as it were: the bound must notice.
TEST(Order, acknowledgements_that_dawdle__expect_the_bound_exceeded) {
  OrderRun run{.nodes = 4, .level = Qos::kTotallyResilient};
  run.ack_ns = 90'000;
  const OrderFigures figures = measure_order(run);
  EXPECT_TRUE(figures.sound());
  EXPECT_GT(figures.p50_ns, 3.5 * static_cast<double>(run.latency_ns));
}

}  // namespace
}  // namespace lambdacast::sim
