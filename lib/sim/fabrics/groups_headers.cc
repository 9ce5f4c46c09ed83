// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/groups_headers.h"

#include <algorithm>
#include <cmath>

#include "trees/set_cover_tree.h"
#include "trees/spanner_trees.h"

namespace lambdacast::sim::fabrics {

namespace {

using trees::ArcId;
using trees::Bits;
using trees::RouteContext;
using trees::Scheme;
using trees::SetCoverTrees;
using trees::Tree;

constexpr size_t kMostBytes = 1u << 14;

template <typename T>
void add_each(std::vector<T>& sums, const std::vector<T>& more) {
  if (sums.size() < more.size()) sums.resize(more.size());
  for (size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
}

trees::Layers layers_of(const Fabric& fabric) {
  return {fabric.layer, fabric.logical, fabric.logical_switches};
}

ArcId upward_of(const RouteContext& context, const Tree& tree, NodeId node) {
  for (const Tree::Branch& branch : tree.branches) {
    if (branch.arc != kNone && context.graph.from(branch.arc) == node &&
        context.layers.layer[branch.node] > context.layers.layer[node])
      return branch.arc;
  }
  return kNone;
}

// Every arc and every receiver of the tree, and nothing else unless the scheme may add.
bool says(Scheme scheme, const RouteContext& context, const Tree& tree, const Bits& header) {
  const bool may_add =
      scheme == Scheme::kOrca || (scheme == Scheme::kElmo && context.config.elmo_redundancy != 0);
  trees::Delivery found = deliver(scheme, context, tree.root().node, header,
                                  [&](NodeId node) { return upward_of(context, tree, node); });
  std::vector<ArcId> arcs;
  std::vector<NodeId> racks;
  for (const Tree::Branch& branch : tree.branches) {
    if (branch.arc != kNone) arcs.push_back(branch.arc);
    if (branch.receiver) racks.push_back(branch.node);
  }
  for (auto* sorted : {&arcs, &found.arcs}) std::sort(sorted->begin(), sorted->end());
  for (auto* sorted : {&racks, &found.racks}) std::sort(sorted->begin(), sorted->end());
  if (found.malformed) return false;
  if (!may_add) return found.arcs == arcs && found.racks == racks;
  return std::includes(found.arcs.begin(), found.arcs.end(), arcs.begin(), arcs.end()) &&
         std::includes(found.racks.begin(), found.racks.end(), racks.begin(), racks.end());
}

}  // namespace

void HeaderSizes::add(size_t header_bits) {
  if (by_bytes.empty()) by_bytes.resize(kMostBytes + 1);
  ++headers;
  bits += header_bits;
  ++by_bytes[std::min(kMostBytes, (header_bits + 7) / 8)];
}

void HeaderSizes::operator+=(const HeaderSizes& other) {
  headers += other.headers;
  unsaid += other.unsaid;
  wrong += other.wrong;
  bits += other.bits;
  add_each(by_bytes, other.by_bytes);
}

double HeaderSizes::mean_bytes() const {
  double bytes = 0;
  for (size_t i = 0; i < by_bytes.size(); ++i)
    bytes += static_cast<double>(i) * static_cast<double>(by_bytes[i]);
  return headers == 0 ? 0 : bytes / static_cast<double>(headers);
}

uint32_t HeaderSizes::percentile(double share) const {
  const auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(headers)));
  uint64_t found = 0;
  for (size_t i = 0; i < by_bytes.size(); ++i) {
    found += by_bytes[i];
    if (found >= wanted) return static_cast<uint32_t>(i);
  }
  return 0;
}

void Affected::add(const Tree& tree, const Graph& graph) {
  if (by_node.empty()) {
    by_node.resize(graph.nodes());
    by_link.resize(graph.links());
  }
  for (const Tree::Branch& branch : tree.branches) {
    ++by_node[branch.node];
    if (branch.arc != kNone) ++by_link[graph.link_of(branch.arc)];
  }
}

void Affected::operator+=(const Affected& other) {
  add_each(by_node, other.by_node);
  add_each(by_link, other.by_link);
}

void HeaderFigures::operator+=(const HeaderFigures& other) {
  for (size_t i = 0; i < kHeaderSchemes; ++i) sizes[i] += other.sizes[i];
  groups += other.groups;
  receivers += other.receivers;
  graph_links += other.graph_links;
  spanner_links += other.spanner_links;
  stretch += other.stretch;
  most_stretch = std::max(most_stretch, other.most_stretch);
  on_graph += other.on_graph;
  on_spanner += other.on_spanner;
}

