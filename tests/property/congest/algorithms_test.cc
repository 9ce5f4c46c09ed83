// SPDX-License-Identifier: BSD-3-Clause
// Each algorithm on random graphs of which something has failed: its result is what other code
// says, and the engine has it whatever the links do, by each synchroniser and transport.
#include <gtest/gtest.h>

#include <cmath>

#include "seeds.h"

namespace lambdacast::congest {
namespace {

using namespace sim::fabrics;  // of this file alone

constexpr uint64_t kSeeds = 100;
constexpr size_t kNodes = 20;

template <typename Algorithm>
std::string first_fault(uint64_t seeds, size_t nodes) {
  return congest::first_fault<Algorithm>(seeds, nodes, differences<Algorithm>);
}

// Two runs that are to be equal frame for frame.
template <typename Algorithm, typename Synchroniser, typename Place>
std::string windows_of_one(const LiveGraph& live, const typename Algorithm::Config& config,
                           Place place, CongestSetting setting) {
  const auto stored =
      run_congest<Engine<Algorithm, Synchroniser, StoredFrames>>(live, config, place, setting);
  setting.transport.window = 1;
  setting.transport.bare = true;
  const auto window =
      run_congest<Engine<Algorithm, Synchroniser, LinkWindow>>(live, config, place, setting);
  return stored.trace == window.trace && stored.end_ns == window.end_ns ? "" : "other frames";
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

// Iterations that nobody is told of the steps of, and a tree that all are told of at once.
TEST(Algorithms, boruvka_by_iteration__expect_the_tree_of_rounds_and_fewer_words_of_the_root) {
  uint64_t iterations_ns = 0, rounds_ns = 0;
  for (uint64_t seed = 0; seed < 10 * kSeeds; ++seed) {
    const Graph graph = random_graph(seed, kNodes);
    LiveGraph live(graph);
    fail_something(live, seed);
    auto config = random_config<Boruvka>(live, seed);
    const auto reference = run_synchronously<Boruvka>(live, config, seed);
    const auto tree = tree_of(live, first_alive(live));
    const auto place = [&](NodeId node) { return tree[node]; };
    rounds_ns +=
        run_congest<Engine<Boruvka, Beta, LinkWindow>>(live, config, place, random_setting(seed))
            .end_ns;
    config = by_iteration<Boruvka>(config);
    const auto stored = run_congest<Engine<Boruvka, ByIteration, StoredFrames>>(
        live, config, place, random_setting(seed));
    const auto window = run_congest<Engine<Boruvka, ByIteration, LinkWindow>>(live, config, place,
                                                                              random_setting(seed));
    iterations_ns += window.end_ns;
    ASSERT_TRUE(stored.ended && window.ended) << seed;
    ASSERT_EQ(stored.results, reference.results) << seed;
    ASSERT_EQ(window.results, reference.results) << seed;
  }
  EXPECT_LT(iterations_ns, rounds_ns);
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
  double kept = 0, promised = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Graph graph = random_graph(seed, kNodes);
    const LiveGraph live(graph);
    const auto config = random_config<Spanner>(live, seed);
    kept += static_cast<double>(
        kept_links(live, run_synchronously<Spanner>(live, config, seed).results));
    promised += 2 * config.k * std::pow(static_cast<double>(graph.nodes()), 1 + 1.0 / config.k);
  }
  EXPECT_LE(kept, promised);
}

TEST(Algorithms, set_cover_tree__expect_all_receivers_at_their_least_distances_and_no_idle_leaf) {
  EXPECT_EQ(first_fault<SetCoverTree>(kSeeds, kNodes), "");
}

TEST(Algorithms, wave__expect_the_least_key_everywhere_and_a_winner_that_has_counted_all) {
  EXPECT_EQ(first_fault<Wave>(kSeeds, kNodes), "");
}

TEST(Algorithms, recovery_bitmaps__expect_each_member_of_each_group_reached_once) {
  EXPECT_EQ(first_fault<RecoveryBitmaps>(kSeeds, kNodes), "");
}

TEST(Algorithms, leader_by_waves_without_rounds__expect_what_the_flood_in_rounds_says) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Graph graph = random_graph(seed, kNodes);
    LiveGraph live(graph);
    fail_something(live, seed);
    const auto leader = run_synchronously<Leader>(live, {}, seed);
    Wave::Config config;
    for (NodeId node = 0; node < graph.nodes(); ++node) config.keys.push_back(node);
    const auto free = [](NodeId) { return FreeRunning::Config(); };
    const auto run = run_congest<Engine<Wave, FreeRunning, StoredFrames>>(live, config, free,
                                                                          random_setting(seed));
    ASSERT_TRUE(run.ended) << seed;
    for (NodeId node = 0; node < graph.nodes(); ++node)
      if (live.alive(node)) {
        EXPECT_EQ(run.results[node]->key, leader.results[node]->leader) << seed;
      }
  }
}

TEST(Algorithms, combinations__expect_algorithms_that_count_rounds_refused_without_them) {
  EXPECT_TRUE((kRightUnder<Wave, FreeRunning>));
  EXPECT_TRUE((kRightUnder<RecoveryBitmaps, FreeRunning>));
  EXPECT_TRUE((kRightUnder<IndependentSet, Beta>));
  EXPECT_FALSE((kRightUnder<IndependentSet, FreeRunning>));
  EXPECT_FALSE((kRightUnder<BreadthFirst, FreeRunning>));
  EXPECT_FALSE((kRightUnder<Boruvka, FreeRunning>));
  EXPECT_TRUE((kRightUnder<Boruvka, ByIteration>));
  EXPECT_FALSE((kRightUnder<IndependentSet, ByIteration>));
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
