// SPDX-License-Identifier: BSD-3-Clause
// The bitmaps of fast recovery for multicast (FRANCIS, section 4.2.1): bit g is group g at every
// switch. Bottom up along a tree, each switch ORs what its children say with its own memberships
// and tells its parent: is_son[child] is in_tree of that child, so that all groups are mended
// together. A packet climbs to the root and comes down where bits are set.
//
// A bitmap goes in pieces of 96 groups, a message each, in order; a piece goes up as soon as every
// child has sent its own. Rounds: the height of the tree and the number of pieces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "congest/algorithm.h"

namespace lambdacast::congest {

class RecoveryBitmaps {
 public:
  static constexpr const char* kName = "bitmaps";
  static constexpr unsigned kBytes = kMostMessageBytes;
  static constexpr size_t kPieceWords = kMostMessageBytes / 4;
  using Words = std::vector<uint32_t>;  // 32 groups each
  struct Config {
    std::vector<TreePlace> tree;  // by node
    std::vector<Words> own;       // by node, all as long: the groups of its servers
  };
  struct Result {
    Words in_tree;
    std::vector<Words> is_son;  // by port; empty: that port leads to no child
    bool operator==(const Result&) const = default;
  };

  RecoveryBitmaps(const NodeView& self, const Config& config)
      : place_(config.tree[self.id()]),
        in_tree_(config.own[self.id()]),
        is_son_(self.ports()),
        came_(self.ports()),
        awaited_((in_tree_.size() + kPieceWords - 1) / kPieceWords,
                 FilterPorts::count(place_.children)) {
    FilterPorts::each(place_.children, [&](size_t port) { is_son_[port].resize(in_tree_.size()); });
  }

  void on_round(Round& round) {
    if (finished() || awaited_[next_] != 0) return;
    const size_t first = kPieceWords * next_++;
    if (place_.parent == kNoPort) return;
    Message message;
    for (size_t i = 0; i < kPieceWords && first + i < in_tree_.size(); ++i)
      message.words[i] = in_tree_[first + i];
    round.send(place_.parent, message);
  }
  void on_message(size_t port, const Message& message) {
    const size_t piece = came_[port]++;
    const size_t first = kPieceWords * piece;
    for (size_t i = 0; i < kPieceWords && first + i < in_tree_.size(); ++i) {
      is_son_[port][first + i] = message.words[i];
      in_tree_[first + i] |= message.words[i];
    }
    --awaited_[piece];
  }
  // The root takes its pieces without sending.
  [[nodiscard]] bool active() const { return !finished() && awaited_[next_] == 0; }
  [[nodiscard]] bool more() const { return false; }
  // All pieces have gone up, or, at the root, have come.
  [[nodiscard]] bool finished() const { return next_ == awaited_.size(); }
  [[nodiscard]] Result result() const { return {in_tree_, is_son_}; }

 private:
  const TreePlace place_;
  Words in_tree_;
  std::vector<Words> is_son_;
  std::vector<size_t> came_;     // by port: pieces
  std::vector<size_t> awaited_;  // by piece: children that have not sent it
  size_t next_ = 0;              // piece to go up
};

}  // namespace lambdacast::congest
