// SPDX-License-Identifier: BSD-3-Clause
#include "trees/route.h"

#include "tree_cases.h"

namespace lambdacast::trees {
namespace {

TEST(Bits, numbers__expect_them_back_and_an_overrun_behind_the_end) {
  Bits bits;
  bits.push(0x5a5, 11);
  bits.push(true);
  bits.push(~uint64_t{0}, 64);
  Bits more;
  more.push(2, 3);
  bits.append(more);
  const size_t at = bits.extend(2);
  bits.set(at + 1);
  EXPECT_EQ(bits.size(), 81u);
  EXPECT_EQ(bits.bytes(), 11u);
  BitReader reader(bits);
  EXPECT_EQ(reader.number(11), 0x5a5u);
  EXPECT_TRUE(reader.bit());
  EXPECT_EQ(reader.number(64), ~uint64_t{0});
  EXPECT_EQ(reader.number(3), 2u);
  EXPECT_EQ(reader.number(2), 1u);
  EXPECT_TRUE(reader.ended());
  EXPECT_FALSE(reader.overrun());
  EXPECT_FALSE(reader.bit());
  EXPECT_TRUE(reader.overrun());
  EXPECT_EQ(bits_for(1), 0u);
  EXPECT_EQ(bits_for(2), 1u);
  EXPECT_EQ(bits_for(64), 6u);
  EXPECT_EQ(bits_for(65), 7u);
}

// Two upward links from the root's rack: Elmo's way up is one.
TEST(Route, tree_of_two_ways_up__expect_that_elmo_and_orca_cannot_say_it) {
  const auto fabric = test::fabric_of("fat-tree:4");  // racks 0-7, pods' switches 8-15
  const RouteContext context(fabric.graph, test::layers_of(fabric), {});
  const Graph& graph = fabric.graph;
  Tree tree;
  tree.branches = {
      {.node = 0, .first_child = 1, .children = 2},
      {.node = 8, .arc = graph.arc(0, 0), .parent = 0, .first_child = 3, .children = 1},
      {.node = 9, .arc = graph.arc(0, 1), .parent = 0},
      {.node = 1, .arc = graph.arc(8, 1), .parent = 1, .receiver = true}};
  EXPECT_FALSE(can_say(Scheme::kElmo, context, tree));
  EXPECT_FALSE(can_say(Scheme::kOrca, context, tree));
  EXPECT_TRUE(can_say(Scheme::kNaive, context, tree));
  EXPECT_TRUE(can_say(Scheme::kFrancis, context, tree));
  EXPECT_TRUE(can_say(Scheme::kSlices, context, tree));
}

TEST(Route, context__expect_most_ports_and_ports_downwards_by_layer) {
  const auto fabric = test::fabric_of("fat-tree:8");
  const RouteContext context(fabric.graph, test::layers_of(fabric), {});
  EXPECT_EQ(context.most_ports, 8u);
  EXPECT_EQ(context.down_ports, (std::vector<uint32_t>{0, 4, 8}));
  EXPECT_TRUE(context.layers.has_servers(0));
  EXPECT_FALSE(context.layers.has_servers(79));
}

}  // namespace
}  // namespace lambdacast::trees
