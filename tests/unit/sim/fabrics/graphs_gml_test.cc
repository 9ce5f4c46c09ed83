// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/graphs_gml.h"

#include <gtest/gtest.h>

namespace lambdacast::sim::fabrics {
namespace {

std::string error_of(std::string_view text) {
  const auto parsed = parse_gml(text, "net.gml");
  return parsed ? "parsed" : parsed.error().message;
}

TEST(GraphsGml, nodes_and_edges_in_any_order__expect_graph_and_labels) {
  const auto parsed = parse_gml(
      "# a comment with [ and \"\n"
      "Creator \"nobody\"\n"
      "graph [ directed 0 Note \"two\nlines\"\n"
      "  edge [ source 7 target -2 LinkLabel \"x [ y\" ]\n"
      "  node [ id 7 label \"Ost\" graphics [ x 1.5e3 center [ y -2 ] ] ]\n"
      "  node [ id -2 ]\n"
      "  node [ id 3 label 5 ]\n"
      "  edge [ target 3 source 7 ] edge[source 3 target 7]\n"
      "]\n",
      "net.gml");
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->labels, (std::vector<std::string>{"Ost", "-2", "3"}));
  EXPECT_EQ(parsed->graph.nodes(), 3u);
  ASSERT_EQ(parsed->graph.links(), 2u) << "a double counts once";
  EXPECT_EQ(parsed->graph.link(0), (congest::Link{0, 1}));
  EXPECT_EQ(parsed->graph.link(1), (congest::Link{0, 2}));
}

TEST(GraphsGml, errors__expect_file_line_and_reason) {
  EXPECT_EQ(error_of(""), "net.gml:1: no 'graph [' in it");
  EXPECT_EQ(error_of("x"), "net.gml:1: a key without a value");
  EXPECT_EQ(error_of("graph [ ]\n"), "net.gml:2: a graph without a node");
  EXPECT_EQ(error_of("graph\n5"), "net.gml:2: '5' where '[' behind 'graph' is wanted");
  EXPECT_EQ(error_of("graph [\n node [ id 1 ]\n"), "net.gml:1: 'graph [' without its ']'");
  EXPECT_EQ(error_of("graph [\n node [\n id x ] ]"),
            "net.gml:3: 'x' where the number of 'id' is wanted");
  EXPECT_EQ(error_of("graph [ node [ id 1.5 ] ]"),
            "net.gml:1: '1.5' is no whole number of 64 bits");
  EXPECT_EQ(error_of("graph [ node [ id 99999999999999999999 ] ]"),
            "net.gml:1: '99999999999999999999' is no whole number of 64 bits");
  EXPECT_EQ(error_of("graph [\n node [ label \"a\" ] ]"), "net.gml:2: a node without an id");
  EXPECT_EQ(error_of("graph [ node [ id 1 ]\n node [ id 1 ] ]"),
            "net.gml:2: a second node with id 1");
  EXPECT_EQ(error_of("graph [ node [ id 1 ]\n\nedge [ source 1 target 2 ] ]"),
            "net.gml:3: an edge of node 2, which is not there");
  EXPECT_EQ(error_of("graph [ node [ id 1 ]\n edge [ source 1 ] ]"),
            "net.gml:2: an edge without a target");
  EXPECT_EQ(error_of("graph [ node [ id 1 ]\n edge [ target 1 ] ]"),
            "net.gml:2: an edge without a source");
  EXPECT_EQ(error_of("graph [ node [ id 1 ]\n edge [ source 1 target 1 ] ]"),
            "net.gml:2: an edge from node 1 to itself");
  EXPECT_EQ(error_of("graph [ node [ id 1 ] ]\ngraph [ ]"),
            "net.gml:2: a second graph: one is allowed");
  EXPECT_EQ(error_of("graph [\n label \"x"), "net.gml:2: a string without its end");
  EXPECT_EQ(error_of("graph [ ] ]"), "net.gml:1: ']' where a key is wanted");
  EXPECT_EQ(error_of("graph [ x\n [ [ ] "), "net.gml:2: '[' without its ']'");
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
