// SPDX-License-Identifier: BSD-3-Clause
// The switches of a tree of clocks (clock_sync/clock_core.h) as the protocol of a Network: each has
// an oscillator, measures a hop's delay to within the hardware's noise, and is watched by the log.
#pragma once

#include <cstdint>
#include <deque>

#include "base/random.h"
#include "clock_sync/clock_core.h"
#include "sim/fabrics/check_clock.h"
#include "sim/fabrics/clock_log.h"
#include "sim/fabrics/network.h"

namespace lambdacast::sim::fabrics {

class ClockSwitches {
 public:
  struct Frame {
    clock_sync::Frame frame;
    uint64_t sent_ns = 0;
  };
  using Turn = Network<ClockSwitches>::Turn;

  // All outlive it.
  ClockSwitches(const congest::Graph& graph, const clock_sync::Settings& settings, ClockLog& log,
                uint64_t seed)
      : graph_(graph), settings_(settings), log_(log), seed_(seed), seen_(graph.nodes()) {
    for (congest::NodeId node = 0; node < graph.nodes(); ++node)
      cores_.emplace_back(node, graph.neighbors(node), settings);
  }
  void install(congest::NodeId node, const clock_sync::TreeName& name, congest::NodeId root,
               const congest::TreePlace& place, uint64_t now_ns) {
    cores_[node].install(name, root, place, instant(node, now_ns));
    watch(node, now_ns);
  }

  void on_frame(Turn& turn, size_t port, const Frame& frame) {
    const double noise =
        static_cast<double>(base::mix64(seed_ ^ ++frames_)) / 0x1p63 - 1;  // -1 ... 1
    const double delay_ns =
        static_cast<double>(turn.now_ns() - frame.sent_ns) + noise * settings_.base_ns;
    Out out(turn);
    cores_[turn.node()].on_frame(port, frame.frame, instant(turn.node(), turn.now_ns()), delay_ns,
                                 out);
    watch(turn.node(), turn.now_ns());
  }
  void on_timer(Turn& turn) {
    Out out(turn);
    cores_[turn.node()].on_timer(instant(turn.node(), turn.now_ns()), out);
    watch(turn.node(), turn.now_ns());
  }
  [[nodiscard]] uint64_t next_deadline_ns(congest::NodeId node) const {
    return cores_[node].next_deadline_ns();
  }

  [[nodiscard]] const clock_sync::ClockCore& at(congest::NodeId node) const { return cores_[node]; }
  [[nodiscard]] ClockEnd end(congest::NodeId node) const {
    const clock_sync::TreeInForce tree = cores_[node].tree();
    ClockEnd end{.place = place(node),
                 .children = {},
                 .final = tree.optimised,
                 .told_height = tree.installed ? 0u : tree.height};
    for (size_t port = 0; port < graph_.degree(node); ++port)
      if (cores_[node].has_child(port)) end.children.push_back(port);
    return end;
  }

 private:
  class Out final : public clock_sync::Outlet {
   public:
    explicit Out(Turn& turn) : turn_(turn) {}
    void send(size_t port, const clock_sync::Frame& frame) override {
      turn_.send(port, {frame, turn_.now_ns()}, congest::kFrameBits);
    }

   private:
    Turn& turn_;
  };
  struct Seen {
    uint64_t trees = 0;
    uint64_t times = 0;
  };

  [[nodiscard]] clock_sync::Instant instant(congest::NodeId node, uint64_t now_ns) const {
    return {now_ns, log_.local_ns(node, now_ns)};
  }
  [[nodiscard]] ClockPlace place(congest::NodeId node) const {
    const clock_sync::TreeInForce tree = cores_[node].tree();
    const uint64_t flood = tree.name.tag();
    const uint64_t kind = (tree.installed ? 2u : 0u) + (tree.optimised ? 1u : 0u);
    return {
        .tree = base::mix64(base::mix64(flood << 2 | kind) ^ tree.root),
        .flood = tree.installed ? 0 : flood,
        .generation = settings_.improvements.generations ? tree.name.generation : 0,
        .father = tree.father == congest::kNoPort ? congest::kNone : graph_.arc(node, tree.father)};
  }
  void watch(congest::NodeId node, uint64_t now_ns) {
    const clock_sync::ClockCore& core = cores_[node];
    Seen& seen = seen_[node];
    if (core.tree_changes() != seen.trees) {
      seen = {core.tree_changes(), core.time_changes()};
      log_.tree(node, place(node), core.time(), core.tree_has_time(), now_ns);
    } else if (core.time_changes() != seen.times) {
      seen.times = core.time_changes();
      log_.time(node, core.time(), now_ns);
    }
  }

  const congest::Graph& graph_;
  const clock_sync::Settings& settings_;
  ClockLog& log_;
  const uint64_t seed_;
  std::deque<clock_sync::ClockCore> cores_;  // by node
  std::vector<Seen> seen_;
  uint64_t frames_ = 0;
};

}  // namespace lambdacast::sim::fabrics
