// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/graphs_regular.h"

namespace lambdacast::sim::fabrics {

namespace {

// Numbers the switches of a Clos network, layer by layer, beginning with the racks'.
class ClosBuilder {
 public:
  // A layer of `switches`, of which logical(i) of `numbers` is the number of the i-th.
  template <typename Logical>
  NodeId layer(uint32_t switches, uint32_t numbers, Logical&& logical) {
    const auto first = static_cast<NodeId>(fabric_.layer.size());
    const auto layer = static_cast<uint8_t>(fabric_.logical_switches.size());
    for (uint32_t i = 0; i < switches; ++i) {
      fabric_.layer.push_back(layer);
      fabric_.logical.push_back(logical(i));
      if (layer == 0) fabric_.racks.push_back(i);
    }
    fabric_.logical_switches.push_back(numbers);
    return first;
  }
  void link(NodeId a, NodeId b) { links_.push_back({a, b}); }
  [[nodiscard]] Fabric built() {
    fabric_.graph = Graph(fabric_.layer.size(), std::move(links_));
    return std::move(fabric_);
  }

 private:
  Fabric fabric_;
  std::vector<Link> links_;
};

}  // namespace

Fabric fat_tree(uint32_t k) {
  const uint32_t half = k / 2;
  ClosBuilder clos;
  const NodeId rack = clos.layer(k * half, k * half, [](uint32_t i) { return i; });
  const NodeId pod = clos.layer(k * half, k, [half](uint32_t i) { return i / half; });
  const NodeId core = clos.layer(half * half, 1, [](uint32_t) { return 0u; });
  for (uint32_t p = 0; p < k; ++p) {
    for (uint32_t i = 0; i < half; ++i) {
      for (uint32_t j = 0; j < half; ++j) {
        clos.link(rack + p * half + i, pod + p * half + j);
        clos.link(pod + p * half + i, core + i * half + j);
      }
    }
  }
  return clos.built();
}

Fabric jupiter() {
  constexpr uint32_t kBlocks = 64, kRacks = 128, kMiddles = 8, kChips = 8;
  constexpr uint32_t kSpines = 256, kSpineChips = 16;
  constexpr uint32_t kMiddleChips = kBlocks * kMiddles * kChips;
  constexpr uint32_t kOfBlock = kMiddles * kChips;
  ClosBuilder clos;
  const NodeId rack = clos.layer(kBlocks * kRacks, kBlocks * kRacks, [](uint32_t i) { return i; });
  const NodeId low = clos.layer(kMiddleChips, kBlocks * kChips,
                                [](uint32_t i) { return i / kOfBlock * kChips + i % kChips; });
  const NodeId high = clos.layer(kMiddleChips, kBlocks, [](uint32_t i) { return i / kOfBlock; });
  const NodeId edge =
      clos.layer(kSpines * kSpineChips, kSpineChips, [](uint32_t i) { return i % kSpineChips; });
  const NodeId top = clos.layer(kSpines * kChips, 1, [](uint32_t) { return 0u; });
  for (uint32_t block = 0; block < kBlocks; ++block) {
    for (uint32_t middle = 0; middle < kMiddles; ++middle) {
      const uint32_t chips = (block * kMiddles + middle) * kChips;
      for (uint32_t r = 0; r < kRacks; ++r)
        clos.link(rack + block * kRacks + r, low + chips + r / (kRacks / kChips));
      for (uint32_t i = 0; i < kChips * kChips; ++i)
        clos.link(low + chips + i / kChips, high + chips + i % kChips);
      for (uint32_t i = 0; i < kChips * kChips; ++i) {
        const uint32_t spine = middle % 4 * (kChips * kChips) + i;
        const uint32_t chip = middle / 4 * kChips + block / kChips;
        clos.link(high + chips + i / kChips, edge + spine * kSpineChips + chip);
      }
    }
  }
  for (uint32_t spine = 0; spine < kSpines; ++spine) {
    for (uint32_t i = 0; i < kSpineChips * kChips; ++i)
      clos.link(edge + spine * kSpineChips + i / kChips, top + spine * kChips + i % kChips);
  }
  return clos.built();
}

Fabric spine_leaf(uint32_t racks, uint32_t spines) {
  ClosBuilder clos;
  const NodeId rack = clos.layer(racks, racks, [](uint32_t i) { return i; });
  const NodeId spine = clos.layer(spines, 1, [](uint32_t) { return 0u; });
  for (uint32_t r = 0; r < racks; ++r) {
    for (uint32_t s = 0; s < spines; ++s) clos.link(rack + r, spine + s);
  }
  return clos.built();
}

Fabric hamming(uint32_t n, uint32_t d) {
  uint32_t nodes = 1;
  for (uint32_t digit = 0; digit < d; ++digit) nodes *= n;
  std::vector<Link> links;
  for (NodeId node = 0; node < nodes; ++node) {
    for (uint32_t weight = 1; weight < nodes; weight *= n) {
      for (uint32_t digit = node / weight % n + 1; digit < n; ++digit)
        links.push_back({node, node + (digit - node / weight % n) * weight});
    }
  }
  return all_racks(Graph(nodes, std::move(links)));
}

Fabric ring(uint32_t n) {
  std::vector<Link> links;
  for (NodeId node = 0; node < n; ++node) links.push_back({node, (node + 1) % n});
  return all_racks(Graph(n, std::move(links)));
}

}  // namespace lambdacast::sim::fabrics
