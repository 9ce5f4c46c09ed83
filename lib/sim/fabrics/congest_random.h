// SPDX-License-Identifier: BSD-3-Clause
// Small cases for lib/congest, each a function of a seed: a graph of which something has failed, an
// algorithm's input, and links that lose, delay and duplicate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/fabrics/congest_judge.h"
#include "sim/fabrics/congest_run.h"

namespace lambdacast::sim::fabrics {

// A connected graph of 1 ... `most` nodes: a random tree of one of several shapes, and more links.
[[nodiscard]] congest::Graph random_graph(uint64_t seed, size_t most);
// Lets some links and nodes fail, as long as what is left is connected.
void fail_something(LiveGraph& live, uint64_t seed);
// Breadth first from that root, by node.
[[nodiscard]] std::vector<congest::TreePlace> tree_of(const LiveGraph& live, congest::NodeId root);
[[nodiscard]] CongestSetting random_setting(uint64_t seed);

template <typename Algorithm>
[[nodiscard]] typename Algorithm::Config random_config(const LiveGraph& live, uint64_t seed);

}  // namespace lambdacast::sim::fabrics
