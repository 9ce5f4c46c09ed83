// SPDX-License-Identifier: BSD-3-Clause
// Graphs by name, as `--graph` takes them.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "sim/fabrics/graphs_fabric.h"

namespace lambdacast::sim::fabrics {

inline constexpr uint64_t kMostNodes = 1u << 20;
inline constexpr uint64_t kMostLinks = 1u << 23;

inline constexpr const char* kGraphForms =
    "fat-tree:K, jupiter, jellyfish[:NODES,LINKS], gml:FILE, wan:NODES,LINKS,DIAMETER,DEGREE, "
    "hamming:N,DIGITS, spine-leaf:RACKS,SPINES, ring:N, random:NODES,LINKS";

// The seed is for graphs that are drawn. A graph that is not connected is an error that names it.
[[nodiscard]] base::Result<Fabric> parse_graph(const std::string& spec, uint64_t seed);

}  // namespace lambdacast::sim::fabrics
