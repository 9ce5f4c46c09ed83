// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/congest_inputs.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {
namespace congest_inputs_test {

class CongestInputsTest : public ::testing::Test {
 protected:
  template <typename Algorithm>
  [[nodiscard]] typename Algorithm::Config draw(uint64_t seed = 5) const {
    return draw_config<Algorithm>(fabric_, tree_, inputs_, seed);
  }
  const Fabric fabric_ = *parse_graph("fat-tree:4", 1);
  const CongestTree tree_ = congest_tree(LiveGraph(fabric_.graph));
  CongestInputs inputs_;
};

TEST_F(CongestInputsTest, cover__expect_the_same_weights_for_both_arithmetics_within_their_range) {
  inputs_.weight_bits = 3;
  const auto exact = draw<congest::VertexCover>().weights;
  EXPECT_EQ(exact, draw<congest::ApproximateVertexCover>().weights);
  EXPECT_NE(exact, draw<congest::VertexCover>(6).weights);
  EXPECT_GE(*std::min_element(exact.begin(), exact.end()), 1u);
  EXPECT_LE(*std::max_element(exact.begin(), exact.end()), 8u);
}

TEST_F(CongestInputsTest, bitmaps__expect_members_at_racks_alone) {
  inputs_.groups = 40;
  const auto config = draw<congest::RecoveryBitmaps>();
  for (NodeId node = 0; node < fabric_.graph.nodes(); ++node) {
    ASSERT_EQ(config.own[node].size(), 2u);
    EXPECT_EQ(config.own[node][1] >> 8, 0u);  // groups beyond the fortieth
    if (fabric_.layer[node] != 0) {
      EXPECT_EQ(config.own[node][0], 0u);
    }
  }
}

TEST_F(CongestInputsTest, waves_of_an_election__expect_height_and_then_root_to_decide) {
  const auto waves = waves_of(congest::TreeElection::Config{{{4, 3}, {9, 2}, {7, 2}}}, 20);
  EXPECT_LT(waves.keys[7], waves.keys[9]);
  EXPECT_LT(waves.keys[9], waves.keys[4]);
  EXPECT_EQ(waves.keys[0], kNone);
  EXPECT_EQ(waves_of(congest::Leader::Config(), 3).keys, (std::vector<uint32_t>{0, 1, 2}));
}

TEST_F(CongestInputsTest, costs__expect_weights_and_counts) {
  const LiveGraph live(fabric_.graph);
  const congest::VertexCover::Config config{.weights = std::vector<uint32_t>(20, 3)};
  Results<congest::VertexCover> cover(20);
  cover[0].emplace();
  cover[4].emplace();
  cover[4]->in = true;
  EXPECT_EQ(cost_of<congest::VertexCover>(live, config, cover), 3);
  Results<congest::IndependentSet> set(20);
  set[1].emplace();
  set[1]->in = true;
  EXPECT_EQ(cost_of<congest::IndependentSet>(live, {}, set), 1);
  EXPECT_EQ(cost_of<congest::Leader>(live, {}, Results<congest::Leader>(20)), 0);
}

}  // namespace congest_inputs_test
}  // namespace lambdacast::sim::fabrics
