// SPDX-License-Identifier: BSD-3-Clause
// One switch's places in the trees of one flood: the tree that the flood itself builds, those that
// candidates build behind it to find a lower one, and, beside them, the tree that a controller has
// installed.
//
// A tree grows by waves: the first neighbour heard is the father, and everybody tells all
// neighbours. Who has heard all of them, and all children's echoes, tells its father the depth and
// the longest path below. The root then knows which height the tree has from its centre.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clock_sync/frame.h"
#include "clock_sync/port_link.h"
#include "congest/algorithm.h"

namespace lambdacast::clock_sync {

using congest::kNoPort;

inline constexpr size_t kMostCandidates = 16;  // those beyond are dropped, and never settle
inline constexpr size_t kInstalled = kMostCandidates;
inline constexpr size_t kFloodTree = 0;

// Parts of the state, as bits of PortLink.
inline constexpr uint64_t kFloodBit = 1;
[[nodiscard]] inline constexpr uint64_t wave_bit(size_t tree) {
  return tree == kFloodTree ? kFloodBit : uint64_t{1} << (3 * tree + 1);
}
[[nodiscard]] inline constexpr uint64_t echo_bit(size_t tree) {
  return uint64_t{1} << (3 * tree + 2);
}
[[nodiscard]] inline constexpr uint64_t result_bit(size_t tree) {
  return uint64_t{1} << (3 * tree + 3);
}

class CandidateTrees {
 public:
  struct Place {
    NodeId root = 0;
    size_t father = kNoPort;
    uint16_t distance = 0;
    bool active = false;
    bool echoed = false;
    bool resulted = false;        // the height is known
    uint16_t height = 0;          // of the whole tree, from its centre
    size_t moved_to = kNoPort;    // the port that the root moves by
    size_t moved_from = kNoPort;  // the port that it came by
    size_t heard = 0;             // ports, dead ones among them
    size_t children = 0;
    size_t echoes = 0;
    size_t deepest_port = kNoPort;
    uint16_t deepest = 0;  // of the arms
    uint16_t second = 0;   // deepest of another port
    uint16_t longest = 0;  // path below a child
  };

  // `links` outlives it. `direct`: results go down a tree, and not over all links.
  CandidateTrees(size_t ports, bool direct, std::vector<PortLink>& links);

  // A flood begins or comes: no trees but its own. The dead ports count as heard.
  void begin(NodeId root, size_t father, uint16_t distance);
  // The switch itself is a candidate.
  void add_own(NodeId self);
  void on_wave(size_t port, const Item& item);
  void on_flood(size_t port, bool child) { heard_wave(kFloodTree, port, child); }
  void on_echo(size_t port, const Item& item);
  void on_result(size_t port, const Item& item);
  void died(size_t port);
  void revived(size_t port);

  void install(NodeId root, size_t father, const congest::Filter& children);

  [[nodiscard]] const Place& at(size_t tree) const { return places_[tree]; }
  [[nodiscard]] size_t find(NodeId root) const;
  [[nodiscard]] bool child(size_t tree, size_t port) const { return test(tree, kChild, port); }
  [[nodiscard]] bool dead(size_t port) const { return (dead_[port / 64] >> port % 64 & 1) != 0; }
  void remove_child(size_t tree, size_t port);
  // The lowest tree whose height is known, and of equal ones that of the least root; or kFloodTree.
  [[nodiscard]] size_t best() const { return best_; }
  // A neighbour that the switch had given up is part of a tree whose echo it has sent.
  [[nodiscard]] bool broken() const { return broken_; }
  // Is the edge at that port one of a tree whose height is not known?
  [[nodiscard]] bool undecided(size_t port) const;
  // Has the neighbour at that port to say something before all heights are known?
  [[nodiscard]] bool awaited(size_t port) const;
  [[nodiscard]] Item item(size_t tree, uint64_t bit, size_t port) const;

  template <typename Act>
  void each_child(size_t tree, Act act) const {
    for (size_t word = 0; word < words_; ++word)
      for (uint64_t left = bits_[index(tree, kChild, word)]; left != 0; left &= left - 1)
        act(64 * word + static_cast<size_t>(std::countr_zero(left)));
  }
  [[nodiscard]] uint16_t rank(size_t tree, size_t port) const;
  // Ports at which something is due since this was called last.
  template <typename Act>
  void each_touched(Act act) {
    for (size_t word = 0; word < words_; ++word) {
      for (uint64_t& left = touched_[word]; left != 0;) {
        const size_t port = 64 * word + static_cast<size_t>(std::countr_zero(left));
        left &= left - 1;
        act(port);
      }
    }
  }
  void touch(size_t port) { touched_[port / 64] |= uint64_t{1} << port % 64; }
  // The first child at that port or behind it, going round; kNoPort: there is none.
  [[nodiscard]] size_t next_child(size_t tree, size_t port) const;

 private:
  enum Kind : size_t { kChild, kHeard, kEchoed, kKinds };
  [[nodiscard]] size_t index(size_t tree, Kind kind, size_t word) const {
    return (tree * kKinds + kind) * words_ + word;
  }
  [[nodiscard]] bool test(size_t tree, Kind kind, size_t port) const {
    return (bits_[index(tree, kind, port / 64)] >> port % 64 & 1) != 0;
  }
  void set(size_t tree, Kind kind, size_t port) {
    bits_[index(tree, kind, port / 64)] |= uint64_t{1} << port % 64;
  }
  void reset(size_t tree, Kind kind, size_t port) {
    bits_[index(tree, kind, port / 64)] &= ~(uint64_t{1} << port % 64);
  }
  size_t add(NodeId root, size_t father, uint16_t distance);
  void heard_wave(size_t tree, size_t port, bool child);
  void add_arm(size_t tree, size_t port, uint16_t depth);
  void look(size_t tree);
  void settle(size_t tree, size_t from);
  void add_due(size_t port, uint64_t bit);
  void to_all(uint64_t bit, size_t except);
  void know(size_t tree, uint16_t height, size_t from);

  const size_t ports_;
  const size_t words_;
  const bool direct_;
  std::vector<PortLink>& links_;
  std::vector<Place> places_;
  std::vector<uint64_t> bits_;
  std::vector<uint64_t> dead_;
  std::vector<uint64_t> touched_;
  size_t trees_ = 0;
  size_t dead_ports_ = 0;
  size_t best_ = kFloodTree;
  bool broken_ = false;
};

}  // namespace lambdacast::clock_sync
