// SPDX-License-Identifier: BSD-3-Clause
// Each algorithm on random graphs of which something has failed: its result is what other code
// says, and the engine has it whatever the links do, by each synchroniser and transport.
#include <gtest/gtest.h>

#include "cases.h"

namespace lambdacast::congest {
namespace {

constexpr uint64_t kSeeds = 100;
constexpr size_t kNodes = 20;

template <typename Algorithm>
std::string first_fault(uint64_t seeds, size_t nodes) {
  return congest::first_fault<Algorithm>(seeds, nodes, differences<Algorithm>);
}

TEST(Algorithms, leader__expect_the_least_number) {
  EXPECT_EQ(first_fault<Leader>(kSeeds, kNodes), "");
}

TEST(Algorithms, breadth_first__expect_least_distances_and_least_parents) {
  EXPECT_EQ(first_fault<BreadthFirst>(kSeeds, kNodes), "");
}

TEST(Algorithms, centre_of_a_tree__expect_the_least_height_and_that_the_root_told_it) {
  EXPECT_EQ(first_fault<TreeCentre>(kSeeds, kNodes), "");
}

TEST(Algorithms, election_of_a_tree__expect_the_least_height_and_of_equal_ones_the_least_root) {
  EXPECT_EQ(first_fault<TreeElection>(kSeeds, kNodes), "");
}

TEST(Algorithms, boruvka__expect_a_tree_of_the_weight_of_kruskals) {
  EXPECT_EQ(first_fault<Boruvka>(kSeeds, kNodes), "");
}

TEST(Algorithms, independent_set__expect_it_maximal_even_when_draws_are_equal) {
  EXPECT_EQ(first_fault<IndependentSet>(kSeeds, kNodes), "");
}

TEST(Algorithms, vertex_cover__expect_it_within_its_bound_of_the_least_fractional_one) {
  EXPECT_EQ(first_fault<VertexCover>(kSeeds, kNodes), "");
  EXPECT_EQ(first_fault<ApproximateVertexCover>(kSeeds, kNodes), "");
}

TEST(Algorithms, spanner__expect_its_stretch_and_as_few_edges_as_promised_on_average) {
  EXPECT_EQ(first_fault<Spanner>(kSeeds, kNodes), "");
  EXPECT_LE(Case<Spanner>::edges, Case<Spanner>::most);
}

TEST(Algorithms, set_cover_tree__expect_all_receivers_at_their_least_distances_and_no_idle_leaf) {
  EXPECT_EQ(first_fault<SetCoverTree>(kSeeds, kNodes), "");
}

TEST(Algorithms, window_of_one_with_bare_acknowledgements__expect_the_frames_of_stored_frames) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Graph graph = random_graph(seed, kNodes);
    const LiveGraph live(graph);
    const auto setting = random_setting(seed);
    const auto tree = tree_of(live, 0);
    const auto place = [&](NodeId node) { return tree[node]; };
    const auto bound = [](NodeId) { return Alpha::Config{.rounds = 30}; };
    EXPECT_EQ((windows_of_one<Leader, Beta>(live, {}, place, setting)), "") << seed;
    EXPECT_EQ((windows_of_one<Leader, Alpha>(live, {}, bound, setting)), "") << seed;
  }
}

}  // namespace
}  // namespace lambdacast::congest
