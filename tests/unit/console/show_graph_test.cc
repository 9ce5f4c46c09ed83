// SPDX-License-Identifier: BSD-3-Clause
#include "console/show_graph.h"

#include "../telemetry/support.h"
#include "console/grammar.h"

namespace lambdacast::console {
namespace {

TEST(ShowGraphTest, show_graph__expect_the_rack_that_runs) {
  telemetry::test::RunningRack running;
  Grammar grammar(show_graph_commands(running.source()));
  const Reply reply = grammar.run("show graph", Format::kText);
  EXPECT_TRUE(reply.ok);
  EXPECT_TRUE(reply.text.starts_with("digraph lambdacast {\n"));
  EXPECT_NE(reply.text.find("\"node1.ordering\""), std::string::npos);
  EXPECT_TRUE(grammar.run("show graph", Format::kJson).text.starts_with("{\"text\":\"digraph"));
}

}  // namespace
}  // namespace lambdacast::console
