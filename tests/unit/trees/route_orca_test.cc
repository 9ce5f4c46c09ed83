// SPDX-License-Identifier: BSD-3-Clause
#include "tree_cases.h"

namespace lambdacast::trees {
namespace {

TEST(RouteOrca, fat_trees__expect_the_tree_and_what_the_filter_may_add) {
  for (const char* spec : {"fat-tree:4", "fat-tree:8"}) {
    const auto fabric = test::fabric_of(spec);
    const RouteContext context(fabric.graph, test::layers_of(fabric), {});
    test::for_each_tree(fabric, fabric.graph, 100, [&](const Tree& tree) {
      ASSERT_TRUE(can_say(Scheme::kOrca, context, tree));
      test::expect_said(Scheme::kOrca, context, tree, true);
    });
  }
}

// 1 % of the racks that the pods' switches ask for, and 9.6 bits for each receiver's rack. The
// bound is 5 standard deviations of 40 000 questions or so above.
TEST(RouteOrca, many_trees__expect_few_racks_beside_the_trees) {
  const auto fabric = test::fabric_of("fat-tree:16");
  const RouteContext context(fabric.graph, test::layers_of(fabric), {});
  size_t added = 0, asked = 0;
  test::for_each_tree(fabric, fabric.graph, 400, [&](const Tree& tree) {
    Bits header;
    encode(Scheme::kOrca, context, tree, header);
    size_t racks = 0, pods = 0;
    for (const Tree::Branch& branch : tree.branches) {
      racks += branch.receiver ? 1 : 0;
      pods += fabric.layer[branch.node] == 1 ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(header.size()),
                1 + 16 + 16 + 9.585 * static_cast<double>(racks), 17);
    const auto upward = [&](NodeId node) {
      for (const Tree::Branch& branch : tree.branches) {
        if (branch.arc != kNone && fabric.graph.from(branch.arc) == node &&
            fabric.layer[branch.node] > fabric.layer[node])
          return branch.arc;
      }
      return kNone;
    };
    const Delivery found = deliver(Scheme::kOrca, context, tree.root().node, header, upward);
    added += found.racks.size() - racks;
    asked += pods * 8 - racks;
  });
  EXPECT_GT(asked, 10'000u);
  EXPECT_LT(static_cast<double>(added) / static_cast<double>(asked), 0.013);
  EXPECT_GT(added, 0u) << "a filter that adds nothing is none";
}

TEST(RouteOrca, no_fat_tree__expect_no_header) {
  for (const char* spec : {"spine-leaf:9,4", "jellyfish:30,75"}) {
    const auto fabric = test::fabric_of(spec);
    const RouteContext context(fabric.graph, test::layers_of(fabric), {});
    test::for_each_tree(fabric, fabric.graph, 3, [&](const Tree& tree) {
      EXPECT_FALSE(can_say(Scheme::kOrca, context, tree));
    });
  }
}

}  // namespace
}  // namespace lambdacast::trees
