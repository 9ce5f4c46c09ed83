// SPDX-License-Identifier: BSD-3-Clause
// Graphs that are drawn: equal seeds give equal graphs. All are simple and connected.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "congest/graph.h"

namespace lambdacast::sim::fabrics {

// Singla et al., Jellyfish: each node has 2 links / nodes ports, rounded down, and the first ones
// have one more until the links are used up. Which graph with these degrees is chance.
[[nodiscard]] base::Result<congest::Graph> draw_jellyfish(uint32_t nodes, uint32_t links,
                                                          uint64_t seed);

// A random tree, and links between random nodes beside it.
[[nodiscard]] base::Result<congest::Graph> draw_random(uint32_t nodes, uint32_t links,
                                                       uint64_t seed);

// Draws a stand-in for a wide-area network of which only these four figures are known. Each
// node has a place 0 ... diameter, and each place a node; links join places one apart. Every node
// has a link towards the middle, where one node stands, or two linked ones if `diameter` is odd:
// so no two nodes are further apart than `diameter`, and the ends are.
[[nodiscard]] base::Result<congest::Graph> draw_wan(uint32_t nodes, uint32_t links,
                                                    uint32_t diameter, uint32_t degree,
                                                    uint64_t seed);

}  // namespace lambdacast::sim::fabrics
