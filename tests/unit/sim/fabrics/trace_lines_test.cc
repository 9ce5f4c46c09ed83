// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/trace_lines.h"

#include <gtest/gtest.h>

namespace lambdacast::sim::fabrics {
namespace {

TEST(TraceLines, frames_of_clocks__expect_their_parts) {
  clock_sync::Frame frame;
  EXPECT_EQ(text_of(frame), "nothing");
  frame.has_flood = frame.child = true;
  frame.flood = {.generation = 3, .time_ns = 9, .address = 12};
  frame.items = 1;
  frame.item[0] = {.kind = clock_sync::ItemKind::kEcho, .root = 7, .first = 2};
  frame.number = 5;
  EXPECT_EQ(text_of(frame), "flood 3 of 12 as a child, echo of 7 2, number 5");
}

TEST(TraceLines, frames_of_message_passing__expect_action_and_message) {
  EXPECT_EQ(text_of(congest::Frame{}), "acknowledgement");
  congest::Frame frame{.action = congest::Action::kMessage, .sequence = 4};
  frame.message.words = {1, 2, 3};
  EXPECT_EQ(text_of(frame), "message 4 1 2 3, even round");
}

TEST(TraceLines, frames_that_mend_trees__expect_their_records) {
  trees::RepairFrame frame{.name = {2, 9}, .numbered = true, .acknowledges = true, .asks = true};
  frame.next = 6;
  frame.body = {7, 5, 0};
  frame.bytes = 3;
  EXPECT_EQ(text_of(frame),
            "flood 2 of 9, asks, number 0, keep, end of round, acknowledges up to 6");
}

TEST(TraceLines, line__expect_time_ends_and_fate) {
  const congest::Graph graph(3, {{0, 1}, {1, 2}});
  Transit transit{.start_ns = 400};
  EXPECT_EQ(trace_line(graph, graph.arc(1, 1), transit, "x"), "400 ns  1 -> 2  x; lost");
  transit.copies = 1;
  EXPECT_EQ(trace_line(graph, graph.arc(0, 0), transit, "x"), "400 ns  0 -> 1  x");
  transit.copies = 2;
  EXPECT_EQ(trace_line(graph, graph.arc(0, 0), transit, "x"), "400 ns  0 -> 1  x; twice");
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
