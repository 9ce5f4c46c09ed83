// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/order_run.h"

#include <gtest/gtest.h>

namespace lambdacast::sim {
namespace {

using wire::Qos;

TEST(OrderRun, source_ordered__expect_the_latency_of_a_link) {
  const OrderFigures figures =
      measure_order({.nodes = 3, .level = Qos::kSourceOrdered, .messages = 100});
  EXPECT_TRUE(figures.sound());
  EXPECT_EQ(figures.expected, 100u);
  EXPECT_EQ(figures.p50_ns, 5'000u);
  EXPECT_EQ(figures.marks_per_message, 0);
}

TEST(OrderRun, totally_ordered__expect_two_links_and_a_mark_for_each_message) {
  const OrderFigures figures = measure_order({.nodes = 5, .messages = 100, .latency_ns = 20'000});
  EXPECT_TRUE(figures.sound());
  EXPECT_EQ(figures.expected, 300u);
  EXPECT_GE(figures.p50_ns, 40'000u);
  EXPECT_LE(figures.p50_ns, figures.p99_ns);
  EXPECT_EQ(figures.marks_per_message, 1);
}

TEST(OrderRun, many_messages_a_poll__expect_fewer_marks_than_messages) {
  const OrderFigures figures =
      measure_order({.nodes = 4, .messages = 5'000, .every_ns = 100, .poll_ns = 1'000});
  EXPECT_TRUE(figures.sound());
  EXPECT_LT(figures.marks_per_message, 0.2);
}

}  // namespace
}  // namespace lambdacast::sim
