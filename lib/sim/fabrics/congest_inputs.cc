// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/congest_inputs.h"

#include <algorithm>

#include "base/random.h"
#include "sim/fabrics/congest_random.h"

namespace lambdacast::sim::fabrics {

using namespace congest;  // of this file alone

namespace {

NodeId draw_node(base::SplitMix64& random, const Fabric& fabric) {
  return static_cast<NodeId>(random.below(fabric.graph.nodes()));
}

template <typename Config>
Config draw_weights(const Fabric& fabric, const CongestInputs& inputs, uint64_t seed) {
  Config config;
  base::SplitMix64 random(seed);
  for (size_t i = 0; i < fabric.graph.nodes(); ++i)
    config.weights.push_back(
        static_cast<uint32_t>(1 + random.below(uint64_t{1} << inputs.weight_bits)));
  config.epsilon_permille = inputs.epsilon_permille;
  config.alpha_log2 = inputs.alpha_log2;
  return config;
}

template <typename Algorithm>
double cover_weight(const typename Algorithm::Config& config, const Results<Algorithm>& results) {
  double weight = 0;
  for (size_t node = 0; node < results.size(); ++node)
    if (results[node] && results[node]->in) weight += config.weights[node];
  return weight;
}

}  // namespace

template <>
Leader::Config draw_config<Leader>(const Fabric&, const CongestTree&, const CongestInputs&,
                                   uint64_t) {
  return {};
}
template <>
BreadthFirst::Config draw_config<BreadthFirst>(const Fabric& fabric, const CongestTree&,
                                               const CongestInputs& inputs, uint64_t seed) {
  BreadthFirst::Config config;
  base::SplitMix64 random(seed);
  const size_t roots = std::min<size_t>(inputs.roots, kMostRoots);
  for (size_t i = 0; i < roots; ++i) config.roots.push_back(draw_node(random, fabric));
  return config;
}
// Before it is centred: breadth first from a switch that is drawn.
template <>
TreeCentre::Config draw_config<TreeCentre>(const Fabric& fabric, const CongestTree&,
                                           const CongestInputs&, uint64_t seed) {
  base::SplitMix64 random(seed);
  return {tree_of(LiveGraph(fabric.graph), draw_node(random, fabric))};
}
template <>
TreeElection::Config draw_config<TreeElection>(const Fabric& fabric, const CongestTree&,
                                               const CongestInputs& inputs, uint64_t seed) {
  TreeElection::Config config;
  base::SplitMix64 random(seed);
  for (uint32_t i = 0; i < std::max(1u, inputs.roots); ++i)
    config.candidates.push_back(
        {draw_node(random, fabric), static_cast<uint32_t>(1 + random.below(8))});
  return config;
}
template <>
Boruvka::Config draw_config<Boruvka>(const Fabric& fabric, const CongestTree&,
                                     const CongestInputs& inputs, uint64_t seed) {
  Boruvka::Config config;
  base::SplitMix64 random(seed);
  for (size_t i = 0; i < fabric.graph.links(); ++i)
    config.weights.push_back(
        static_cast<uint32_t>(1 + random.below(uint64_t{1} << inputs.weight_bits)));
  return config;
}
template <>
IndependentSet::Config draw_config<IndependentSet>(const Fabric&, const CongestTree&,
                                                   const CongestInputs&, uint64_t) {
  return {};
}
template <>
VertexCover::Config draw_config<VertexCover>(const Fabric& fabric, const CongestTree&,
                                             const CongestInputs& inputs, uint64_t seed) {
  return draw_weights<VertexCover::Config>(fabric, inputs, seed);
}
template <>
ApproximateVertexCover::Config draw_config<ApproximateVertexCover>(const Fabric& fabric,
                                                                   const CongestTree&,
                                                                   const CongestInputs& inputs,
                                                                   uint64_t seed) {
  return draw_weights<ApproximateVertexCover::Config>(fabric, inputs, seed);
}
template <>
Spanner::Config draw_config<Spanner>(const Fabric&, const CongestTree&, const CongestInputs& inputs,
                                     uint64_t seed) {
  return {.k = inputs.spanner_k, .seed = seed};
}
template <>
SetCoverTree::Config draw_config<SetCoverTree>(const Fabric& fabric, const CongestTree&,
                                               const CongestInputs& inputs, uint64_t seed) {
  SetCoverTree::Config config;
  base::SplitMix64 random(seed);
  const auto rack = [&] { return fabric.racks[random.below(fabric.racks.size())]; };
  config.source = rack();
  config.receivers.resize(fabric.graph.nodes());
  const auto hops = distances(LiveGraph(fabric.graph), config.source);
  const size_t receivers = std::min<size_t>(inputs.receivers, fabric.racks.size() / 2);
  for (size_t i = 0; i < receivers; ++i) {
    const NodeId receiver = rack();
    config.receivers[receiver] = true;
    config.layers = std::max(config.layers, hops[receiver]);
  }
  return config;
}
// One switch that floods: the detector of a failure.
template <>
Wave::Config draw_config<Wave>(const Fabric& fabric, const CongestTree&, const CongestInputs&,
                               uint64_t seed) {
  Wave::Config config{std::vector<uint32_t>(fabric.graph.nodes(), kNone)};
  base::SplitMix64 random(seed);
  config.keys[draw_node(random, fabric)] = 0;
  return config;
}
template <>
RecoveryBitmaps::Config draw_config<RecoveryBitmaps>(const Fabric& fabric, const CongestTree& tree,
                                                     const CongestInputs& inputs, uint64_t seed) {
  const size_t words = (inputs.groups + 31) / 32;
  RecoveryBitmaps::Config config{
      tree.places,
      std::vector<RecoveryBitmaps::Words>(fabric.graph.nodes(), RecoveryBitmaps::Words(words))};
  base::SplitMix64 random(seed);
  const base::Chance member(inputs.member_share);
  for (const NodeId rack : fabric.racks)
    for (uint32_t group = 0; group < inputs.groups; ++group)
      if (member.hit(random())) config.own[rack][group / 32] |= 1u << group % 32;
  return config;
}

Wave::Config waves_of(const Leader::Config& /*config*/, size_t nodes) {
  Wave::Config waves;
  for (NodeId node = 0; node < nodes; ++node) waves.keys.push_back(node);
  return waves;
}

Wave::Config waves_of(const TreeElection::Config& config, size_t nodes) {
  Wave::Config waves{std::vector<uint32_t>(nodes, kNone)};
  for (const auto& candidate : config.candidates)
    waves.keys[candidate.root] = std::min(
        waves.keys[candidate.root], candidate.height << TreeElection::kRootBits | candidate.root);
  return waves;
}

template <typename Algorithm>
double cost_of(const LiveGraph&, const typename Algorithm::Config&, const Results<Algorithm>&) {
  return 0;
}
template double cost_of<Leader>(const LiveGraph&, const Leader::Config&, const Results<Leader>&);
template double cost_of<BreadthFirst>(const LiveGraph&, const BreadthFirst::Config&,
                                      const Results<BreadthFirst>&);
template double cost_of<TreeElection>(const LiveGraph&, const TreeElection::Config&,
                                      const Results<TreeElection>&);
template double cost_of<RecoveryBitmaps>(const LiveGraph&, const RecoveryBitmaps::Config&,
                                         const Results<RecoveryBitmaps>&);
template <>
double cost_of<Wave>(const LiveGraph&, const Wave::Config&, const Results<Wave>& results) {
  for (const auto& result : results)
    if (result && result->won) return result->depth;
  return 0;
}
template <>
double cost_of<TreeCentre>(const LiveGraph&, const TreeCentre::Config&,
                           const Results<TreeCentre>& results) {
  for (const auto& result : results)
    if (result && result->is_root) return result->height;
  return 0;
}
template <>
double cost_of<Boruvka>(const LiveGraph& live, const Boruvka::Config& config,
                        const Results<Boruvka>& results) {
  double twice = 0;
  for (NodeId node = 0; node < results.size(); ++node)
    if (results[node])
      FilterPorts::each(results[node]->tree, [&](size_t port) {
        twice += config.weights[live.graph().link_of(live.graph().arc(node, port))];
      });
  return twice / 2;
}
template <>
double cost_of<IndependentSet>(const LiveGraph&, const IndependentSet::Config&,
                               const Results<IndependentSet>& results) {
  return static_cast<double>(std::count_if(
      results.begin(), results.end(), [](const auto& result) { return result && result->in; }));
}
template <>
double cost_of<VertexCover>(const LiveGraph&, const VertexCover::Config& config,
                            const Results<VertexCover>& results) {
  return cover_weight<VertexCover>(config, results);
}
template <>
double cost_of<ApproximateVertexCover>(const LiveGraph&,
                                       const ApproximateVertexCover::Config& config,
                                       const Results<ApproximateVertexCover>& results) {
  return cover_weight<ApproximateVertexCover>(config, results);
}
template <>
double cost_of<Spanner>(const LiveGraph& live, const Spanner::Config&,
                        const Results<Spanner>& results) {
  return static_cast<double>(kept_links(live, results));
}
template <>
double cost_of<SetCoverTree>(const LiveGraph&, const SetCoverTree::Config&,
                             const Results<SetCoverTree>& results) {
  return static_cast<double>(std::count_if(results.begin(), results.end(), [](const auto& result) {
    return result && result->place.parent != kNoPort;
  }));
}

}  // namespace lambdacast::sim::fabrics
