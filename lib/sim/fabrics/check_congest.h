// SPDX-License-Identifier: BSD-3-Clause
// Checks the results of lib/congest's algorithms by code that shares nothing with them: Boost.Graph
// where it has the algorithm. An empty string: the result is right.
//
// A tree is given by the arc from each node towards its parent; kNone: the root, or not in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "congest/graph.h"

namespace lambdacast::sim::fabrics {

using Parents = std::vector<congest::ArcId>;  // by node

// It spans all that is alive from that root, and has no cycle.
[[nodiscard]] std::string check_spanning_tree(const congest::LiveGraph& live, congest::NodeId root,
                                              const Parents& parents);
// It is a tree of least distances whose parents are the least of the layer before.
[[nodiscard]] std::string check_breadth_first(const congest::LiveGraph& live, congest::NodeId root,
                                              const Parents& parents,
                                              const std::vector<uint32_t>& distances);
// The same edges as the tree before, with the root at a centre, whose height was told.
[[nodiscard]] std::string check_centre(const congest::LiveGraph& live, congest::NodeId root,
                                       const Parents& before, const Parents& parents,
                                       uint32_t told_height);
// It spans all that is alive with the weight of Kruskal's tree.
[[nodiscard]] std::string check_least_tree(const congest::LiveGraph& live,
                                           const std::vector<uint32_t>& weights,
                                           const std::vector<bool>& links);
[[nodiscard]] std::string check_independent_set(const congest::LiveGraph& live,
                                                const std::vector<bool>& in);
// It covers all links that are alive with at most (2 + epsilon) times the weight of the least
// fractional cover. `paid` by arc, of `one` to a unit: both ends of a link say the same, and no
// weight is overpaid.
struct Cover {
  const std::vector<uint32_t>& weights;  // by node
  const std::vector<bool>& in;
  const std::vector<uint64_t>& paid;
  uint64_t one;
  uint32_t epsilon_permille;
};
[[nodiscard]] std::string check_cover(const congest::LiveGraph& live, const Cover& cover);
// The ends of each link are at most 2 k - 1 hops apart on the links given.
[[nodiscard]] std::string check_spanner(const congest::LiveGraph& live, uint32_t k,
                                        const std::vector<bool>& links);
// Each receiver hangs at its least distance from the source, and no leaf is none.
[[nodiscard]] std::string check_receivers(const congest::LiveGraph& live, congest::NodeId source,
                                          const std::vector<bool>& receivers,
                                          const Parents& parents);

}  // namespace lambdacast::sim::fabrics
