// SPDX-License-Identifier: BSD-3-Clause
#include "trees/tree_optimiser.h"

#include <algorithm>
#include <map>

namespace lambdacast::trees {

using congest::Filter;
using congest::FilterPorts;
using congest::kNoPort;

TreeOptimiser::TreeOptimiser(const congest::Graph& graph, NodeId self,
                             const RepairSettings& settings, RecordSink& sink)
    : graph_(graph), self_(self), settings_(settings), sink_(sink) {}

void TreeOptimiser::clear() {
  stage_ = Stage::kIdle;
  for (Neighbor& neighbor : neighbors_) neighbor = {};
}

void TreeOptimiser::begin(const Start& start) {
  index_ = &start.index;
  alive_ = start.alive;
  edges_ = Filter(graph_.degree(self_));
  children_ = start.children;
  father_ = start.father;
  nodes_ = start.nodes;
  seed_ = start.seed;
  neighbors_.resize(graph_.degree(self_));
  // A search for each source, or for each group. Those whose source has failed go nowhere.
  const size_t groups = index_->groups();
  searches_.assign(groups, 0);
  hops_.clear();
  news_.clear();
  open_ = 0;
  std::map<NodeId, uint32_t> by_source;
  for (size_t group = 0; group < groups; ++group) {
    const NodeId source = index_->group(group).source;
    const auto next = static_cast<uint32_t>(hops_.size());
    const auto [at, added] = by_source.try_emplace(source, next);
    if (!added && settings_.improvements.sources) {
      searches_[group] = at->second;
      continue;
    }
    searches_[group] = next;
    hops_.push_back(kFar);
    if (source == self_) {
      hops_.back() = 0;
      news_.push_back(static_cast<uint16_t>(next));
    } else if (!std::binary_search(start.dead.begin(), start.dead.end(), source)) {
      ++open_;
    }
  }
  nearer_.assign(hops_.size(), {});
  in_tree_.assign(groups, false);
  index_->each_at(self_, [&](size_t group) { in_tree_[group] = true; });
  parent_.assign(groups, kNoParent);
  most_.assign(groups, 0);
  count_.assign(groups, 0);
  at_distance_.clear();
  tree_children_.clear();
  farthest_ = 0;
  farther_awaited_ = FilterPorts::count(children_);
  told_ = false;
  algorithm_.emplace(congest::NodeView(graph_, self_, alive_),
                     congest::Spanner::Config{settings_.spanner_k, seed_});
  begin_stage(Stage::kSpanner);
  advance();
}

size_t TreeOptimiser::parent(size_t group) const {
  return parent_[group] == kNoParent ? kNoPort : parent_[group];
}

// --- rounds --------------------------------------------------------------------------------------

void TreeOptimiser::begin_stage(Stage stage) {
  stage_ = stage;
  rounds_ = 0;
  partners_ = stage == Stage::kSpanner ? alive_ : edges_;
  for (Neighbor& neighbor : neighbors_) {
    neighbor.marks = 0;
    neighbor.last = false;
    neighbor.clustered = false;
  }
  begin_round();
}

void TreeOptimiser::begin_round() {
  ++rounds_;
  switch (stage_) {
    case Stage::kSpanner:
      spanner_round();
      break;
    case Stage::kSearch:
      search_round();
      break;
    case Stage::kCover:
      cover_round();
      break;
    default:
      return;
  }
  take_early();
}

// Everything that the neighbour says behind its mark belongs to the next round. It marks its last
// round of a stage, and begins the next stage when it likes.
bool TreeOptimiser::is_early(const Neighbor& neighbor) const {
  const bool rounds =
      stage_ == Stage::kSpanner || stage_ == Stage::kSearch || stage_ == Stage::kCover;
  return !rounds || neighbor.last || neighbor.marks == rounds_;
}

void TreeOptimiser::take_early() {
  for (size_t port = 0; port < neighbors_.size(); ++port) {
    std::vector<uint8_t> early;
    early.swap(neighbors_[port].early);
    std::span<const uint8_t> left(early);
    while (const auto record = take_record(left)) take(port, *record);
  }
}

void TreeOptimiser::on_record(size_t port, const Record& record) {
  if (neighbors_.empty()) neighbors_.resize(graph_.degree(self_));
  take(port, record);
  advance();
}

void TreeOptimiser::take(size_t port, const Record& record) {
  Neighbor& neighbor = neighbors_[port];
  if (record.kind == RecordKind::kFarthest) {
    farthest_ = std::max(farthest_, static_cast<uint16_t>(number_at(record.bytes, 0, 2)));
    if (farther_awaited_ != 0) --farther_awaited_;
    return;
  }
  if (record.kind == RecordKind::kLayers) {
    // The number is taken once, because the cover goes by it from then on.
    if (stage_ == Stage::kLayers) begin_cover(static_cast<uint16_t>(number_at(record.bytes, 0, 2)));
    return;
  }
  // A neighbour that still searches does not wait for this switch, which has done.
  const bool done = stage_ == Stage::kLayers || stage_ == Stage::kCover;
  if (done && !neighbor.searched && edges_.test(port)) {
    neighbor.searched = record.kind == RecordKind::kRound && (record.bytes[0] & kLastRound) != 0;
    return;
  }
  if (is_early(neighbor)) {
    neighbor.early.push_back(static_cast<uint8_t>(record.kind));
    neighbor.early.insert(neighbor.early.end(), record.bytes.begin(), record.bytes.end());
    return;
  }
  switch (record.kind) {
    case RecordKind::kRound:
      ++neighbor.marks;
      neighbor.clustered = false;
      neighbor.last = (record.bytes[0] & kLastRound) != 0;
      neighbor.searched |= neighbor.last && stage_ == Stage::kSearch;
      return;
    case RecordKind::kCluster:
    case RecordKind::kKeep:
      return take_of_spanner(port, record);
    case RecordKind::kList:
    case RecordKind::kRange:
      return on_set(port, record);
    case RecordKind::kCounts:
      if (stage_ == Stage::kCover) counted(port, record);
      return;
    default:
      return;
  }
}

// The spanner expects at most one message of each neighbour in a round, of the kind that belongs to
// the round, and has room for no more. A neighbour that says more is not believed.
void TreeOptimiser::take_of_spanner(size_t port, const Record& record) {
  const bool tells = record.kind == RecordKind::kCluster;
  Neighbor& neighbor = neighbors_[port];
  if (stage_ != Stage::kSpanner || neighbor.clustered || tells != (rounds_ % 2 == 1)) return;
  neighbor.clustered = true;
  congest::Message message;
  if (tells) message.words[0] = number_at(record.bytes, 0, 3);
  algorithm_->on_message(port, message);
}

bool TreeOptimiser::round_is_over() const {
  bool over = true;
  FilterPorts::each(partners_, [&](size_t port) {
    over &= neighbors_[port].last || neighbors_[port].marks >= rounds_;
  });
  return over;
}

void TreeOptimiser::mark(bool last) {
  const uint8_t record[] = {static_cast<uint8_t>(RecordKind::kRound),
                            last ? kLastRound : uint8_t{0}};
  FilterPorts::each(partners_, [&](size_t port) { sink_.push(port, record); });
}

void TreeOptimiser::advance() {
  for (;;) {
    switch (stage_) {
      case Stage::kIdle:
      case Stage::kDone:
        return;
      case Stage::kSpanner:
        if (!round_is_over()) return;
        if (rounds_ < 2 * settings_.spanner_k) {
          begin_round();
          break;
        }
        edges_ = algorithm_->result().edges;
        begin_stage(Stage::kSearch);
        break;
      case Stage::kSearch:
        if (!round_is_over()) return;
        begin_round();
        break;
      case Stage::kLayers:
        if (told_ || farther_awaited_ != 0) return;
        tell_farthest();
        break;
      case Stage::kCover:
        if (!round_is_over()) return;
        if (rounds_ == 3u * layers_) {
          stage_ = Stage::kDone;
          return;
        }
        begin_round();
        break;
    }
  }
}

}  // namespace lambdacast::trees
