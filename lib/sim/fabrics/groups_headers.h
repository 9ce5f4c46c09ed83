// SPDX-License-Identifier: BSD-3-Clause
// Headers of many groups: each group's tree on the graph and on a spanner of it, and its header in
// each scheme. Nothing of a group is kept but sums, so that a million of them fit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/fabrics/graphs_fabric.h"
#include "sim/fabrics/groups_wve.h"
#include "trees/route.h"
#include "trees/tree.h"

namespace lambdacast::sim::fabrics {

// A scheme on the trees that it is meant for. Ours takes the shorter of its headers for the two
// trees, and a bit to tell which.
enum class HeaderScheme : uint8_t {
  kNaive,          // on the graph
  kNaiveSpanner,   // on the spanner
  kFrancis,        // on the spanner
  kElmo,           // on the graph
  kOrca,           // on the graph
  kSlicesGraph,    // ours on the graph alone
  kSlicesSpanner,  // ours on the spanner alone
  kOurs,
};
inline constexpr size_t kHeaderSchemes = 8;
inline constexpr std::array<const char*, kHeaderSchemes> kHeaderSchemeNames = {
    "naive", "naive-spanner", "francis", "elmo", "orca", "ours-graph", "ours-spanner", "ours"};

struct HeaderSizes {
  uint64_t headers = 0;
  uint64_t unsaid = 0;  // trees that the scheme cannot say; no headers
  uint64_t wrong = 0;   // headers that do not say their tree, if that is checked
  uint64_t bits = 0;
  std::vector<uint64_t> by_bytes;  // how many headers of so many bytes; the last: or more

  void add(size_t header_bits);
  void operator+=(const HeaderSizes& other);
  [[nodiscard]] double mean_bytes() const;  // of headers as whole bytes
  [[nodiscard]] uint32_t percentile(double share) const;
};

// The number of groups whose trees pass through an element, and are lost with it.
struct Affected {
  std::vector<uint32_t> by_node;  // senders' and receivers' racks among them
  std::vector<uint32_t> by_link;

  void add(const trees::Tree& tree, const Graph& graph);
  void operator+=(const Affected& other);
};

struct HeaderFigures {
  std::array<HeaderSizes, kHeaderSchemes> sizes;
  uint64_t groups = 0;                          // with a receiver in another rack
  uint64_t receivers = 0;                       // racks
  uint64_t graph_links = 0, spanner_links = 0;  // of all trees
  double stretch = 0;  // sum over receivers: hops on the spanner by hops on the graph
  double most_stretch = 0;
  Affected on_graph, on_spanner;

  void operator+=(const HeaderFigures& other);
};

struct HeaderConfig {
  uint32_t spanner_k = 3;
  uint64_t seed = 1;
  bool turn_on_spanner = false;  // on the graph, ties always turn by group
  bool check = false;            // follow each header and compare with the tree
  trees::RouteConfig route;
};

class HeaderRun {
 public:
  // Both outlive it. `groups` are of the fabric's racks.
  HeaderRun(const Fabric& fabric, const Groups& groups, const HeaderConfig& config);

  [[nodiscard]] const Graph& spanner() const { return spanner_; }
  // By place: a group. Groups of one sender stand beside each other, since a sender's trees share a
  // search.
  [[nodiscard]] const std::vector<uint32_t>& order() const { return order_; }
  // Measures a block of the order. Any thread may ask, for different blocks at a time.
  [[nodiscard]] HeaderFigures measure(size_t first, size_t count) const;

 private:
  friend class HeaderBlock;
  const Fabric& fabric_;
  const Groups& groups_;
  HeaderConfig config_;
  Graph spanner_;
  trees::RouteContext graph_context_;
  trees::RouteContext spanner_context_;
  std::vector<uint32_t> order_;
};

}  // namespace lambdacast::sim::fabrics
