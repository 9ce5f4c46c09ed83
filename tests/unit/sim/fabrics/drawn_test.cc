// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/drawn.h"

#include <gtest/gtest.h>

#include <set>

#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {
namespace {

TEST(Drawn, graphs__expect_all_kinds_none_greater_than_wanted_and_equal_ones_of_equal_seeds) {
  std::set<std::string> kinds;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    base::SplitMix64 random(seed), again(seed);
    const std::string name = draw_graph(random, 30);
    EXPECT_EQ(draw_graph(again, 30), name);
    const auto fabric = parse_graph(name, seed);
    ASSERT_TRUE(fabric) << name;
    EXPECT_GE(fabric->graph.nodes(), 2u);
    EXPECT_LE(fabric->graph.nodes(), 30u) << name;
    kinds.insert(name.substr(0, name.find(':')));
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"fat-tree", "hamming", "random", "ring", "spine-leaf"}));
}

TEST(Drawn, media__expect_both_models_and_delays_that_come_with_their_bound) {
  size_t models[2] = {}, delayed = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    base::SplitMix64 random(seed);
    MediumConfig medium;
    draw_medium(random, medium);
    ++models[medium.model == Model::kA ? 0 : 1];
    delayed += medium.delay > 0 ? 1 : 0;
    EXPECT_EQ(medium.delay > 0, medium.most_delay_ns > 0);
    EXPECT_LE(medium.loss, 0.05);
  }
  EXPECT_GT(models[0], 50u);
  EXPECT_GT(models[1], 50u);
  EXPECT_GT(delayed, 20u);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
