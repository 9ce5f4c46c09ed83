// SPDX-License-Identifier: BSD-3-Clause
// Nodes and the directed links between them: a graph in rows, built once and read then. Hundreds of
// thousands of links take 12 bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lambdacast::sim {

struct Hop {
  uint32_t from = 0;
  uint32_t to = 0;
};

class Topology {
 public:
  // Links have their numbers in the order given. Throws std::out_of_range for an end that is no
  // node, std::length_error for 2^32 links or more.
  Topology(uint32_t nodes, std::vector<Hop> links);
  // Each cable is two links: number 2 i as given, number 2 i + 1 back.
  [[nodiscard]] static Topology of_cables(uint32_t nodes, std::span<const Hop> cables);

  [[nodiscard]] uint32_t nodes() const { return static_cast<uint32_t>(rows_.size() - 1); }
  [[nodiscard]] uint32_t links() const { return static_cast<uint32_t>(links_.size()); }
  [[nodiscard]] Hop at(uint32_t link) const { return links_[link]; }
  // The numbers of the links that begin there, ascending.
  [[nodiscard]] std::span<const uint32_t> out_of(uint32_t node) const {
    return std::span(by_node_).subspan(rows_[node], rows_[node + 1] - rows_[node]);
  }

 private:
  std::vector<Hop> links_;
  std::vector<uint32_t> rows_;     // by node: where its links begin in by_node_
  std::vector<uint32_t> by_node_;  // numbers of links, node by node
};

}  // namespace lambdacast::sim
