// SPDX-License-Identifier: BSD-3-Clause
// One switch of a tree of clocks (FRANCIS, section 4.1): waves of time from the root, detection of
// failures along the tree, a new tree by flooding, a lower one behind it, and the controller's.
//
// Pure: frames and the time come in, and frames go out. Timers count `Instant::ns`; `local_ns` is
// what the switch's own oscillator says, and a hop's delay is measured by the hardware.
//
// doc/design.md says what each phase does, and what was published of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "clock_sync/candidate_trees.h"
#include "clock_sync/frame.h"
#include "clock_sync/kept_time.h"
#include "clock_sync/port_link.h"
#include "clock_sync/settings.h"
#include "congest/algorithm.h"

namespace lambdacast::clock_sync {

struct Instant {
  uint64_t ns = 0;
  double local_ns = 0;
};

// Takes the frames that a switch sends.
class Outlet {
 public:
  virtual void send(size_t port, const Frame& frame) = 0;

 protected:
  ~Outlet() = default;
};

// The tree that a switch takes its time from.
struct TreeInForce {
  TreeName name;
  NodeId root = 0;          // the candidate that built it
  bool optimised = false;   // its height is known, or a controller has chosen it
  bool installed = false;   // by a controller
  size_t father = kNoPort;  // none: the switch is the root
  uint16_t height = 0;      // as was told, if optimised by switches
};

class ClockCore {
 public:
  // By port: the neighbours' names. They and the settings outlive it.
  ClockCore(NodeId self, std::span<const NodeId> neighbors, const Settings& settings);

  ClockCore(const ClockCore&) = delete;  // its parts know each other
  ClockCore& operator=(const ClockCore&) = delete;

  // A controller's tree: before the start, or when it takes over from the switches.
  void install(const TreeName& name, NodeId root, const congest::TreePlace& place, Instant now);

  void on_frame(size_t port, const Frame& frame, Instant now, double delay_ns, Outlet& out);
  void on_timer(Instant now, Outlet& out);
  [[nodiscard]] uint64_t next_deadline_ns() const { return deadline_ns_; }

  [[nodiscard]] TreeInForce tree() const;
  [[nodiscard]] bool has_child(size_t port) const { return trees_.child(in_force_, port); }
  [[nodiscard]] const KeptTime& time() const { return time_; }
  // The time has come by the tree in force.
  [[nodiscard]] bool tree_has_time() const { return has_time_; }
  // Nothing is on its way, and the tree in force is a final one.
  [[nodiscard]] bool settled() const;
  [[nodiscard]] uint64_t tree_changes() const { return tree_changes_; }
  [[nodiscard]] uint64_t time_changes() const { return time_changes_; }
  [[nodiscard]] uint64_t floods() const { return floods_; }  // begun here

 private:
  static constexpr double kNoWave = std::numeric_limits<double>::lowest();

  [[nodiscard]] const Improvements& with() const { return settings_.improvements; }
  [[nodiscard]] unsigned window() const { return with().sharing ? PortLink::kWindow : 1; }
  [[nodiscard]] size_t father() const { return trees_.at(in_force_).father; }
  [[nodiscard]] bool beats(const TreeName& one, const TreeName& other) const;

  void hear(size_t port, Instant now);
  void on_flood(size_t port, const Frame& frame, Instant now);
  void on_items(size_t port, const Frame& frame, Instant now);
  void on_time(size_t port, const Frame& frame, Instant now, double delay_ns);

  void look_at(size_t port, Instant now);
  void lose_patience(Instant now);
  void declare_dead(size_t port, Instant now);
  [[nodiscard]] bool needs_flood(size_t port) const;
  [[nodiscard]] uint64_t waits_ns(size_t port) const;
  void flood(NodeId failed, Instant now);
  void take_name(const TreeName& name);
  void draw_candidate();
  void follow_best(Instant now);
  void tree_begins(Instant now);
  void tick(Instant now);
  void time_to(size_t port);

  // The time from a wave until the next one is missed.
  [[nodiscard]] uint64_t wave_patience_ns() const;
  // Does what is due on that link wait for the verdict on the father?
  [[nodiscard]] bool defers(const PortLink& link, uint64_t now_ns) const;
  void serve(size_t port, Instant now, Outlet& out);
  void serve_touched(Instant now, Outlet& out);
  [[nodiscard]] Frame compose(size_t port, Instant now);
  void put_state(size_t port, Instant now, Frame& frame);
  void put_time(size_t port, Instant now, Frame& frame);
  [[nodiscard]] uint64_t own_deadline_ns() const;

  const NodeId self_;
  const std::span<const NodeId> neighbors_;
  const Settings& settings_;
  std::vector<PortLink> links_;
  CandidateTrees trees_;
  std::vector<bool> leaf_;           // by port: a child below which nothing hangs
  std::vector<bool> silent_father_;  // by port: its silence was noticed when it was the father
  KeptTime time_;
  TreeName name_;
  uint32_t tag_ = 0;
  size_t in_force_ = kInstalled;
  bool optimised_ = true;
  bool has_time_ = false;     // by the tree in force
  double wave_ns_ = kNoWave;  // the father's time in the last wave of the tree in force
  uint16_t rank_ = 0;         // among the father's children
  size_t tick_port_ = 0;
  uint64_t tick_ns_ = kNever;
  uint64_t report_ns_ = kNever;
  uint64_t silence_ns_ = kNever;
  uint64_t patience_ns_ = kNever;
  uint64_t hold_ns_ = kNever;
  NodeId hold_failed_ = kNone;
  uint64_t deadline_ns_ = kNever;
  uint64_t tree_changes_ = 0;
  uint64_t time_changes_ = 0;
  uint64_t floods_ = 0;
};

}  // namespace lambdacast::clock_sync
