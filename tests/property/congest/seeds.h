// SPDX-License-Identifier: BSD-3-Clause
// Seeds for algorithms on random graphs: each is run in rounds without a network, and by the engine
// on links that lose, delay and duplicate, and both have to say the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "congest/alpha.h"
#include "congest/beta.h"
#include "congest/breadth_first.h"
#include "congest/engine.h"
#include "congest/link_window.h"
#include "congest/stored_frames.h"
#include "congest/synchronous_run.h"
#include "sim/fabrics/congest_run.h"

namespace lambdacast::congest {

// A connected graph of 1 ... `most` nodes: a random tree of one of several shapes, and more links.
inline Graph random_graph(uint64_t seed, size_t most) {
  base::SplitMix64 random(seed);
  const size_t nodes = 1 + random.below(most);
  const uint64_t shape = random.below(3);  // bushy, long, or between
  std::vector<NodeId> names(nodes);
  for (NodeId node = 0; node < nodes; ++node) {
    names[node] = node;
    std::swap(names[node], names[random.below(node + 1)]);
  }
  std::vector<Link> links;
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

[[nodiscard]] inline size_t alive_nodes(const LiveGraph& live) {
  size_t alive = 0;
  for (NodeId node = 0; node < live.graph().nodes(); ++node) alive += live.alive(node);
  return alive;
}

[[nodiscard]] inline NodeId first_alive(const LiveGraph& live) {
  NodeId node = 0;
  while (!live.alive(node)) ++node;
  return node;
}

[[nodiscard]] inline bool is_connected(const LiveGraph& live) {
  const auto hops = distances(live, first_alive(live));
  for (NodeId node = 0; node < hops.size(); ++node)
    if (live.alive(node) && hops[node] == kNone) return false;
  return true;
}

// Lets some links and nodes fail, as long as what is left is connected.
inline void fail_something(LiveGraph& live, uint64_t seed) {
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

// Breadth first from that root, by node.
inline std::vector<TreePlace> tree_of(const LiveGraph& live, NodeId root) {
  const auto run = run_synchronously<BreadthFirst>(live, {.roots = {root}}, 0);
  std::vector<TreePlace> places;
  for (const auto& result : run.results)
    places.push_back(result ? result->at(0).tree : TreePlace());
  return places;
}

inline sim::fabrics::CongestSetting random_setting(uint64_t seed) {
  base::SplitMix64 random(base::mix64(seed ^ 0x5e771));
  const double share = static_cast<double>(random.below(1000)) / 1000;
  sim::fabrics::CongestSetting setting;
  setting.seed = seed;
  setting.medium_seed = random();
  setting.medium.model = random.below(2) ? sim::fabrics::Model::kA : sim::fabrics::Model::kB;
  setting.medium.loss = random.below(4) == 0 ? 0 : 0.3 * share;
  setting.medium.duplication = random.below(2) ? 0.2 : 0;
  setting.medium.delay = random.below(2) ? 0.3 : 0;
  setting.medium.most_delay_ns = 100'000;
  setting.transport.check_ns = random.below(2) ? 100 : 1000;
  setting.most_events = 3'000'000;
  return setting;
}

// Empty: the engine says what the reference says.
template <typename Engine, typename Place>
std::string difference(const LiveGraph& live,
                       const SynchronousRun<typename Engine::Algorithm>& reference,
                       const typename Engine::Algorithm::Config& config, Place place,
                       const sim::fabrics::CongestSetting& setting) {
  const auto run = sim::fabrics::run_congest<Engine>(live, config, place, setting);
  if (!run.ended) return "it has not ended";
  if (run.results != reference.results) return "it has another result";
  if (run.messages != reference.messages) return "it has sent other messages";
  return {};
}

// Two runs that are to be equal frame for frame.
template <typename Algorithm, typename Synchroniser, typename Place>
std::string windows_of_one(const LiveGraph& live, const typename Algorithm::Config& config,
                           Place place, sim::fabrics::CongestSetting setting) {
  using sim::fabrics::run_congest;
  const auto stored =
      run_congest<Engine<Algorithm, Synchroniser, StoredFrames>>(live, config, place, setting);
  setting.transport.window = 1;
  setting.transport.bare = true;
  const auto window =
      run_congest<Engine<Algorithm, Synchroniser, LinkWindow>>(live, config, place, setting);
  return stored.trace == window.trace && stored.end_ns == window.end_ns ? "" : "other frames";
}

// By both synchronisers and all transports. Empty: all are equal.
template <typename Algorithm>
std::string differences(const LiveGraph& live, const typename Algorithm::Config& config,
                        const SynchronousRun<Algorithm>& reference, uint64_t seed) {
  const auto setting = random_setting(seed);
  const auto tree = tree_of(live, first_alive(live));
  const auto place = [&](NodeId node) { return tree[node]; };
  const Alpha::Config end{.rounds = reference.most_rounds, .phases = reference.phases};
  const auto bound = [&](NodeId) { return end; };
  std::string said;
  const auto add = [&](const char* of, const std::string& what) {
    if (!what.empty()) said += std::string(of) + ": " + what + "; ";
  };
  add("beta",
      difference<Engine<Algorithm, Beta, StoredFrames>>(live, reference, config, place, setting));
  add("alpha",
      difference<Engine<Algorithm, Alpha, StoredFrames>>(live, reference, config, bound, setting));
  add("beta, window",
      difference<Engine<Algorithm, Beta, LinkWindow>>(live, reference, config, place, setting));
  add("alpha, window",
      difference<Engine<Algorithm, Alpha, LinkWindow>>(live, reference, config, bound, setting));
  return said;
}

}  // namespace lambdacast::congest
