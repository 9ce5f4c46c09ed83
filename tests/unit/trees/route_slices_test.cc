// SPDX-License-Identifier: BSD-3-Clause
#include "tree_cases.h"

namespace lambdacast::trees {
namespace {

TEST(RouteSlices, random_trees__expect_each_header_to_say_its_tree) {
  test::expect_all_said(Scheme::kSlices);
}

// A star has ports for every form: one, some, many and all but a few.
TEST(RouteSlices, any_number_of_ports__expect_each_header_to_say_its_tree) {
  const auto fabric = test::fabric_of("spine-leaf:70,1");
  const RouteContext context(fabric.graph, test::layers_of(fabric), {});
  SetCoverTrees builder(fabric.graph);
  builder.root(0);
  size_t greatest = 0;
  for (NodeId receivers = 1; receivers < 70; ++receivers) {
    std::vector<NodeId> racks;
    for (NodeId rack = 1; rack <= receivers; ++rack) racks.push_back(rack);
    Tree tree;
    builder.build(racks, 0, tree);
    test::expect_said(Scheme::kSlices, context, tree);
    Bits header;
    encode(Scheme::kSlices, context, tree, header);
    greatest = std::max(greatest, header.size());
  }
  // The rack's: one port of one; the spine's: a bitmap of 69. Each says that all are last ones, but
  // the rack's child has no servers.
  EXPECT_EQ(greatest, 2 + (2 + 69 + 1u));
}

// To one rack of another pod of a fat-tree: five switches, four of them with a rule of one port.
TEST(RouteSlices, one_receiver__expect_a_port_a_hop) {
  const auto fabric = test::fabric_of("fat-tree:8");
  const RouteContext context(fabric.graph, test::layers_of(fabric), {});
  SetCoverTrees builder(fabric.graph);
  builder.root(0);
  Tree tree;
  builder.build(std::vector<NodeId>{31}, 0, tree);
  Bits header;
  encode(Scheme::kSlices, context, tree, header);
  // The rules are of 4, 7, 7 and 7 ports; the last one says that its child is a last switch.
  EXPECT_EQ(header.size(), (2 + 2) + (2 + 3) + (2 + 3) + (2 + 3 + 1u));
}

TEST(RouteSlices, no_receiver__expect_no_bits) {
  const auto fabric = test::fabric_of("ring:5");
  const RouteContext context(fabric.graph, test::layers_of(fabric), {});
  SetCoverTrees builder(fabric.graph);
  builder.root(0);
  Tree tree;
  builder.build({}, 0, tree);
  Bits header;
  header.push(true);
  encode(Scheme::kSlices, context, tree, header);
  EXPECT_EQ(header.size(), 0u);
  test::expect_said(Scheme::kSlices, context, tree);
}

// The end comes early: a switch notices, and nothing is read behind it.
TEST(RouteSlices, shortened_header__expect_malformed) {
  const auto fabric = test::fabric_of("fat-tree:8");
  const RouteContext context(fabric.graph, test::layers_of(fabric), {});
  Bits header;
  header.push(false);
  EXPECT_TRUE(deliver(Scheme::kSlices, context, 0, header, nullptr).malformed);
}

}  // namespace
}  // namespace lambdacast::trees
