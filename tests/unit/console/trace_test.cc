// SPDX-License-Identifier: BSD-3-Clause
#include "console/trace.h"

#include "../telemetry/lossy_rack.h"
#include "console/grammar.h"

namespace lambdacast::console {
namespace {

TEST(TraceTest, trace_a_repair__expect_the_life_of_the_newest_packet_that_was_lost) {
  telemetry::test::LossyRack running;
  Grammar grammar(trace_commands(running.source()));
  const std::string text = grammar.run("trace repair node0");
  EXPECT_EQ(text.rfind("packet ", 0), 0u) << text;
  EXPECT_NE(text.find(" of node0\n"), std::string::npos) << text;
  size_t at = 0;
  for (const char* step : {"node0     sent", "node1     missed", "node1     delivered"}) {
    at = text.find(step, at);
    ASSERT_NE(at, std::string::npos) << step << " in\n" << text;
  }
  const std::string number = text.substr(7, text.find(' ', 7) - 7);
  EXPECT_EQ(grammar.run("trace repair node0 " + number), text);
}

TEST(TraceTest, trace_what_was_not_lost__expect_a_sentence) {
  telemetry::test::RunningRack running;
  Grammar grammar(trace_commands(running.source()));
  EXPECT_EQ(grammar.run("trace repair node1"), "No packet of node1 was lost of late.\n");
  EXPECT_EQ(grammar.run("trace repair node1 77"), "Nothing is noted of packet 77 of node1.\n");
  const std::string wrong = grammar.run("trace repair node1 7x");
  EXPECT_NE(wrong.find("REL_SEQ: 7x is not a number"), std::string::npos) << wrong;
  EXPECT_NE(grammar.run("trace repair node9").find("usage: trace repair ENDPOINT [REL_SEQ]"),
            std::string::npos);
}

}  // namespace
}  // namespace lambdacast::console
