// SPDX-License-Identifier: BSD-3-Clause
// A spanner after Baswana and Sen for links of equal weight, with all of the graph in one hand:
// part of the links, on which the ends of every link are at most 2k - 1 hops apart. Multicast trees
// are built on it, since its switches have fewer ports to tell apart (FRANCIS, 4.2).
#pragma once

#include <cstdint>
#include <vector>

#include "congest/graph.h"

namespace lambdacast::trees {

// The links of a spanner, ascending. Whether a cluster survives a phase is drawn from the seed, its
// centre and the phase, so that any form of the algorithm draws the same; where one of several
// links is kept it is the one to the least neighbour. `k` is at least 1.
[[nodiscard]] std::vector<congest::LinkId> spanner_links(const congest::Graph& graph, uint32_t k,
                                                         uint64_t seed);

// The graph of these links alone. Its link i is `links[i]` of the graph.
[[nodiscard]] congest::Graph part_of(const congest::Graph& graph,
                                     const std::vector<congest::LinkId>& links);

}  // namespace lambdacast::trees
