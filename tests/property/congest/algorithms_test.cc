// SPDX-License-Identifier: BSD-3-Clause
// Each algorithm on random graphs of which something has failed: its result is what other code
// says, and the engine has it whatever the links do.
#include <gtest/gtest.h>

#include <cmath>

#include "congest/boruvka.h"
#include "congest/independent_set.h"
#include "congest/set_cover_tree.h"
#include "congest/spanner.h"
#include "congest/tree_centre.h"
#include "congest/tree_election.h"
#include "congest/vertex_cover.h"
#include "seeds.h"
#include "sim/fabrics/check_congest.h"

namespace lambdacast::congest {
namespace {

namespace check = sim::fabrics;

constexpr uint64_t kSeeds = 100;
constexpr size_t kNodes = 20;

ArcId parent_arc(const Graph& graph, NodeId node, const TreePlace& place) {
  return place.parent == kNoPort ? kNone : graph.arc(node, place.parent);
}

TEST(Algorithms, centre_of_a_tree__expect_the_least_height_and_that_the_root_told_it) {
  const auto config = [](const LiveGraph& live, uint64_t) {
    return TreeCentre::Config{tree_of(live, first_alive(live))};
  };
  const auto judge = [](const LiveGraph& live, const auto& before, const auto& run) -> std::string {
    const Graph& graph = live.graph();
    check::Parents old(graph.nodes(), kNone), now(graph.nodes(), kNone);
    NodeId root = kNone;
    for (NodeId node = 0; node < graph.nodes(); ++node) {
      if (!live.alive(node)) continue;
      old[node] = parent_arc(graph, node, before.tree[node]);
      now[node] = parent_arc(graph, node, run.results[node]->place);
      if (run.results[node]->is_root && root != kNone) return "two roots";
      if (run.results[node]->is_root) root = node;
    }
    if (root == kNone) return "no root";
    return check::check_centre(live, root, old, now, run.results[root]->height);
  };
  EXPECT_EQ(first_fault<TreeCentre>(kSeeds, kNodes, config, judge), "");
}

TEST(Algorithms, election_of_a_tree__expect_the_least_height_and_of_equal_ones_the_least_root) {
  const auto config = [](const LiveGraph& live, uint64_t seed) {
    TreeElection::Config config;
    base::SplitMix64 random(seed);
    config.candidates.push_back({first_alive(live), static_cast<uint32_t>(random.below(3))});
    for (NodeId node = first_alive(live) + 1; node < live.graph().nodes(); ++node)
      if (live.alive(node) && random.below(3) == 0)
        config.candidates.push_back({node, static_cast<uint32_t>(random.below(3))});
    return config;
  };
  const auto judge = [](const LiveGraph&, const auto& config, const auto& run) -> std::string {
    const auto best = std::min_element(
        config.candidates.begin(), config.candidates.end(), [](const auto& a, const auto& b) {
          return std::pair(a.height, a.root) < std::pair(b.height, b.root);
        });
    for (const auto& result : run.results)
      if (result && (result->root != best->root || result->height != best->height))
        return "not the best";
    return {};
  };
  EXPECT_EQ(first_fault<TreeElection>(kSeeds, kNodes, config, judge), "");
}

TEST(Algorithms, boruvka__expect_a_tree_of_the_weight_of_kruskals) {
  const auto config = [](const LiveGraph& live, uint64_t seed) {
    Boruvka::Config config;
    base::SplitMix64 random(seed);
    for (LinkId link = 0; link < live.graph().links(); ++link)
      config.weights.push_back(static_cast<uint32_t>(random.below(8)));
    return config;
  };
  const auto judge = [](const LiveGraph& live, const auto& config, const auto& run) -> std::string {
    const Graph& graph = live.graph();
    std::vector<unsigned> ends(graph.links());
    for (NodeId node = 0; node < graph.nodes(); ++node)
      if (run.results[node])
        FilterPorts::each(run.results[node]->tree,
                          [&](size_t port) { ++ends[graph.link_of(graph.arc(node, port))]; });
    std::vector<bool> links(graph.links());
    for (LinkId link = 0; link < links.size(); ++link) {
      if (ends[link] == 1) return "an edge that one end knows of alone";
      links[link] = ends[link] == 2;
    }
    return check::check_least_tree(live, config.weights, links);
  };
  EXPECT_EQ(first_fault<Boruvka>(kSeeds, kNodes, config, judge), "");
}

TEST(Algorithms, independent_set__expect_it_maximal_even_when_draws_are_equal) {
  const auto config = [](const LiveGraph&, uint64_t seed) {
    return IndependentSet::Config{.draw_bits = seed % 2 ? 1u : 16u};
  };
  const auto judge = [](const LiveGraph& live, const auto&, const auto& run) {
    std::vector<bool> in;
    for (const auto& result : run.results) in.push_back(result && result->in);
    return check::check_independent_set(live, in);
  };
  EXPECT_EQ(first_fault<IndependentSet>(kSeeds, kNodes, config, judge), "");
}

TEST(Algorithms, vertex_cover__expect_it_within_its_bound_of_the_least_fractional_one) {
  const auto config = [](const LiveGraph& live, uint64_t seed) {
    VertexCover::Config config;
    base::SplitMix64 random(seed);
    const uint64_t most = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 1 << 10 : 1 << 20;
    for (NodeId node = 0; node < live.graph().nodes(); ++node)
      config.weights.push_back(static_cast<uint32_t>(1 + random.below(most)));
    config.epsilon_permille = seed % 2 ? 100 : 10;
    config.alpha_log2 = 1 + seed / 6 % 3;
    return config;
  };
  const auto judge = [](const LiveGraph& live, const auto& config, const auto& run) {
    const Graph& graph = live.graph();
    std::vector<bool> in;
    std::vector<uint64_t> paid(graph.arcs());
    for (NodeId node = 0; node < graph.nodes(); ++node) {
      const auto& result = run.results[node];
      in.push_back(result && result->in);
      for (size_t port = 0; result && port < graph.degree(node); ++port)
        paid[graph.arc(node, port)] = result->paid[port];
    }
    return check::check_cover(
        live,
        {config.weights, in, paid, uint64_t{1} << VertexCover::kFraction, config.epsilon_permille});
  };
  EXPECT_EQ(first_fault<VertexCover>(kSeeds, kNodes, config, judge), "");
}

TEST(Algorithms, spanner__expect_its_stretch_and_as_few_edges_as_promised_on_average) {
  double edges = 0, most = 0;
  const auto config = [](const LiveGraph&, uint64_t seed) {
    return Spanner::Config{.k = static_cast<uint32_t>(1 + seed % 4), .seed = seed};
  };
  const auto judge = [&](const LiveGraph& live, const auto& config,
                         const auto& run) -> std::string {
    const Graph& graph = live.graph();
    std::vector<bool> links(graph.links());
    for (NodeId node = 0; node < graph.nodes(); ++node) {
      if (!run.results[node]) continue;
      FilterPorts::each(run.results[node]->edges,
                        [&](size_t port) { links[graph.link_of(graph.arc(node, port))] = true; });
    }
    edges += static_cast<double>(std::count(links.begin(), links.end(), true));
    most += 2 * config.k * std::pow(static_cast<double>(graph.nodes()), 1 + 1.0 / config.k);
    return check::check_spanner(live, config.k, links);
  };
  EXPECT_EQ(first_fault<Spanner>(kSeeds, kNodes, config, judge), "");
  EXPECT_LE(edges, most);
}

TEST(Algorithms, set_cover_tree__expect_all_receivers_at_their_least_distances_and_no_idle_leaf) {
  const auto config = [](const LiveGraph& live, uint64_t seed) {
    SetCoverTree::Config config;
    base::SplitMix64 random(seed);
    config.source = first_alive(live);
    const auto hops = distances(live, config.source);
    for (NodeId node = 0; node < live.graph().nodes(); ++node) {
      config.receivers.push_back(live.alive(node) && random.below(3) == 0);
      if (config.receivers[node]) config.layers = std::max(config.layers, hops[node]);
    }
    return config;
  };
  const auto judge = [](const LiveGraph& live, const auto& config, const auto& run) -> std::string {
    const Graph& graph = live.graph();
    check::Parents parents(graph.nodes(), kNone);
    for (NodeId node = 0; node < graph.nodes(); ++node) {
      if (!run.results[node]) continue;
      parents[node] = parent_arc(graph, node, run.results[node]->place);
      if (parents[node] == kNone) continue;
      const auto& parent = run.results[graph.to(parents[node])];
      if (!parent->place.children.test(graph.port(graph.reverse(parents[node]))))
        return "a parent does not know its child";
    }
    return check::check_receivers(live, config.source, config.receivers, parents);
  };
  EXPECT_EQ(first_fault<SetCoverTree>(kSeeds, kNodes, config, judge), "");
}

}  // namespace
}  // namespace lambdacast::congest
