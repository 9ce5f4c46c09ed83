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

// Follows a packet of that group from its source. As published it climbs to the root, and comes
// down where bits are set. With `above` each switch copies it down where bits are set, and passes
// it up only if there are members above. On a circle it ends with too many copies.
[[nodiscard]] RecoveryPath recovery_path(const congest::LiveGraph& live, const TreeCores& cores,
                                         bool above, size_t group, congest::NodeId source);

// The links of the least part of that tree that has the source and all receivers in it.
[[nodiscard]] uint64_t least_links(const congest::LiveGraph& live, const TreeCores& cores,
                                   congest::NodeId source,
                                   std::span<const congest::NodeId> receivers);

}  // namespace lambdacast::sim::fabrics
