// SPDX-License-Identifier: BSD-3-Clause
// The course of a latency run: warm-up, the greatest rate if the rate follows from it, then slices
// of the endpoints and of the bare ports in turn, so that whatever else the machine does meets
// both.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "credit.h"
#include "dpdk/stop_signal.h"
#include "latency_application.h"
#include "latency_options.h"
#include "latency_report.h"
#include "rack/rack.h"

namespace lambdacast::bench {

class LatencyRun {
 public:
  // Sets the rack's applications: before it starts.
  LatencyRun(rack::Rack& rack, const LatencyOptions& options, uint64_t window,
             dpdk::StopSignal& stop);

  // While the rack runs; stops it. A signal ends it early: the report is of what was done.
  [[nodiscard]] LatencyReport measure();

 private:
  using Counter = std::function<uint64_t()>;

  [[nodiscard]] double measure_max_rate();
  [[nodiscard]] Schedule schedule(uint64_t first, uint64_t count) const;
  // Each returns the messages sent.
  uint64_t full_slice(uint64_t first, uint64_t count);
  uint64_t bare_slice(uint64_t first, uint64_t count);
  void wait_for(const Schedule& schedule, const Counter& sent, const Counter& received);
  void on_sender(const std::function<void()>& order);
  void on_receiver(const std::function<void()>& order);
  void at_end(const std::function<void()>& order);  // where the recorders live

  rack::Rack& rack_;
  const LatencyOptions& options_;
  dpdk::StopSignal& stop_;
  const bool bare_;
  double rate_;
  Credit credit_;
  LatencyRecorder full_recorder_;
  LatencyRecorder bare_recorder_;
  LatencyEnd end_;
  LatencySender* sender_ = nullptr;      // the rack's
  LatencyReceiver* receiver_ = nullptr;  // the rack's
};

}  // namespace lambdacast::bench
