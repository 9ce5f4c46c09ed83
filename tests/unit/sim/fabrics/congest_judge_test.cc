// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/congest_judge.h"

#include <gtest/gtest.h>

#include "congest/synchronous_run.h"
#include "sim/fabrics/congest_random.h"

namespace lambdacast::sim::fabrics {
namespace congest_judge_test {

// A seed whose graph has some switches, and the results of an algorithm on it.
template <typename Algorithm>
struct Judged {
  explicit Judged(uint64_t seed = 7)
      : graph(random_graph(seed, 30)),
        live(graph),
        config(random_config<Algorithm>(live, seed)),
        results(congest::run_synchronously<Algorithm>(live, config, seed).results) {}
  [[nodiscard]] std::string said() const { return judge(live, config, results); }
  const congest::Graph graph;
  const LiveGraph live;
  typename Algorithm::Config config;
  Results<Algorithm> results;
};

TEST(CongestJudge, results_as_they_are__expect_no_objection) {
  EXPECT_EQ(Judged<congest::Leader>().said(), "");
  EXPECT_EQ(Judged<congest::Boruvka>().said(), "");
  EXPECT_EQ(Judged<congest::Wave>().said(), "");
  EXPECT_EQ(Judged<congest::RecoveryBitmaps>().said(), "");
}

TEST(CongestJudge, one_switch_with_another_leader_or_wave__expect_an_objection) {
  Judged<congest::Leader> leader;
  leader.results.back()->leader = 1;
  EXPECT_NE(leader.said(), "");
  Judged<congest::Wave> wave;
  wave.results.back()->key ^= 1;
  EXPECT_NE(wave.said(), "");
}

TEST(CongestJudge, winner_that_has_counted_wrong__expect_an_objection) {
  Judged<congest::Wave> nodes, depth;
  for (auto& result : nodes.results) result->nodes += result->won ? 1 : 0;
  EXPECT_EQ(nodes.said(), "the winner has counted wrong");
  for (auto& result : depth.results) result->depth += result->won ? 1 : 0;
  EXPECT_EQ(depth.said(), "the winner knows another depth");
}

TEST(CongestJudge, edge_that_one_end_has_forgotten__expect_an_objection) {
  Judged<congest::Boruvka> tree;
  tree.results.front()->tree.clear();
  EXPECT_EQ(tree.said(), "an edge that one end knows of alone");
}

TEST(CongestJudge, bit_of_a_bitmap_that_is_wrong__expect_an_objection) {
  for (const bool set : {false, true}) {
    Judged<congest::RecoveryBitmaps> bitmaps;
    bool changed = false;
    for (auto& words : bitmaps.results.front()->is_son) {  // of the root
      for (unsigned bit = 0; !words.empty() && bit < 32 && !changed; ++bit) {
        if ((words[0] >> bit & 1) == set) continue;
        words[0] ^= 1u << bit;
        changed = true;
      }
    }
    ASSERT_TRUE(changed);
    EXPECT_NE(bitmaps.said(), "") << set;
  }
}

}  // namespace congest_judge_test
}  // namespace lambdacast::sim::fabrics
