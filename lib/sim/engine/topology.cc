// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/topology.h"

#include <limits>
#include <stdexcept>
#include <utility>

namespace lambdacast::sim {

Topology::Topology(uint32_t nodes, std::vector<Hop> links)
    : links_(std::move(links)), rows_(size_t{nodes} + 1), by_node_(links_.size()) {
  if (links_.size() > std::numeric_limits<uint32_t>::max())
    throw std::length_error("2^32 links or more");
  for (const Hop& link : links_) {
    if (link.from >= nodes || link.to >= nodes)
      throw std::out_of_range("a link whose end is no node");
    ++rows_[link.from + 1];
  }
  for (size_t node = 0; node < nodes; ++node) rows_[node + 1] += rows_[node];
  std::vector<uint32_t> next(rows_.begin(), rows_.end() - 1);
  for (uint32_t link = 0; link < links_.size(); ++link) by_node_[next[links_[link].from]++] = link;
}

Topology Topology::of_cables(uint32_t nodes, std::span<const Hop> cables) {
  std::vector<Hop> links;
  links.reserve(2 * cables.size());
  for (const Hop& cable : cables) {
    links.push_back(cable);
    links.push_back({cable.to, cable.from});
  }
  return Topology(nodes, std::move(links));
}

}  // namespace lambdacast::sim
