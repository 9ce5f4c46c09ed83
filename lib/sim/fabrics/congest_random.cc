// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/congest_random.h"

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "congest/synchronous_run.h"

namespace lambdacast::sim::fabrics {

using namespace congest;  // of this file alone

namespace {

bool is_connected(const LiveGraph& live) {
  const auto hops = distances(live, first_alive(live));
  for (NodeId node = 0; node < hops.size(); ++node)
    if (live.alive(node) && hops[node] == kNone) return false;
  return true;
}

template <typename Config>
Config random_weights(const LiveGraph& live, uint64_t seed) {
  Config config;
  base::SplitMix64 random(seed);
  const uint64_t most = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 1 << 10 : 1 << 20;
  for (NodeId node = 0; node < live.graph().nodes(); ++node)
    config.weights.push_back(static_cast<uint32_t>(1 + random.below(most)));
  config.epsilon_permille = seed % 2 ? 100 : 10;
  config.alpha_log2 = 1 + seed / 6 % 3;
  return config;
}

}  // namespace

Graph random_graph(uint64_t seed, size_t most) {
  base::SplitMix64 random(seed);
  const size_t nodes = 1 + random.below(most);
  const uint64_t shape = random.below(3);  // bushy, long, or between
  std::vector<NodeId> names(nodes);
  for (NodeId node = 0; node < nodes; ++node) {
    names[node] = node;
    std::swap(names[node], names[random.below(node + 1)]);
  }
  std::vector<congest::Link> links;
  for (NodeId node = 1; node < nodes; ++node) {
    const uint64_t back = shape == 0 ? node : shape == 1 ? 1 + random.below(2) : 1 + node / 4;
    const NodeId to = node - 1 - static_cast<NodeId>(random.below(std::min<uint64_t>(back, node)));
    links.push_back({names[node], names[to]});
  }
  if (nodes > 1) {
    for (uint64_t more = random.below(2 * nodes + 1); more > 0; --more) {
      const auto a = static_cast<NodeId>(random.below(nodes));
      const auto b = static_cast<NodeId>(random.below(nodes));
      if (a != b) links.push_back({a, b});
    }
  }
  return Graph(nodes, std::move(links));
}

void fail_something(LiveGraph& live, uint64_t seed) {
  base::SplitMix64 random(base::mix64(seed ^ 0xfa11));
  for (uint64_t tries = random.below(4); tries > 0; --tries) {
    LiveGraph less = live;
    const Graph& graph = live.graph();
    if (graph.nodes() < 2) return;
    if (random.below(2))
      less.fail_link(static_cast<LinkId>(random.below(graph.links())));
    else
      less.fail_node(static_cast<NodeId>(random.below(graph.nodes())));
    if (alive_nodes(less) > 0 && is_connected(less)) live = less;
  }
}

std::vector<TreePlace> tree_of(const LiveGraph& live, NodeId root) {
  const auto run = run_synchronously<BreadthFirst>(live, {.roots = {root}}, 0);
  std::vector<TreePlace> places;
  for (const auto& result : run.results)
    places.push_back(result ? result->at(0).tree : TreePlace());
  return places;
}

CongestSetting random_setting(uint64_t seed) {
  base::SplitMix64 random(base::mix64(seed ^ 0x5e771));
  const double share = static_cast<double>(random.below(1000)) / 1000;
  CongestSetting setting;
  setting.seed = seed;
  setting.medium_seed = random();
  setting.medium.model = random.below(2) ? Model::kA : Model::kB;
  setting.medium.loss = random.below(4) == 0 ? 0 : 0.3 * share;
  setting.medium.duplication = random.below(2) ? 0.2 : 0;
  setting.medium.delay = random.below(2) ? 0.3 : 0;
  setting.medium.most_delay_ns = 100'000;
  setting.transport.check_ns = random.below(2) ? 100 : 1000;
  setting.most_events = 3'000'000;
  return setting;
}

template <>
Leader::Config random_config<Leader>(const LiveGraph& /*live*/, uint64_t /*seed*/) {
  return {};
}

template <>
BreadthFirst::Config random_config<BreadthFirst>(const LiveGraph& live, uint64_t seed) {
  BreadthFirst::Config config;
  base::SplitMix64 random(seed);
  for (uint64_t i = 0; i <= seed % kMostRoots; ++i) {
    NodeId root = 0;
    do root = static_cast<NodeId>(random.below(live.graph().nodes()));
    while (!live.alive(root));
    config.roots.push_back(root);
  }
  return config;
}

template <>
TreeCentre::Config random_config<TreeCentre>(const LiveGraph& live, uint64_t /*seed*/) {
  return {tree_of(live, first_alive(live))};
}

template <>
TreeElection::Config random_config<TreeElection>(const LiveGraph& live, uint64_t seed) {
  TreeElection::Config config;
  base::SplitMix64 random(seed);
  config.candidates.push_back({first_alive(live), static_cast<uint32_t>(random.below(3))});
  for (NodeId node = first_alive(live) + 1; node < live.graph().nodes(); ++node)
    if (live.alive(node) && random.below(3) == 0)
      config.candidates.push_back({node, static_cast<uint32_t>(random.below(3))});
  return config;
}

template <>
Boruvka::Config random_config<Boruvka>(const LiveGraph& live, uint64_t seed) {
  Boruvka::Config config;
  base::SplitMix64 random(seed);
  for (LinkId link = 0; link < live.graph().links(); ++link)
    config.weights.push_back(static_cast<uint32_t>(random.below(8)));
  return config;
}

template <>
IndependentSet::Config random_config<IndependentSet>(const LiveGraph& /*live*/, uint64_t seed) {
  return {.draw_bits = seed % 2 ? 1u : 16u};
}

template <>
VertexCover::Config random_config<VertexCover>(const LiveGraph& live, uint64_t seed) {
  return random_weights<VertexCover::Config>(live, seed);
}

template <>
ApproximateVertexCover::Config random_config<ApproximateVertexCover>(const LiveGraph& live,
                                                                     uint64_t seed) {
  return random_weights<ApproximateVertexCover::Config>(live, seed);
}

template <>
Spanner::Config random_config<Spanner>(const LiveGraph& /*live*/, uint64_t seed) {
  return {.k = static_cast<uint32_t>(1 + seed % 4), .seed = seed};
}

template <>
SetCoverTree::Config random_config<SetCoverTree>(const LiveGraph& live, uint64_t seed) {
  SetCoverTree::Config config;
  base::SplitMix64 random(seed);
  config.source = first_alive(live);
  const auto hops = distances(live, config.source);
  for (NodeId node = 0; node < live.graph().nodes(); ++node) {
    config.receivers.push_back(live.alive(node) && random.below(3) == 0);
    if (config.receivers[node]) config.layers = std::max(config.layers, hops[node]);
  }
  return config;
}

// Of all switches, of some, or of one.
template <>
Wave::Config random_config<Wave>(const LiveGraph& live, uint64_t seed) {
  base::SplitMix64 random(seed);
  Wave::Config config{std::vector<uint32_t>(live.graph().nodes(), kNone)};
  const uint64_t kind = seed % 3;
  for (NodeId node = 0; node < config.keys.size(); ++node)
    if (kind == 0 || (kind == 1 && random.below(3) == 0))
      config.keys[node] = static_cast<uint32_t>(random.below(1000)) << 16 | node;
  config.keys[first_alive(live)] = 1u << 24 | first_alive(live);
  return config;
}

template <>
RecoveryBitmaps::Config random_config<RecoveryBitmaps>(const LiveGraph& live, uint64_t seed) {
  base::SplitMix64 random(seed);
  RecoveryBitmaps::Config config{tree_of(live, first_alive(live)), {}};
  const size_t words = 1 + random.below(8);
  for (NodeId node = 0; node < live.graph().nodes(); ++node) {
    config.own.emplace_back();
    for (size_t i = 0; i < words; ++i)
      config.own.back().push_back(static_cast<uint32_t>(random() & random() & random()));
  }
  return config;
}

}  // namespace lambdacast::sim::fabrics
