// SPDX-License-Identifier: BSD-3-Clause
// The way of a packet over the tree that a flood has built (trees/tree_core.h), by what the
// switches have got of their neighbours and by nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>

#include "congest/graph.h"
#include "trees/tree_core.h"

namespace lambdacast::sim::fabrics {

using TreeCores = std::function<const trees::TreeCore&(congest::NodeId)>;

struct RecoveryPath {
  std::map<congest::NodeId, int> copies;  // by switch: that come by its bitmaps
  uint64_t links = 0;                     // crossed
};

// Of a packet of that group from its source. Published: it climbs to the root, and comes down where
// bits are set. `above`: each switch passes it on below where bits are set, and climbs only if
// there are members above, so that it is copied on its way up, too. Ends on circles, with copies
// too many.
[[nodiscard]] RecoveryPath recovery_path(const congest::LiveGraph& live, const TreeCores& cores,
                                         bool above, size_t group, congest::NodeId source);

// The links of the least part of that tree that has the source and all receivers in it.
[[nodiscard]] uint64_t least_links(const congest::LiveGraph& live, const TreeCores& cores,
                                   congest::NodeId source,
                                   std::span<const congest::NodeId> receivers);

}  // namespace lambdacast::sim::fabrics
