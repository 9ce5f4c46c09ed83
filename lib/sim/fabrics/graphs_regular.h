// SPDX-License-Identifier: BSD-3-Clause
// Graphs without chance: Clos networks, Hamming graphs and rings. What they are called with has
// been checked (graphs_spec.h).
#pragma once

#include "sim/fabrics/graphs_fabric.h"

namespace lambdacast::sim::fabrics {

// Al-Fares et al.: of switches with k ports, k even; 5/4 k^2 switches, k^3/2 links.
[[nodiscard]] Fabric fat_tree(uint32_t k);

// Singh et al., Jupiter: 64 aggregation blocks of 128 rack switches and 8 middle blocks, each of
// 8 chips towards the racks and 8 towards the spine; 256 spine blocks of 16 chips towards the
// aggregation blocks and 8 behind them. The paper leaves the wiring between blocks open: two links
// join each aggregation block with each spine block, from middle blocks four apart to chips eight
// apart, so that no chip and no middle block has both.
[[nodiscard]] Fabric jupiter();

// Every rack switch has a link to every spine.
[[nodiscard]] Fabric spine_leaf(uint32_t racks, uint32_t spines);

// n^d switches, named by d digits below n; those that differ in one digit are linked.
[[nodiscard]] Fabric hamming(uint32_t n, uint32_t d);

[[nodiscard]] Fabric ring(uint32_t n);

}  // namespace lambdacast::sim::fabrics
