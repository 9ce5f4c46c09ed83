// SPDX-License-Identifier: BSD-3-Clause
// A multicast tree of switches: from the sender's rack to the receivers' racks.
#pragma once

#include <cstdint>
#include <vector>

#include "congest/graph.h"

namespace lambdacast::trees {

using congest::ArcId;
using congest::Graph;
using congest::kNone;
using congest::NodeId;

// Switches stand in order of their depth, the root first, and children of one parent beside each
// other in the order of its ports.
struct Tree {
  struct Branch {
    NodeId node = 0;
    ArcId arc = kNone;        // from the parent to it; kNone: the root
    uint32_t parent = kNone;  // its place in `branches`
    uint32_t first_child = 0;
    uint32_t children = 0;
    bool receiver = false;

    [[nodiscard]] bool leaf() const { return children == 0; }
  };
  std::vector<Branch> branches;

  [[nodiscard]] const Branch& root() const { return branches.front(); }
};

}  // namespace lambdacast::trees
