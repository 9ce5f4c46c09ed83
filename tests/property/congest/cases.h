// SPDX-License-Identifier: BSD-3-Clause
// The inputs of each algorithm on a random graph, and the check of its result.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "congest/boruvka.h"
#include "congest/breadth_first.h"
#include "congest/independent_set.h"
#include "congest/leader.h"
#include "congest/set_cover_tree.h"
#include "congest/spanner.h"
#include "congest/tree_centre.h"
#include "congest/tree_election.h"
#include "congest/vertex_cover.h"
#include "seeds.h"
#include "sim/fabrics/check_congest.h"

namespace lambdacast::congest {

namespace check = sim::fabrics;

// Case<Algorithm>::config(live, seed) and judge(live, config, run); judge says nothing of a result
// that is right.
template <typename Algorithm>
struct Case;

inline ArcId parent_arc(const Graph& graph, NodeId node, const TreePlace& place) {
  return place.parent == kNoPort ? kNone : graph.arc(node, place.parent);
}

template <>
struct Case<Leader> {
  static Leader::Config config(const LiveGraph&, uint64_t) { return {}; }
  static std::string judge(const LiveGraph& live, const Leader::Config&,
                           const SynchronousRun<Leader>& run) {
    for (const auto& result : run.results)
      if (result && result->leader != first_alive(live)) return "not the least";
    return {};
  }
};

template <>
struct Case<BreadthFirst> {
  static BreadthFirst::Config config(const LiveGraph& live, uint64_t seed) {
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
  static std::string judge(const LiveGraph& live, const BreadthFirst::Config& config,
                           const SynchronousRun<BreadthFirst>& run) {
    for (size_t i = 0; i < config.roots.size(); ++i) {
      check::Parents parents(run.results.size(), kNone);
      std::vector<uint32_t> distances(run.results.size(), kNone);
      for (NodeId node = 0; node < parents.size(); ++node) {
        if (!run.results[node]) continue;
        const BreadthFirst::Place& place = run.results[node]->at(i);
        parents[node] = parent_arc(live.graph(), node, place.tree);
        distances[node] = place.distance;
        if (parents[node] == kNone) continue;
        const ArcId back = live.graph().reverse(parents[node]);
        const auto& parent = run.results[live.graph().to(parents[node])]->at(i);
        if (!parent.tree.children.test(live.graph().port(back))) return "a child is not known";
      }
      const auto said = check::check_breadth_first(live, config.roots[i], parents, distances);
      if (!said.empty()) return said;
    }
    return {};
  }
};

template <>
struct Case<TreeCentre> {
  static TreeCentre::Config config(const LiveGraph& live, uint64_t) {
    return TreeCentre::Config{tree_of(live, first_alive(live))};
  }
  static std::string judge(const LiveGraph& live, const TreeCentre::Config& before,
                           const SynchronousRun<TreeCentre>& run) {
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
  }
};

template <>
struct Case<TreeElection> {
  static TreeElection::Config config(const LiveGraph& live, uint64_t seed) {
    TreeElection::Config config;
    base::SplitMix64 random(seed);
    config.candidates.push_back({first_alive(live), static_cast<uint32_t>(random.below(3))});
    for (NodeId node = first_alive(live) + 1; node < live.graph().nodes(); ++node)
      if (live.alive(node) && random.below(3) == 0)
        config.candidates.push_back({node, static_cast<uint32_t>(random.below(3))});
    return config;
  }
  static std::string judge(const LiveGraph&, const TreeElection::Config& config,
                           const SynchronousRun<TreeElection>& run) {
    const auto best = std::min_element(
        config.candidates.begin(), config.candidates.end(), [](const auto& a, const auto& b) {
          return std::pair(a.height, a.root) < std::pair(b.height, b.root);
        });
    for (const auto& result : run.results)
      if (result && (result->root != best->root || result->height != best->height))
        return "not the best";
    return {};
  }
};

template <>
struct Case<Boruvka> {
  static Boruvka::Config config(const LiveGraph& live, uint64_t seed) {
    Boruvka::Config config;
    base::SplitMix64 random(seed);
    for (LinkId link = 0; link < live.graph().links(); ++link)
      config.weights.push_back(static_cast<uint32_t>(random.below(8)));
    return config;
  }
  static std::string judge(const LiveGraph& live, const Boruvka::Config& config,
                           const SynchronousRun<Boruvka>& run) {
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
  }
};

template <>
struct Case<IndependentSet> {
  static IndependentSet::Config config(const LiveGraph&, uint64_t seed) {
    return IndependentSet::Config{.draw_bits = seed % 2 ? 1u : 16u};
  }
  static std::string judge(const LiveGraph& live, const IndependentSet::Config&,
                           const SynchronousRun<IndependentSet>& run) {
    std::vector<bool> in;
    for (const auto& result : run.results) in.push_back(result && result->in);
    return check::check_independent_set(live, in);
  }
};

template <typename Arithmetic>
struct Case<VertexCoverBy<Arithmetic>> {
  using Algorithm = VertexCoverBy<Arithmetic>;
  static typename Algorithm::Config config(const LiveGraph& live, uint64_t seed) {
    typename Algorithm::Config config;
    base::SplitMix64 random(seed);
    const uint64_t most = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 1 << 10 : 1 << 20;
    for (NodeId node = 0; node < live.graph().nodes(); ++node)
      config.weights.push_back(static_cast<uint32_t>(1 + random.below(most)));
    config.epsilon_permille = seed % 2 ? 100 : 10;
    config.alpha_log2 = 1 + seed / 6 % 3;
    return config;
  }
  static std::string judge(const LiveGraph& live, const typename Algorithm::Config& config,
                           const SynchronousRun<Algorithm>& run) {
    const Graph& graph = live.graph();
    std::vector<bool> in;
    std::vector<uint64_t> paid(graph.arcs());
    for (NodeId node = 0; node < graph.nodes(); ++node) {
      const auto& result = run.results[node];
      in.push_back(result && result->in);
      for (size_t port = 0; result && port < graph.degree(node); ++port)
        paid[graph.arc(node, port)] = result->paid[port];
    }
    return check::check_cover(live, {config.weights, in, paid, uint64_t{1} << Algorithm::kFraction,
                                     config.epsilon_permille});
  }
};

template <>
struct Case<Spanner> {
  static inline double edges = 0, most = 0;  // kept and promised, over all seeds
  static Spanner::Config config(const LiveGraph&, uint64_t seed) {
    return Spanner::Config{.k = static_cast<uint32_t>(1 + seed % 4), .seed = seed};
  }
  static std::string judge(const LiveGraph& live, const Spanner::Config& config,
                           const SynchronousRun<Spanner>& run) {
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
  }
};

template <>
struct Case<SetCoverTree> {
  static SetCoverTree::Config config(const LiveGraph& live, uint64_t seed) {
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
  static std::string judge(const LiveGraph& live, const SetCoverTree::Config& config,
                           const SynchronousRun<SetCoverTree>& run) {
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
  }
};

// The reference over seeds, and then what `differs(live, config, reference, seed)` says of the
// engine. Empty: no fault in any.
template <typename Algorithm, typename Differs>
std::string first_fault(uint64_t seeds, size_t nodes, Differs differs) {
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const Graph graph = random_graph(seed, nodes);
    LiveGraph live(graph);
    fail_something(live, seed);
    const typename Algorithm::Config config = Case<Algorithm>::config(live, seed);
    const auto reference = run_synchronously<Algorithm>(live, config, seed);
    const auto backward =
        run_synchronously<Algorithm>(live, config, seed, MessageOrder::kByPortDescending);
    std::string said;
    for (const std::string& fault :
         {Case<Algorithm>::judge(live, config, reference),
          std::string(backward.results == reference.results ? "" : "it hangs on the order"),
          differs(live, config, reference, seed)})
      if (!fault.empty()) said += "; " + fault;
    if (!said.empty()) return "seed " + std::to_string(seed) + said;
  }
  return {};
}

}  // namespace lambdacast::congest
