// SPDX-License-Identifier: BSD-3-Clause
// Figures of a graph: exact, by a search from every node, 64 of them at a time in the bits of a
// word. Jupiter's 22 528 switches take about a second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "congest/graph.h"

namespace lambdacast::sim::fabrics {

struct GraphFigures {
  size_t nodes = 0;
  size_t links = 0;
  uint32_t diameter = 0;  // hops between the nodes furthest from each other; connected only
  uint32_t radius = 0;    // the least eccentricity
  size_t least_degree = 0;
  size_t degree = 0;  // the greatest
  bool connected = true;
};

// By node: hops to the node furthest from it, among those that it reaches.
[[nodiscard]] std::vector<uint32_t> eccentricities(const congest::Graph& graph);
[[nodiscard]] GraphFigures figures(const congest::Graph& graph);
// A node that node 0 does not reach; kNone: there is none.
[[nodiscard]] congest::NodeId unreachable(const congest::Graph& graph);

}  // namespace lambdacast::sim::fabrics
