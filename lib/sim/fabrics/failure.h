// SPDX-License-Identifier: BSD-3-Clause
// The failures of a run on a fabric.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "congest/graph.h"

namespace lambdacast::sim::fabrics {

struct Failure {
  congest::NodeId node = congest::kNone;
  congest::LinkId link = congest::kNone;  // if no node
  uint64_t behind_ns = 0;                 // the first one
};

// In the order in which they come.
[[nodiscard]] inline std::vector<Failure> in_order(std::vector<Failure> failures) {
  std::stable_sort(failures.begin(), failures.end(), [](const Failure& one, const Failure& other) {
    return one.behind_ns < other.behind_ns;
  });
  return failures;
}

// Draws failures until there are `count`: all of links, or all of switches, of those in `among`
// (empty: any). Each is no neighbour of what has failed before, as far as the graph has such.
void draw_further(const congest::Graph& graph, uint32_t count, bool links,
                  std::span<const congest::NodeId> among, base::SplitMix64& random,
                  std::vector<Failure>& failures);

}  // namespace lambdacast::sim::fabrics
