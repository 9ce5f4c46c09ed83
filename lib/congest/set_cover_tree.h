// SPDX-License-Identifier: BSD-3-Clause
// A small tree of shortest paths from a source to receivers: layer by layer from the farthest, the
// switches in the tree choose as parent the neighbour in the layer before that the most of them
// could choose, ties by number. Three rounds a layer: they ask, are told the counts, and confirm.
//
// The first phase gives the distances from the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "congest/algorithm.h"

namespace lambdacast::congest {

class SetCoverTree {
 public:
  static constexpr const char* kName = "set_cover";
  static constexpr unsigned kBytes = 2;
  struct Config {
    NodeId source = 0;
    std::vector<bool> receivers;  // by node
    uint32_t layers = 0;          // the greatest distance of a receiver, or more
  };
  struct Result {
    uint32_t distance = kNone;
    bool in_tree = false;
    TreePlace place;
    bool operator==(const Result&) const = default;
  };

  SetCoverTree(const NodeView& self, const Config& config)
      : layers_(config.layers),
        in_tree_(config.receivers[self.id()] || config.source == self.id()),
        neighbors_(self.ports()),
        nearer_(self.ports()),
        asking_(self.ports()) {
    place_.children = Filter(self.ports());
    if (config.source == self.id()) reached_ = 0;
    for (size_t port = 0; port < self.ports(); ++port) neighbors_[port] = self.neighbor(port);
  }

  void on_round(Round& round) {
    measuring_ = round.phase() == 0;
    if (measuring_) {
      if (reached_ == kNone || distance_ != kNone) return;
      distance_ = reached_;
      round.broadcast({{distance_}});
      return;
    }
    step_ = static_cast<Step>(round.number() % 3);
    last_ = round.number() + 1 >= 3 * layers_;
    if (round.number() >= 3 * layers_) return;
    const uint32_t layer = layers_ - round.number() / 3;
    if (step_ == Step::kCount) {
      if (distance_ + 1 == layer && asked_ != 0) round.multicast(asking_, {{asked_}});
    } else if (distance_ == layer && in_tree_) {
      if (step_ == Step::kAsk) {
        round.multicast(nearer_, {});
      } else {
        round.send(place_.parent, {});
      }
    }
  }
  void on_message(size_t port, const Message& message) {
    if (measuring_) return measure(port, message.words[0]);
    switch (step_) {
      case Step::kAsk:
        asking_.set(port);
        ++asked_;
        break;
      case Step::kCount:
        consider(port, message.words[0]);
        break;
      case Step::kConfirm:
        in_tree_ = true;
        place_.children.set(port);
        break;
    }
  }
  [[nodiscard]] bool active() const { return !measuring_ && !last_; }
  [[nodiscard]] bool more() const { return measuring_ && layers_ != 0; }
  [[nodiscard]] Result result() const { return {distance_, in_tree_, place_}; }

 private:
  enum class Step : uint8_t { kAsk, kCount, kConfirm };

  void measure(size_t port, uint32_t distance) {
    if (distance_ != kNone) return;
    reached_ = distance + 1;
    nearer_.set(port);
  }
  void consider(size_t port, uint32_t count) {
    const bool better = place_.parent == kNoPort || count > most_ ||
                        (count == most_ && closer(port, place_.parent));
    if (!better) return;
    most_ = count;
    place_.parent = port;
  }
  [[nodiscard]] bool closer(size_t port, size_t than) const {
    return std::pair(neighbors_[port], port) < std::pair(neighbors_[than], than);
  }

  const uint32_t layers_;
  bool in_tree_;
  std::vector<NodeId> neighbors_;  // by port
  Filter nearer_;                  // to the layer before
  Filter asking_;
  uint32_t asked_ = 0;  // how many have
  uint32_t most_ = 0;   // that a neighbour in the layer before has been asked by
  uint32_t distance_ = kNone;
  uint32_t reached_ = kNone;  // the distance that it has heard of and not told yet
  TreePlace place_;
  Step step_ = Step::kAsk;
  bool measuring_ = true;
  bool last_ = false;
};

}  // namespace lambdacast::congest
