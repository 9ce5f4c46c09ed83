// SPDX-License-Identifier: BSD-3-Clause
// Waves with extinction and echo (Chang 1982). Some switches begin a wave, each with a key. A
// switch joins the wave with the least key that it has heard of, forgets those with greater ones,
// and passes it on; its parent is the neighbour that brought it, the least port if several did
// before that. Who has an answer from every other port echoes to its parent how many switches hang
// below it and how deep. The switch whose own wave comes back from all ports has won and knows it;
// it tells the end down its tree.
//
// With numbers as keys the winner is the leader; with (height, root) it is the root of the tree
// that is elected; with one switch that begins it is the detector of a failure, and the tree is the
// flooding tree of fast recovery (FRANCIS, section 4.1.1) whose root knows that it is complete.
//
// Steps: about three times the diameter. A message has nine bytes: key, kind and depth, switches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "congest/algorithm.h"

namespace lambdacast::congest {

class Wave {
 public:
  static constexpr const char* kName = "wave";
  static constexpr unsigned kBytes = 9;
  struct Config {
    std::vector<uint32_t> keys;  // by node; kNone: it begins none. Equal ones are not allowed
  };
  struct Result {
    uint32_t key = kNone;
    bool won = false;
    uint32_t nodes = 0;  // that the winner has counted; 0 elsewhere
    // The tree hangs on who came first, and equality leaves it out.
    TreePlace place;
    uint32_t depth = 0;  // of what hangs below
    bool operator==(const Result& other) const {
      return key == other.key && won == other.won && nodes == other.nodes;
    }
  };

  Wave(const NodeView& self, const Config& config)
      : alive_(self.alive()),
        outward_(self.ports()),
        degree_(self.degree()),
        key_(config.keys[self.id()]),
        awaited_(degree_) {
    place_.children = Filter(self.ports());
  }

  void on_round(Round& round) {
    if (told_ != key_) {
      told_ = key_;
      outward_ = alive_;
      if (place_.parent != kNoPort) outward_.reset(place_.parent);
      round.multicast(outward_, say(Kind::kWave));
    }
    if (key_ != kNone && !echoed_ && awaited_ == 0) {
      echoed_ = true;
      if (place_.parent != kNoPort) {
        round.send(place_.parent, say(Kind::kEcho, depth_, nodes_));
      } else {
        won_ = ends_ = true;
      }
    }
    if (ends_ && !finished_) {
      finished_ = true;
      round.multicast(place_.children, say(Kind::kEnd));
    }
  }
  void on_message(size_t port, const Message& message) {
    const auto kind = static_cast<Kind>(message.words[1] >> kKindShift);
    const uint32_t key = message.words[0];
    if (key > key_) return;  // extinct
    if (key < key_) return join(key, port);
    if (kind == Kind::kEnd) {
      ends_ = true;
      return;
    }
    --awaited_;
    if (kind == Kind::kWave) {  // it has another parent, or came with ours
      if (told_ != key_ && place_.parent != kNoPort) place_.parent = std::min(place_.parent, port);
      return;
    }
    place_.children.set(port);
    depth_ = std::max(depth_, (message.words[1] & kDepthMask) + 1);
    nodes_ += message.words[2];
  }
  [[nodiscard]] bool active() const { return false; }
  [[nodiscard]] bool more() const { return false; }
  // It has heard of the end, and has told those below.
  [[nodiscard]] bool finished() const { return finished_; }
  [[nodiscard]] Result result() const { return {key_, won_, won_ ? nodes_ : 0, place_, depth_}; }

 private:
  enum class Kind : uint8_t { kWave, kEcho, kEnd };
  static constexpr unsigned kKindShift = 16;
  static constexpr uint32_t kDepthMask = 0xffff;

  [[nodiscard]] Message say(Kind kind, uint32_t depth = 0, uint32_t nodes = 0) const {
    return {{key_, static_cast<uint32_t>(kind) << kKindShift | depth, nodes}};
  }
  void join(uint32_t key, size_t parent) {
    key_ = key;
    place_.parent = parent;
    place_.children.clear();
    awaited_ = degree_ - 1;
    nodes_ = 1;
    depth_ = 0;
    echoed_ = false;
  }

  const Filter alive_;
  Filter outward_;  // of a step: all ports but the parent's
  const size_t degree_;
  uint32_t key_;
  uint32_t told_ = kNone;
  size_t awaited_;  // ports that have not answered the wave of key_
  TreePlace place_;
  uint32_t nodes_ = 1;  // at and below this switch
  uint32_t depth_ = 0;
  bool echoed_ = false;
  bool won_ = false;
  bool ends_ = false;
  bool finished_ = false;
};

}  // namespace lambdacast::congest
