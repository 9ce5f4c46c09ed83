// SPDX-License-Identifier: BSD-3-Clause
#include "tree_cases.h"

namespace lambdacast::trees {
namespace {

TEST(RouteElmo, trees_that_go_up_and_then_down__expect_each_header_to_say_its_tree) {
  for (const char* spec : test::kSmallGraphs) {
    SCOPED_TRACE(spec);
    const auto fabric = test::fabric_of(spec);
    const RouteContext context(fabric.graph, test::layers_of(fabric), {});
    test::for_each_tree(fabric, fabric.graph, 50, [&](const Tree& tree) {
      ASSERT_TRUE(can_say(Scheme::kElmo, context, tree));
      test::expect_said(Scheme::kElmo, context, tree);
    });
  }
}

TEST(RouteElmo, few_sharers_or_redundancy__expect_the_tree_and_what_redundancy_may_add) {
  for (const char* spec : {"fat-tree:8", "jellyfish:30,75"}) {
    const auto fabric = test::fabric_of(spec);
    for (const uint32_t redundancy : {0u, 2u, 6u}) {
      const RouteContext context(fabric.graph, test::layers_of(fabric),
                                 {.elmo_sharers = 2, .elmo_redundancy = redundancy});
      // Without layers a port too many may send the packet round: this is Elmo's in Clos alone.
      if (redundancy != 0 && !fabric.clos()) continue;
      test::for_each_tree(fabric, fabric.graph, 30, [&](const Tree& tree) {
        test::expect_said(Scheme::kElmo, context, tree, redundancy != 0);
      });
    }
  }
}

// Racks 4 and 5 of pod 1 and 8 and 9 of pod 2, from pod 0: the pods share a bitmap.
TEST(RouteElmo, two_pods__expect_a_bitmap_shared_or_two) {
  const auto fabric = test::fabric_of("fat-tree:8");
  SetCoverTrees builder(fabric.graph);
  builder.root(0);
  Tree tree;
  builder.build(std::vector<NodeId>{4, 5, 8, 9}, 0, tree);
  const size_t up = 1 + (4 + 1) + 8;  // rack, pod's switch, core of 8 pods
  Bits header;
  const RouteContext shared(fabric.graph, test::layers_of(fabric), {});
  encode(Scheme::kElmo, shared, tree, header);
  EXPECT_EQ(header.size(), up + (1 + 4 + 3 + 1 + 3 + 1) + 1);
  const RouteContext alone(fabric.graph, test::layers_of(fabric), {.elmo_sharers = 1});
  encode(Scheme::kElmo, alone, tree, header);
  EXPECT_EQ(header.size(), up + 2 * (1 + 4 + 3 + 1) + 1);
}

// Racks 4 of pod 1 and 9 of pod 2: one bitmap for both, if each may have a port that is not its
// own.
TEST(RouteElmo, redundancy_of_1__expect_one_bitmap_and_both_racks_of_both_pods) {
  const auto fabric = test::fabric_of("fat-tree:8");
  SetCoverTrees builder(fabric.graph);
  builder.root(0);
  Tree tree;
  builder.build(std::vector<NodeId>{4, 9}, 0, tree);
  const RouteContext context(fabric.graph, test::layers_of(fabric), {.elmo_redundancy = 1});
  Bits header;
  encode(Scheme::kElmo, context, tree, header);
  EXPECT_EQ(header.size(), 1 + (4 + 1) + 8 + (1 + 4 + 3 + 1 + 3 + 1) + 1u);
  test::expect_said(Scheme::kElmo, context, tree, true);
}

}  // namespace
}  // namespace lambdacast::trees