// Measures a block: its working memory and its figures.
class HeaderBlock {
 public:
  explicit HeaderBlock(const HeaderRun& run)
      : run_(run), on_graph_(run.fabric_.graph), on_spanner_(run.spanner_) {}

  void add(uint64_t group) {
    run_.groups_.draw(group, scratch_, drawn_);
    if (drawn_.receivers.empty()) return;
    const NodeId source = run_.fabric_.racks[drawn_.sender];
    if (source != source_) {
      source_ = source;
      on_graph_.root(source);
      on_spanner_.root(source);
    }
    for (uint32_t& rack : drawn_.receivers) rack = run_.fabric_.racks[rack];
    const auto turn = static_cast<uint32_t>(base::mix64(run_.config_.seed + group) >> 40);
    on_graph_.build(drawn_.receivers, turn, graph_tree_);
    on_spanner_.build(drawn_.receivers, run_.config_.turn_on_spanner ? turn : 0, spanner_tree_);
    count();
    measure_all();
  }
  [[nodiscard]] HeaderFigures take() { return std::move(figures_); }

 private:
  void count() {
    ++figures_.groups;
    figures_.receivers += drawn_.receivers.size();
    figures_.graph_links += graph_tree_.branches.size() - 1;
    figures_.spanner_links += spanner_tree_.branches.size() - 1;
    for (const NodeId node : drawn_.receivers) {
      const double stretch = static_cast<double>(on_spanner_.hops()[node]) / on_graph_.hops()[node];
      figures_.stretch += stretch;
      figures_.most_stretch = std::max(figures_.most_stretch, stretch);
    }
    figures_.on_graph.add(graph_tree_, run_.fabric_.graph);
    figures_.on_spanner.add(spanner_tree_, run_.spanner_);
  }
  void measure_all() {
    measure(HeaderScheme::kNaive, Scheme::kNaive, run_.graph_context_, graph_tree_);
    measure(HeaderScheme::kNaiveSpanner, Scheme::kNaive, run_.spanner_context_, spanner_tree_);
    measure(HeaderScheme::kFrancis, Scheme::kFrancis, run_.spanner_context_, spanner_tree_);
    measure(HeaderScheme::kElmo, Scheme::kElmo, run_.graph_context_, graph_tree_);
    measure(HeaderScheme::kOrca, Scheme::kOrca, run_.graph_context_, graph_tree_);
    measure(HeaderScheme::kSlicesGraph, Scheme::kSlices, run_.graph_context_, graph_tree_);
    const size_t graph_bits = header_.size();
    measure(HeaderScheme::kSlicesSpanner, Scheme::kSlices, run_.spanner_context_, spanner_tree_);
    sizes(HeaderScheme::kOurs).add(1 + std::min(graph_bits, header_.size()));
  }
  void measure(HeaderScheme row, Scheme scheme, const RouteContext& context, const Tree& tree) {
    if (!can_say(scheme, context, tree)) {
      ++sizes(row).unsaid;
      return;
    }
    encode(scheme, context, tree, header_);
    sizes(row).add(header_.size());
    if (run_.config_.check && !says(scheme, context, tree, header_)) ++sizes(row).wrong;
  }
  [[nodiscard]] HeaderSizes& sizes(HeaderScheme row) {
    return figures_.sizes[static_cast<size_t>(row)];
  }

  const HeaderRun& run_;
  SetCoverTrees on_graph_, on_spanner_;
  Groups::Scratch scratch_;
  Group drawn_;
  NodeId source_ = kNone;
  Tree graph_tree_, spanner_tree_;
  Bits header_;
  HeaderFigures figures_;
};

HeaderRun::HeaderRun(const Fabric& fabric, const Groups& groups, const HeaderConfig& config)
    : fabric_(fabric),
      groups_(groups),
      config_(config),
      spanner_(trees::part_of(fabric.graph,
                              trees::spanner_links(fabric.graph, config.spanner_k, config.seed))),
      graph_context_(fabric.graph, layers_of(fabric), config.route),
      spanner_context_(spanner_, layers_of(fabric), config.route),
      order_(by_sender(groups)) {}

HeaderFigures HeaderRun::measure(size_t first, size_t count) const {
  HeaderBlock block(*this);
  const size_t end = std::min(order_.size(), first + count);
  for (size_t i = first; i < end; ++i) block.add(order_[i]);
  return block.take();
}

}  // namespace lambdacast::sim::fabrics
