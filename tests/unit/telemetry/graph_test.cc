// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/graph.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>

#include "support.h"

namespace lambdacast::telemetry {
namespace {

std::string graph_of(test::RunningRack& running) {
  return graph(take_snapshot(running.source(), {.stages = false}));
}

TEST(GraphTest, draw_two_endpoints__expect_stages_links_ports_and_lcores) {
  test::RunningRack running;
  const std::string text = graph_of(running);
  for (const char* part :
       {"subgraph \"cluster_node0\" {", "subgraph \"cluster_node1\" {",
        "\"node0.port\" -> \"node0.receive\";", "\"node1.rate_control\" -> \"node1.port\";",
        "\"node0.port\" -> fabric [dir=both, label=\"C21\"];",
        "lcore1 [shape=box3d, label=\"lcore 1\"];", "lcore1 -> \"node1.ordering\""}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << '\n' << text;
  }
  // How many frames of the other endpoint have come by now depends on the speed of its lcore.
  for (const char* link :
       {R"("node0\.receive" -> "node0\.reliability" \[label="received \d+"\];)",
        R"("node0\.reliability" -> "node0\.ordering" \[label="accepted \d+"\];)"})
    EXPECT_TRUE(std::regex_search(text, std::regex(link))) << link << '\n' << text;
}

TEST(GraphTest, draw_endpoints_without_an_application__expect_no_link_to_it) {
  test::RunningRack running;
  EXPECT_EQ(graph_of(running).find("application"), std::string::npos);
}

// What every statement of it looks like; dot itself reads it where it is there.
TEST(GraphTest, draw__expect_braces_and_quotes_in_pairs_and_dot_to_take_it) {
  test::RunningRack running;
  const std::string text = graph_of(running);
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
  EXPECT_EQ(std::count(text.begin(), text.end(), '"') % 2, 0);
  if (std::system("command -v dot >/dev/null") != 0) return;
  const std::string path = ::testing::TempDir() + "graph" + std::to_string(::getpid());
  std::ofstream(path) << text;
  EXPECT_EQ(std::system(("dot -Tsvg -o /dev/null " + path).c_str()), 0);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace lambdacast::telemetry
