// SPDX-License-Identifier: BSD-3-Clause
// The encodings whose rules begin with an id.
#include "tree_cases.h"

namespace lambdacast::trees {
namespace {

TEST(RouteRules, naive__expect_each_header_to_say_its_tree) {
  test::expect_all_said(Scheme::kNaive);
}
TEST(RouteRules, francis__expect_each_header_to_say_its_tree) {
  test::expect_all_said(Scheme::kFrancis);
}

// From rack 0 by the first switch of pod 0 to rack 1: two rules.
TEST(RouteRules, two_rules__expect_their_bits) {
  const auto fabric = test::fabric_of("fat-tree:8");  // 80 switches: 7 bits
  const RouteContext context(fabric.graph, test::layers_of(fabric), {});
  SetCoverTrees builder(fabric.graph);
  builder.root(0);
  Tree tree;
  builder.build(std::vector<NodeId>{1}, 0, tree);
  Bits header;
  // The rack has 4 ports (a list is no shorter) and servers, the pod's switch 8 (a list is).
  encode(Scheme::kNaive, context, tree, header);
  EXPECT_EQ(header.size(), (1 + 7 + 1 + 1 + 4) + (1 + 7 + 1 + 3 + 3) + 1u);
  encode(Scheme::kFrancis, context, tree, header);
  EXPECT_EQ(header.size(), (1 + 7 + 1 + 4) + (1 + 7 + 8) + 1u);
  EXPECT_EQ(header.bytes(), 4u);
}

}  // namespace
}  // namespace lambdacast::trees
