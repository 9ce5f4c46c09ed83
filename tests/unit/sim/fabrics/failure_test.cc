// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/failure.h"

#include <gtest/gtest.h>

#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {
namespace {

TEST(Failure, in_order__expect_them_by_time_and_equal_ones_as_they_were) {
  const auto sorted = in_order({{.node = 1, .behind_ns = 9}, {.node = 2}, {.node = 3}});
  EXPECT_EQ(sorted[0].node, 2u);
  EXPECT_EQ(sorted[1].node, 3u);
  EXPECT_EQ(sorted[2].node, 1u);
}

TEST(Failure, further_switches__expect_none_beside_another_while_the_graph_has_such) {
  const Fabric fabric = *parse_graph("ring:20", 1);
  for (uint64_t seed = 0; seed < 50; ++seed) {
    base::SplitMix64 random(seed);
    std::vector<Failure> failures{{.node = 0}};
    draw_further(fabric.graph, 4, false, {}, random, failures);
    ASSERT_EQ(failures.size(), 4u);
    for (const Failure& one : failures) {
      for (const Failure& other : failures) {
        const uint32_t apart =
            one.node > other.node ? one.node - other.node : other.node - one.node;
        EXPECT_TRUE(apart == 0 || (apart > 1 && apart < 19));
      }
    }
  }
}

TEST(Failure, few_switches_to_draw_from__expect_each_once_and_then_no_more) {
  const Fabric fabric = *parse_graph("ring:6", 1);
  const NodeId among[] = {2, 3};
  base::SplitMix64 random(4);
  std::vector<Failure> failures;
  draw_further(fabric.graph, 5, false, among, random, failures);
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_EQ(failures[0].node + failures[1].node, 5u);
}

TEST(Failure, links__expect_links_alone) {
  const Fabric fabric = *parse_graph("ring:12", 1);
  base::SplitMix64 random(4);
  std::vector<Failure> failures;
  draw_further(fabric.graph, 3, true, {}, random, failures);
  ASSERT_EQ(failures.size(), 3u);
  for (const Failure& failure : failures) {
    EXPECT_EQ(failure.node, kNone);
    EXPECT_LT(failure.link, 12u);
  }
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
