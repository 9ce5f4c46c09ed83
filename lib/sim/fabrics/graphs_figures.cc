// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/graphs_figures.h"

#include <algorithm>
#include <array>

namespace lambdacast::sim::fabrics {

namespace {

using congest::Graph;
using congest::NodeId;

constexpr size_t kWords = 8;
constexpr size_t kSources = 64 * kWords;
using Sources = std::array<uint64_t, kWords>;  // a bit a source

// Searches from as many nodes at a time. Each step passes on what was new in the last one.
class Search {
 public:
  explicit Search(const Graph& graph)
      : graph_(graph), seen_(graph.nodes()), fresh_(graph.nodes()), next_(graph.nodes()) {}

  void run(NodeId first, std::vector<uint32_t>& eccentricity) {
    std::fill(seen_.begin(), seen_.end(), Sources{});
    std::fill(fresh_.begin(), fresh_.end(), Sources{});
    const size_t count = std::min(kSources, graph_.nodes() - first);
    for (size_t i = 0; i < count; ++i)
      seen_[first + i][i / 64] = fresh_[first + i][i / 64] = uint64_t{1} << (i % 64);
    for (uint32_t hops = 1;; ++hops) {
      const Sources grown = step();
      if (grown == Sources{}) return;
      for (size_t i = 0; i < count; ++i) {
        if ((grown[i / 64] >> (i % 64) & 1) != 0) eccentricity[first + i] = hops;
      }
    }
  }

 private:
  // The sources that have reached a node for the first time.
  Sources step() {
    Sources grown{};
    for (NodeId node = 0; node < graph_.nodes(); ++node) {
      Sources heard{};
      for (const NodeId neighbor : graph_.neighbors(node)) {
        for (size_t w = 0; w < kWords; ++w) heard[w] |= fresh_[neighbor][w];
      }
      for (size_t w = 0; w < kWords; ++w) {
        heard[w] &= ~seen_[node][w];
        seen_[node][w] |= heard[w];
        grown[w] |= heard[w];
      }
      next_[node] = heard;
    }
    fresh_.swap(next_);
    return grown;
  }

  const Graph& graph_;
  std::vector<Sources> seen_;   // by node: the sources that have reached it
  std::vector<Sources> fresh_;  // of those, the ones that did in the last step
  std::vector<Sources> next_;
};

}  // namespace

std::vector<uint32_t> eccentricities(const Graph& graph) {
  std::vector<uint32_t> eccentricity(graph.nodes());
  Search search(graph);
  for (size_t first = 0; first < graph.nodes(); first += kSources)
    search.run(static_cast<NodeId>(first), eccentricity);
  return eccentricity;
}

NodeId unreachable(const Graph& graph) {
  if (graph.nodes() == 0) return congest::kNone;
  const std::vector<uint32_t> hops = distances(congest::LiveGraph(graph), 0);
  const auto found = std::find(hops.begin(), hops.end(), congest::kNone);
  return found == hops.end() ? congest::kNone : static_cast<NodeId>(found - hops.begin());
}

GraphFigures figures(const Graph& graph) {
  GraphFigures figures{.nodes = graph.nodes(), .links = graph.links()};
  if (graph.nodes() == 0) return figures;
  const std::vector<uint32_t> eccentricity = eccentricities(graph);
  const auto [least, greatest] = std::minmax_element(eccentricity.begin(), eccentricity.end());
  figures.radius = *least;
  figures.diameter = *greatest;
  figures.connected = unreachable(graph) == congest::kNone;
  figures.least_degree = graph.degree(0);
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    figures.least_degree = std::min(figures.least_degree, graph.degree(node));
    figures.degree = std::max(figures.degree, graph.degree(node));
  }
  return figures;
}

}  // namespace lambdacast::sim::fabrics
