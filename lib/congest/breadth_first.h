// SPDX-License-Identifier: BSD-3-Clause
// Breadth-first trees, layer by layer, from up to six roots at a time: all of them that reach a
// switch in one round share a message. A switch takes as its parent the neighbour with the least
// number among the first layer that it hears, so that equal graphs give equal trees.
//
// Rounds: the greatest distance from a root, and two. A child tells its parent in the next round,
// for a switch has to know its children to wait for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "congest/algorithm.h"

namespace lambdacast::congest {

inline constexpr size_t kMostRoots = 6;  // two bytes each

class BreadthFirst {
 public:
  static constexpr const char* kName = "bfs";
  static constexpr unsigned kBytes = 12;
  struct Config {
    std::vector<NodeId> roots;  // at most kMostRoots
  };
  struct Place {
    uint32_t distance = kNone;
    TreePlace tree;
    bool operator==(const Place&) const = default;
  };
  using Result = std::vector<Place>;  // by root

  BreadthFirst(const NodeView& self, const Config& config)
      : alive_(self.alive()), others_(alive_), trees_(config.roots.size()) {
    neighbors_.resize(self.ports());
    for (size_t port = 0; port < self.ports(); ++port) neighbors_[port] = self.neighbor(port);
    for (size_t i = 0; i < trees_.size(); ++i) {
      trees_[i].place.tree.children = Filter(self.ports());
      if (config.roots[i] == self.id()) trees_[i].reached = 0;
    }
  }
  void on_round(Round& round) {
    // Everybody hears of the roots that have reached this switch since; a parent hears besides
    // that it is one. There is one message a port and round, so parents go first.
    Message news, to_parent;
    bool any = false;
    others_ = alive_;
    for (size_t i = 0; i < trees_.size(); ++i) {
      Tree& tree = trees_[i];
      if (tree.reached == kNone || tree.place.distance != kNone) continue;
      tree.place.distance = tree.reached;
      any = true;
      put(news, i, tree.reached + 1);
    }
    if (!any) return;
    for (size_t i = 0; i < trees_.size(); ++i) {
      const size_t parent = trees_[i].place.tree.parent;
      if (parent == kNoPort || !others_.test(parent) || get(news, i) == 0) continue;
      to_parent = news;
      for (size_t other = 0; other < trees_.size(); ++other)
        if (get(news, other) != 0 && trees_[other].place.tree.parent == parent)
          put(to_parent, other, get(news, other) | kYourChild);
      others_.reset(parent);
      round.send(parent, to_parent);
    }
    round.multicast(others_, news);
  }
  void on_message(size_t port, const Message& message) {
    for (size_t i = 0; i < trees_.size(); ++i) {
      const uint32_t value = get(message, i);
      if (value == 0) continue;
      Tree& tree = trees_[i];
      if (value & kYourChild) tree.place.tree.children.set(port);
      if (tree.place.distance != kNone) continue;  // of an earlier layer
      tree.reached = value & ~kYourChild;
      size_t& parent = tree.place.tree.parent;
      if (parent == kNoPort || better(port, parent)) parent = port;
    }
  }
  [[nodiscard]] bool active() const { return false; }
  [[nodiscard]] bool more() const { return false; }
  [[nodiscard]] Result result() const {
    Result result;
    for (const Tree& tree : trees_) result.push_back(tree.place);
    return result;
  }

 private:
  static constexpr uint32_t kYourChild = 0x8000;
  struct Tree {
    Place place;
    uint32_t reached = kNone;  // the distance that it has heard of and not told yet
  };
  static void put(Message& message, size_t root, uint32_t value) {
    uint32_t& word = message.words[root / 2];
    const unsigned shift = root % 2 * 16;
    word = (word & ~(0xffffu << shift)) | value << shift;
  }
  [[nodiscard]] static uint32_t get(const Message& message, size_t root) {
    return message.words[root / 2] >> (root % 2 * 16) & 0xffff;
  }
  [[nodiscard]] bool better(size_t port, size_t than) const {
    return std::pair(neighbors_[port], port) < std::pair(neighbors_[than], than);
  }

  Filter alive_;
  Filter others_;                  // of a round: who has not been told yet
  std::vector<NodeId> neighbors_;  // by port
  std::vector<Tree> trees_;        // by root
};

}  // namespace lambdacast::congest
