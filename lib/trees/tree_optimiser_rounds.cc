// SPDX-License-Identifier: BSD-3-Clause
// The records of a switch in the rounds of the optimisation (tree_optimiser.h).
#include <algorithm>

#include "trees/tree_optimiser.h"

namespace lambdacast::trees {

using congest::FilterPorts;
using congest::kNoPort;

void TreeOptimiser::write_set(size_t port, std::span<const uint16_t> numbers) {
  SetWriter::write(numbers, settings_.improvements.ranges,
                   [&](std::span<const uint8_t> record) { sink_.push(port, record); });
}

void TreeOptimiser::spanner_round() {
  class Sink final : public congest::MessageSink {
   public:
    Sink(RecordSink& sink, bool tells) : sink_(sink), tells_(tells) {}
    void take(size_t port, const congest::Message& message) override {
      std::vector<uint8_t> record{
          static_cast<uint8_t>(tells_ ? RecordKind::kCluster : RecordKind::kKeep)};
      if (tells_) put_number(record, message.words[0], 3);
      sink_.push(port, record);
    }

   private:
    RecordSink& sink_;
    bool tells_;
  };
  // Clusters are told in every other round, and links kept in those between.
  Sink sink(sink_, rounds_ % 2 == 1);
  congest::Round round({0, rounds_ - 1}, seed_, self_, alive_, sink);
  algorithm_->on_round(round);
  mark(false);
}

// Searches that have come in the round before go on. With none left to come this is the last round
// here, and no neighbour waits for more. In a fabric that has fallen apart some sources never come:
// no way is longer than all switches of the recovery tree.
void TreeOptimiser::search_round() {
  std::sort(news_.begin(), news_.end());
  FilterPorts::each(edges_, [&](size_t port) { write_set(port, news_); });
  news_.clear();
  const bool last = open_ == 0 || rounds_ > nodes_;
  mark(last);
  if (last) stage_ = Stage::kLayers;
}

void TreeOptimiser::reached(size_t port, uint16_t search) {
  if (search >= hops_.size()) return;
  uint16_t& hops = hops_[search];
  if (hops == kFar) {
    hops = static_cast<uint16_t>(rounds_);
    news_.push_back(search);
    if (open_ != 0) --open_;
  }
  if (hops == rounds_) nearer_[search].push_back(static_cast<uint16_t>(port));
}

void TreeOptimiser::tell_farthest() {
  told_ = true;
  for (size_t group = 0; group < in_tree_.size(); ++group) {
    const uint16_t hops = hops_[search_of(group)];
    if (in_tree_[group] && hops != kFar) farthest_ = std::max(farthest_, hops);
  }
  if (father_ == kNoPort) return begin_cover(farthest_);
  std::vector<uint8_t> record{static_cast<uint8_t>(RecordKind::kFarthest)};
  put_number(record, farthest_, 2);
  sink_.push(father_, record);
}

void TreeOptimiser::begin_cover(uint16_t layers) {
  layers_ = layers;
  std::vector<uint8_t> record{static_cast<uint8_t>(RecordKind::kLayers)};
  put_number(record, layers, 2);
  FilterPorts::each(children_, [&](size_t port) { sink_.push(port, record); });
  at_distance_.assign(layers + 1u, {});
  for (size_t group = 0; group < in_tree_.size(); ++group) {
    const uint16_t hops = hops_[search_of(group)];
    if (hops <= layers) at_distance_[hops].push_back(static_cast<uint16_t>(group));
  }
  if (layers == 0) {
    stage_ = Stage::kDone;
  } else {
    begin_stage(Stage::kCover);
  }
}

// Rounds 3 i, 3 i + 1 and 3 i + 2 are about the layer that is i before the farthest: its switches
// ask, those before it count, and its switches choose.
void TreeOptimiser::cover_round() {
  const uint32_t step = (rounds_ - 1) % 3;
  const uint32_t layer = layers_ - (rounds_ - 1) / 3;
  if (step == 1) {
    FilterPorts::each(edges_, [&](size_t port) {
      std::span<const uint16_t> left(neighbors_[port].asked_by);
      while (!left.empty()) {
        const auto now = left.first(std::min(left.size(), kCounted));
        std::vector<uint8_t> record{static_cast<uint8_t>(RecordKind::kCounts),
                                    static_cast<uint8_t>(now.size())};
        for (const uint16_t group : now) {
          put_number(record, group, 2);
          record.push_back(count_[group]);
        }
        sink_.push(port, record);
        left = left.subspan(now.size());
      }
      neighbors_[port].asked_by.clear();
    });
    return mark(false);
  }
  for (const uint16_t group : at_distance_[layer]) {
    if (!in_tree_[group]) continue;
    if (step == 0) {
      for (const uint16_t port : nearer_[search_of(group)]) neighbors_[port].told.push_back(group);
    } else if (parent_[group] != kNoParent) {
      neighbors_[parent_[group]].told.push_back(group);
    }
  }
  FilterPorts::each(edges_, [&](size_t port) {
    write_set(port, neighbors_[port].told);
    neighbors_[port].told.clear();
  });
  mark(false);
}

void TreeOptimiser::on_set(size_t port, const Record& set) {
  const uint32_t step = (rounds_ - 1) % 3;
  SetWriter::read(set, [&](uint16_t number) {
    if (stage_ == Stage::kSearch) return reached(port, number);
    if (stage_ != Stage::kCover || number >= in_tree_.size()) return;
    if (step == 0) asked(port, number);
    if (step == 2) confirmed(port, number);
  });
}

void TreeOptimiser::asked(size_t port, uint16_t group) {
  neighbors_[port].asked_by.push_back(group);
  if (count_[group] != 0xff) ++count_[group];
}

void TreeOptimiser::counted(size_t port, const Record& counts) {
  for (size_t i = 0; i < counts.bytes[0]; ++i) {
    const uint32_t group = number_at(counts.bytes, 1 + 3 * i, 2);
    const uint8_t count = counts.bytes[3 + 3 * i];
    if (group >= in_tree_.size()) continue;
    // Ports stand in the order of the neighbours' numbers.
    if (count > most_[group] || (count == most_[group] && port < parent_[group])) {
      most_[group] = count;
      parent_[group] = static_cast<uint16_t>(port);
    }
  }
}

void TreeOptimiser::confirmed(size_t port, uint16_t group) {
  in_tree_[group] = true;
  tree_children_.emplace_back(group, static_cast<uint16_t>(port));
}

}  // namespace lambdacast::trees
