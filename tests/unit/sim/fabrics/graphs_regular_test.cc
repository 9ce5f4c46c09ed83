// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/graphs_regular.h"

#include <gtest/gtest.h>

#include <set>

#include "sim/fabrics/graphs_figures.h"

namespace lambdacast::sim::fabrics {
namespace {

GraphFigures expect_figures(const Fabric& fabric, size_t nodes, size_t links, uint32_t diameter,
                            size_t degree) {
  const GraphFigures found = figures(fabric.graph);
  EXPECT_EQ(found.nodes, nodes);
  EXPECT_EQ(found.links, links);
  EXPECT_EQ(found.diameter, diameter);
  EXPECT_EQ(found.degree, degree);
  EXPECT_TRUE(found.connected);
  return found;
}

// FRANCIS, Table 3.
TEST(GraphsRegular, fat_tree_of_64__expect_table_3) {
  const Fabric fabric = fat_tree(64);
  EXPECT_EQ(expect_figures(fabric, 5'120, 131'072, 4, 64).radius, 4u) << "any root is as good";
  EXPECT_EQ(fabric.racks.size(), 2'048u);
}

TEST(GraphsRegular, jupiter__expect_table_3) {
  const Fabric fabric = jupiter();
  EXPECT_EQ(expect_figures(fabric, 22'528, 163'840, 8, 24).radius, 8u) << "any root is as good";
  EXPECT_EQ(fabric.racks.size(), 8'192u);
}

// Table 8 goes from 4 on.
TEST(GraphsRegular, fat_trees__expect_five_quarters_k_squared_nodes_and_diameter_4) {
  for (uint32_t k = 4; k <= 32; k += 4)
    expect_figures(fat_tree(k), 5 * k * k / 4, size_t{k} * k * k / 2, 4, k);
}

TEST(GraphsRegular, small_graphs__expect_figures_by_hand) {
  expect_figures(fat_tree(2), 5, 4, 4, 2);
  expect_figures(spine_leaf(5, 3), 8, 15, 2, 5);
  expect_figures(hamming(3, 2), 9, 18, 2, 4);
  expect_figures(hamming(2, 4), 16, 32, 4, 4);
  expect_figures(ring(7), 7, 7, 3, 2);
}

// In every Clos network of ours: links join layers one apart, no two links join the same ends, and
// a switch has at most one neighbour of each logical number below it.
TEST(GraphsRegular, clos_networks__expect_layers_and_logical_numbers_that_paths_from_above_find) {
  for (const Fabric& fabric : {fat_tree(8), spine_leaf(4, 3), jupiter()}) {
    ASSERT_EQ(fabric.layer.size(), fabric.graph.nodes());
    for (NodeId node = 0; node < fabric.graph.nodes(); ++node) {
      const uint8_t layer = fabric.layer[node];
      ASSERT_LT(fabric.logical[node], fabric.logical_switches[layer]);
      std::set<NodeId> ends;
      std::set<uint32_t> below;
      for (const NodeId other : fabric.graph.neighbors(node)) {
        ASSERT_EQ(std::abs(int{fabric.layer[other]} - int{layer}), 1);
        ASSERT_TRUE(ends.insert(other).second);
        if (fabric.layer[other] < layer) {
          ASSERT_TRUE(below.insert(fabric.logical[other]).second) << node;
        }
      }
    }
  }
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
