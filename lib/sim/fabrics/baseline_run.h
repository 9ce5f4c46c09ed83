// SPDX-License-Identifier: BSD-3-Clause
// The common part of the baselines' runs: the frame that carries time, oscillators, the log, and
// the failures of a scenario.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "clock_sync/kept_time.h"
#include "sim/fabrics/check_clock.h"
#include "sim/fabrics/clock_log.h"
#include "sim/fabrics/clock_run.h"

namespace lambdacast::sim::fabrics {

// The frame of a wave: its time as clock_sync::Frame has it, and the true time at which it was
// sent.
struct WaveFrame {
  double time_ns = 0;
  double age_ns = 0;
  uint16_t hops = 0;
  uint64_t sent_ns = 0;
};

class BaselineClocks {
 public:
  BaselineClocks(const Graph& graph, const ClockScenario& scenario)
      : graph_(graph),
        scenario_(scenario),
        log_(graph, draw_rates(graph.nodes(), scenario.drift, scenario.seed),
             {.base_ns = scenario.base_ns, .drift = scenario.drift, .checks_bound = false}),
        times_(graph.nodes()) {}

  [[nodiscard]] ClockLog& log() { return log_; }
  [[nodiscard]] clock_sync::KeptTime& time(NodeId node) { return times_[node]; }
  void set(NodeId node, const WaveFrame& wave, uint64_t now_ns) {
    const double noise = static_cast<double>(base::mix64(scenario_.seed ^ ++waves_)) / 0x1p63 - 1;
    const double delay_ns = static_cast<double>(now_ns - wave.sent_ns) + noise * scenario_.base_ns;
    times_[node].set(wave.time_ns + delay_ns, wave.age_ns + delay_ns, wave.hops,
                     log_.local_ns(node, now_ns));
    log_.time(node, times_[node], now_ns);
  }
  [[nodiscard]] WaveFrame wave(NodeId node, uint64_t now_ns) const {
    const double local_ns = log_.local_ns(node, now_ns);
    return {times_[node].now(local_ns), times_[node].age(local_ns),
            static_cast<uint16_t>(times_[node].hops() + 1), now_ns};
  }
  // Runs until the failures have come, the last of them included.
  template <typename Network>
  void fail(Network& network) {
    network.run_until(scenario_.failure_ns);
    log_.failure(scenario_.failure_ns);
    for (const Failure& failure : in_order(scenario_.failures)) {
      network.run_until(scenario_.failure_ns + failure.behind_ns);
      if (failure.node != kNone) {
        network.fail_node(failure.node);
        log_.died(failure.node, network.now_ns());
      } else {
        network.fail_link(failure.link);
      }
    }
  }
  // The trees that fathers make, whatever the switches know of their children.
  [[nodiscard]] ClockTrees check(const congest::LiveGraph& live) const {
    std::vector<ClockEnd> ends(graph_.nodes());
    for (NodeId node = 0; node < graph_.nodes(); ++node) {
      ends[node].place = log_.place(node);
      ends[node].final = true;
      const congest::ArcId father = ends[node].place.father;
      if (live.alive(node) && father != kNone)
        ends[graph_.to(father)].children.push_back(graph_.port(graph_.reverse(father)));
    }
    return check_clock_trees(live, ends, false);
  }

 private:
  const Graph& graph_;
  const ClockScenario& scenario_;
  ClockLog log_;
  std::vector<clock_sync::KeptTime> times_;
  uint64_t waves_ = 0;
};

}  // namespace lambdacast::sim::fabrics
