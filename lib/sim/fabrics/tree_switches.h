// SPDX-License-Identifier: BSD-3-Clause
// The switches that mend multicast trees (trees/tree_core.h) as the protocol of a Network, which
// notes when the last of them was mended and had its new trees.
#pragma once

#include <cstdint>
#include <deque>

#include "sim/fabrics/network.h"
#include "trees/tree_core.h"

namespace lambdacast::sim::fabrics {

class TreeSwitches {
 public:
  using Frame = trees::RepairFrame;
  using Turn = Network<TreeSwitches>::Turn;

  // All outlive it.
  TreeSwitches(const congest::Graph& graph, const trees::RepairSettings& settings,
               const trees::InstalledGroups& installed) {
    for (congest::NodeId node = 0; node < graph.nodes(); ++node)
      cores_.emplace_back(graph, node, settings, installed);
  }

  void on_frame(Turn& turn, size_t port, const Frame& frame) {
    act(turn,
        [&](trees::TreeCore& core, Out& out) { core.on_frame(port, frame, turn.now_ns(), out); });
  }
  void on_timer(Turn& turn) {
    act(turn, [&](trees::TreeCore& core, Out& out) { core.on_timer(turn.now_ns(), out); });
  }
  [[nodiscard]] uint64_t next_deadline_ns(congest::NodeId node) const {
    return cores_[node].next_deadline_ns();
  }

  [[nodiscard]] const trees::TreeCore& at(congest::NodeId node) const { return cores_[node]; }
  // As TreeCore has it.
  void install(congest::NodeId node, const trees::InstalledGroups& installed) {
    cores_[node].install(installed);
  }
  // When the last switch had all bitmaps of its children, and all its places in trees.
  [[nodiscard]] uint64_t last_mended_ns() const { return last_mended_ns_; }
  [[nodiscard]] uint64_t last_optimised_ns() const { return last_optimised_ns_; }

 private:
  class Out final : public trees::RepairOutlet {
   public:
    explicit Out(Turn& turn) : turn_(turn) {}
    void send(size_t port, const Frame& frame) override {
      turn_.send(port, frame, congest::kFrameBits);
    }

   private:
    Turn& turn_;
  };
  template <typename Act>
  void act(Turn& turn, Act act) {
    trees::TreeCore& core = cores_[turn.node()];
    const trees::FloodName name = core.name();
    const bool mended = core.mended(), optimised = core.optimised();
    Out out(turn);
    act(core, out);
    const bool other = core.name() != name;
    if (core.mended() && (other || !mended)) last_mended_ns_ = turn.now_ns();
    if (core.optimised() && (other || !optimised)) last_optimised_ns_ = turn.now_ns();
  }

  std::deque<trees::TreeCore> cores_;  // by node: they stay where they are
  uint64_t last_mended_ns_ = 0;
  uint64_t last_optimised_ns_ = 0;
};

}  // namespace lambdacast::sim::fabrics
