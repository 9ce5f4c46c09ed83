// SPDX-License-Identifier: BSD-3-Clause
// The part of a switch that finds good trees for the groups that a failure affects, behind fast
// recovery (tree_core.h), together with all other switches:
//
//   spanner     rounds over all links: which of them the trees may use (congest/spanner.h)
//   searches    rounds over the spanner: the hops from each source
//   layers      echoes on the recovery tree: how far the farthest receiver is
//   set cover   three rounds a layer, from the farthest: a switch in a group's tree asks all
//               neighbours that are nearer to the source, is told how many have asked each, and
//               takes as its parent the one that most have
//
// Rounds are alpha's: a switch ends each with a mark to every neighbour, and begins the next one
// when all have marked theirs. Streams keep their order, so that no neighbour is ever more than a
// round ahead, and what comes of the next round is kept until it begins.
//
// Not thread-safe. Allocates when it begins, and as records come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "congest/algorithm.h"
#include "congest/spanner.h"
#include "trees/group_index.h"
#include "trees/repair_frame.h"
#include "trees/repair_settings.h"

namespace lambdacast::trees {

// Takes records for the other end of a port.
class RecordSink {
 public:
  virtual void push(size_t port, std::span<const uint8_t> record) = 0;

 protected:
  ~RecordSink() = default;
};

class TreeOptimiser {
 public:
  // All that fast recovery has found.
  struct Start {
    const GroupIndex& index;       // outlives the run
    std::span<const NodeId> dead;  // switches, ascending
    const congest::Filter& alive;  // ports
    size_t father = congest::kNoPort;
    const congest::Filter& children;
    uint32_t nodes = 0;  // of the recovery tree
    uint64_t seed = 0;   // alike at all switches
  };
  // All outlive it.
  TreeOptimiser(const congest::Graph& graph, NodeId self, const RepairSettings& settings,
                RecordSink& sink);

  void begin(const Start& start);
  void clear();
  void on_record(size_t port, const Record& record);

  [[nodiscard]] bool finished() const { return stage_ == Stage::kDone; }
  // Does it wait for that port, or may trees use it?
  [[nodiscard]] bool needs(size_t port) const {
    return stage_ != Stage::kIdle && alive_.test(port);
  }
  [[nodiscard]] const congest::Filter& spanner() const { return edges_; }
  // The place of this switch in the tree of that group.
  [[nodiscard]] bool in_tree(size_t group) const { return in_tree_[group]; }
  [[nodiscard]] size_t parent(size_t group) const;  // port; kNoPort: none
  // Groups and ports of children, in the order in which they came.
  [[nodiscard]] std::span<const std::pair<uint16_t, uint16_t>> children() const {
    return tree_children_;
  }

 private:
  enum class Stage : uint8_t { kIdle, kSpanner, kSearch, kLayers, kCover, kDone };
  static constexpr uint16_t kFar = 0xffff;
  static constexpr uint16_t kNoParent = 0xffff;
  struct Neighbor {
    uint32_t marks = 0;              // rounds of this stage that it has ended
    bool last = false;               // it has nothing more to say in this stage
    bool searched = false;           // it has said all about searches
    bool clustered = false;          // it has told its cluster, or kept a link, in this round
    std::vector<uint8_t> early;      // records of the next round, or of the next stage
    std::vector<uint16_t> told;      // groups that it is asked for, or that have chosen it
    std::vector<uint16_t> asked_by;  // groups for which it has asked
  };

  [[nodiscard]] bool is_early(const Neighbor& neighbor) const;
  void take(size_t port, const Record& record);
  void take_of_spanner(size_t port, const Record& record);
  void take_early();
  void advance();
  [[nodiscard]] bool round_is_over() const;
  void begin_stage(Stage stage);
  void begin_round();
  void mark(bool last);

  void spanner_round();
  void search_round();
  void tell_farthest();
  void begin_cover(uint16_t layers);
  void cover_round();
  void on_set(size_t port, const Record& set);
  void reached(size_t port, uint16_t search);
  void asked(size_t port, uint16_t group);
  void counted(size_t port, const Record& counts);
  void confirmed(size_t port, uint16_t group);
  [[nodiscard]] size_t search_of(size_t group) const { return searches_[group]; }
  void write_set(size_t port, std::span<const uint16_t> numbers);

  const congest::Graph& graph_;
  const NodeId self_;
  const RepairSettings& settings_;
  RecordSink& sink_;

  Stage stage_ = Stage::kIdle;
  uint32_t rounds_ = 0;  // of this stage, begun
  const GroupIndex* index_ = nullptr;
  congest::Filter alive_;
  congest::Filter partners_;  // ports whose rounds are waited for
  congest::Filter edges_;     // ports of the spanner
  congest::Filter children_;  // in the recovery tree
  size_t father_ = congest::kNoPort;
  uint32_t nodes_ = 0;
  uint64_t seed_ = 0;
  std::vector<Neighbor> neighbors_;  // by port
  std::optional<congest::Spanner> algorithm_;

  std::vector<uint32_t> searches_;             // by group: its search
  std::vector<uint16_t> hops_;                 // by search
  std::vector<std::vector<uint16_t>> nearer_;  // by search: ports
  std::vector<uint16_t> news_;                 // searches that have come here in this round
  size_t open_ = 0;                            // searches that have not come yet
  uint16_t farthest_ = 0;
  size_t farther_awaited_ = 0;  // children that have not told
  bool told_ = false;           // the father
  uint16_t layers_ = 0;

  std::vector<bool> in_tree_;                       // by group
  std::vector<uint16_t> parent_;                    // by group: port
  std::vector<uint8_t> most_;                       // by group: that a neighbour has been asked by
  std::vector<uint8_t> count_;                      // by group: neighbours that have asked here
  std::vector<std::vector<uint16_t>> at_distance_;  // by hops: groups
  std::vector<std::pair<uint16_t, uint16_t>> tree_children_;
};

}  // namespace lambdacast::trees
