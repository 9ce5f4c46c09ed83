// SPDX-License-Identifier: BSD-3-Clause
// Watches the trees and clocks of a run, of any scheme: when each switch came into a tree, how far
// any two clocks may be apart, and the violations on the way. It shares nothing with the switches:
// it sees fathers, kept times and true time.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

#include "clock_sync/kept_time.h"
#include "congest/graph.h"

namespace lambdacast::sim::fabrics {

// The tree that a switch takes its time from, as the log sees it.
struct ClockPlace {
  uint64_t tree = 0;                       // equal at all switches of one tree
  uint64_t flood = 0;                      // the flood that it stands upon; 0: none
  uint32_t generation = 0;                 // that never falls; 0 if the trees have none
  congest::ArcId father = congest::kNone;  // none: the root
};

// Oscillators: true time times (1 + rate), by node.
using Rates = std::vector<double>;
// So that no two are more than `drift` apart.
[[nodiscard]] Rates draw_rates(size_t nodes, double drift, uint64_t seed);

// The two greatest uncertainties of all switches. All grow alike, so that their order holds.
class Greatest {
 public:
  explicit Greatest(size_t nodes);
  // `epsilon_ns` at that time; a root is never off.
  void set(congest::NodeId node, double epsilon_ns, double at_ns, double drift, bool root);
  void remove(congest::NodeId node);
  // The most that two clocks may be apart: the sum of the two.
  [[nodiscard]] double pair_ns(double at_ns, double drift) const;

 private:
  static constexpr double kNothing = -std::numeric_limits<double>::infinity();
  struct Two {
    double first = kNothing;
    double second = kNothing;
  };
  void put(congest::NodeId node, double key);
  size_t leaves_;
  std::vector<Two> two_;  // a tree, as in ArgMin
};

class ClockLog {
 public:
  struct Config {
    double base_ns = 5;
    double drift = 200e-6;
    bool checks_bound = true;  // the switches measure hops to within base_ns
  };
  ClockLog(const congest::Graph& graph, Rates rates, const Config& config);

  // Switch `node` has another tree, or another place in it. `set`: the time has come by it, or the
  // switch is its root.
  void tree(congest::NodeId node, const ClockPlace& place, const clock_sync::KeptTime& time,
            bool set, uint64_t now_ns);
  void time(congest::NodeId node, const clock_sync::KeptTime& time, uint64_t now_ns);
  void died(congest::NodeId node, uint64_t now_ns);
  // From now on the peak counts, and so do times.
  void failure(uint64_t now_ns);
  void end(uint64_t now_ns);

  [[nodiscard]] double local_ns(congest::NodeId node, uint64_t now_ns) const {
    return static_cast<double>(now_ns) * (1 + rates_[node]);
  }
  [[nodiscard]] const ClockPlace& place(congest::NodeId node) const { return nodes_[node].place; }
  // When the last living switch came into the flood that it is in; 0: none has flooded.
  [[nodiscard]] uint64_t last_flooded_ns() const;
  // When the first one did.
  [[nodiscard]] uint64_t first_flooded_ns() const;
  // When the last living switch has got its place.
  [[nodiscard]] uint64_t last_change_ns() const;
  // When the last living switch was set first by the tree that it is in.
  [[nodiscard]] uint64_t last_set_ns() const;
  // Every living switch has been set by the tree that it is in.
  [[nodiscard]] bool all_set() const;
  [[nodiscard]] double peak_ns() const { return peak_ns_; }
  [[nodiscard]] double pair_ns(uint64_t now_ns) const {
    return greatest_.pair_ns(static_cast<double>(now_ns), config_.drift);
  }
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct Leader {
    double rate = 0;
    double offset_ns = 0;
  };
  struct Node {
    ClockPlace place;
    clock_sync::KeptTime time;
    Leader leader;  // of the tree that it was set by last
    uint64_t flooded_ns = 0;
    uint64_t changed_ns = 0;
    uint64_t set_ns = 0;
    bool set = false;  // by the tree that it is in
    bool alive = true;
  };
  void take_set(congest::NodeId node, const clock_sync::KeptTime& time, uint64_t now_ns);
  void take(congest::NodeId node, const clock_sync::KeptTime& time, uint64_t now_ns);
  void check_bound(congest::NodeId node, uint64_t now_ns);
  void check_loop(congest::NodeId node, uint64_t now_ns);
  void say(congest::NodeId node, uint64_t now_ns, const char* what);

  const congest::Graph& graph_;
  const Rates rates_;
  const Config config_;
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, Leader> leaders_;  // by tree
  Greatest greatest_;
  double peak_ns_ = 0;
  bool failed_ = false;
  std::vector<std::string> violations_;
};

}  // namespace lambdacast::sim::fabrics
