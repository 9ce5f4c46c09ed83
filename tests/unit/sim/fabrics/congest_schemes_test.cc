// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/congest_schemes.h"

#include <gtest/gtest.h>

#include "sim/fabrics/graphs_spec.h"

namespace lambdacast::sim::fabrics {
namespace congest_schemes_test {

struct OnGraph {
  explicit OnGraph(const std::string& graph)
      : fabric(*parse_graph(graph, 1)), tree(congest_tree(congest::LiveGraph(fabric.graph))) {}
  [[nodiscard]] CongestOutcome run(const std::string& algorithm, CongestSync sync,
                                   CongestTransport transport = CongestTransport::kStored,
                                   double loss = 0) const {
    CongestSetting setting;
    setting.seed = 3;
    setting.medium_seed = 4;
    setting.medium.loss = loss;
    return run_congest_named(algorithm, sync, transport, fabric, tree, {}, setting);
  }
  Fabric fabric;
  CongestTree tree;
};

constexpr CongestSync kSyncs[] = {CongestSync::kBeta, CongestSync::kAlpha, CongestSync::kFree};

TEST(CongestSchemes, all_that_is_right__expect_it_to_end_without_objection_whatever_is_lost) {
  const OnGraph setup("fat-tree:4");
  for (const std::string& algorithm : congest_algorithm_names()) {
    for (const CongestSync sync : kSyncs) {
      if (!congest_refuses(algorithm, sync).empty()) continue;
      for (const double loss : {0.0, 0.1}) {
        const auto run = setup.run(algorithm, sync, CongestTransport::kWindow, loss);
        EXPECT_EQ(run.violation, "") << algorithm;
        EXPECT_GT(run.end_ns, 0u) << algorithm;
        EXPECT_GE(run.frames, run.messages) << algorithm;
      }
    }
  }
}

TEST(CongestSchemes, luby_without_rounds__expect_it_refused_with_what_is_possible) {
  const std::string why = congest_refuses("luby", CongestSync::kFree);
  EXPECT_EQ(why,
            "luby counts rounds and cannot run free; it runs under beta and alpha, and leader, "
            "election, flood, bitmaps run free");
  EXPECT_EQ(congest_refuses("luby", CongestSync::kAlpha), "");
  EXPECT_EQ(congest_refuses("leader", CongestSync::kFree), "");
}

TEST(CongestSchemes, flood_in_a_ring_without_loss__expect_a_hop_a_frame_time_and_propagation) {
  const OnGraph setup("ring:9");
  const auto run = setup.run("flood", CongestSync::kFree, CongestTransport::kWindow);
  ASSERT_EQ(run.violation, "");
  // Four hops out and the echo back over four at least, each of 5 120 and 500 ns.
  EXPECT_GE(run.end_ns, 8u * 5'620);
  EXPECT_LE(run.end_ns, 60u * 5'620);
  EXPECT_EQ(run.cost, 4);  // depth of the tree
}

TEST(CongestSchemes, tree_of_beta__expect_its_root_at_the_centre) {
  EXPECT_EQ(OnGraph("ring:9").tree.height, 4u);
  EXPECT_EQ(OnGraph("fat-tree:4").tree.height, 4u);
  EXPECT_EQ(OnGraph("spine-leaf:6,2").tree.height, 2u);
}

TEST(CongestSchemes, small_cases__expect_none_with_an_objection_and_equal_seeds_equal) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const SmallCongest small = run_small_congest(seed);
    EXPECT_EQ(small.outcome.violation, "") << seed << ", " << small.text;
    EXPECT_EQ(run_small_congest(seed).outcome.frames, small.outcome.frames);
  }
}

}  // namespace congest_schemes_test
}  // namespace lambdacast::sim::fabrics
