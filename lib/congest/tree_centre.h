// SPDX-License-Identifier: BSD-3-Clause
// The centre of a tree: the root moves to where the tree is lowest. The echo carries the depth of
// each subtree and the longest path within it, so that the root knows before it moves that the
// height will be half the longest path, rounded up. It moves to the child with the deepest arm
// while that lowers the height.
//
// A message from a child is an echo, and one from the parent moves the root. Rounds: the height of
// the tree before, and its half.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "congest/algorithm.h"

namespace lambdacast::congest {

class TreeCentre {
 public:
  static constexpr const char* kName = "centre";
  static constexpr unsigned kBytes = 4;
  struct Config {
    std::vector<TreePlace> tree;  // by node
  };
  struct Result {
    TreePlace place;
    bool is_root = false;
    uint32_t height = 0;  // as the root was told before it moved; of no meaning elsewhere
    bool operator==(const Result&) const = default;
  };

  TreeCentre(const NodeView& self, const Config& config)
      : place_(config.tree[self.id()]), awaited_(FilterPorts::count(place_.children)) {}

  void on_round(Round& round) {
    if (!echoed_ && awaited_ == 0) {
      echoed_ = true;
      const uint32_t longest = std::max(longest_, first_.depth + second_.depth);
      if (place_.parent != kNoPort) {
        round.send(place_.parent, {{first_.depth | longest << 16}});
      } else {
        is_root_ = true;
        height_ = (longest + 1) / 2;
      }
    }
    if (is_root_ && first_.depth >= second_.depth + 2) move(round);
  }
  void on_message(size_t port, const Message& message) {
    const uint32_t depth = (message.words[0] & 0xffff) + 1;
    const uint32_t beside = message.words[0] >> 16;
    if (port == place_.parent) {  // the root comes here, and its old place hangs below
      place_.parent = kNoPort;
      place_.children.set(port);
      is_root_ = true;
      height_ = beside;
    } else {
      longest_ = std::max(longest_, beside);
      --awaited_;
    }
    add({port, depth});
  }
  [[nodiscard]] bool active() const { return false; }
  [[nodiscard]] bool more() const { return false; }
  [[nodiscard]] Result result() const { return {place_, is_root_, is_root_ ? height_ : 0}; }

 private:
  struct Arm {
    size_t port = kNoPort;
    uint32_t depth = 0;
  };
  // Keeps the two deepest arms, of different ports. Of equal ones the least port is the first.
  void add(const Arm& arm) {
    if (arm.depth > first_.depth || (arm.depth == first_.depth && arm.port < first_.port)) {
      second_ = first_;
      first_ = arm;
    } else if (arm.depth > second_.depth) {
      second_ = arm;
    }
  }
  void move(Round& round) {
    is_root_ = false;
    place_.parent = first_.port;
    place_.children.reset(first_.port);
    round.send(first_.port, {{second_.depth | height_ << 16}});
  }

  TreePlace place_;
  size_t awaited_;  // children that have not echoed
  Arm first_;
  Arm second_;
  uint32_t longest_ = 0;  // path within the subtree of a child
  uint32_t height_ = 0;
  bool echoed_ = false;
  bool is_root_ = false;
};

}  // namespace lambdacast::congest
