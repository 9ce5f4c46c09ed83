// SPDX-License-Identifier: BSD-3-Clause
// The loop of an lcore: it polls its pipelines, burst by burst, until told to stop. Control threads
// reach the lcore's data only through run_here(), which the lcore executes between two loops.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/cacheline.h"
#include "base/counter.h"
#include "config/config.h"
#include "dpdk/clock.h"
#include "node/stage.h"

namespace lambdacast::dpdk {

// Written by the lcore, read by anybody.
struct DutyCounters {
  base::Counter loops;
  base::Counter empty_loops;            // no stage had anything
  base::Counter busy_ns;                // spent in loops that moved packets
  std::atomic<uint64_t> longest_ns{0};  // one loop, idling excepted: includes being preempted
};

struct alignas(base::kCacheLinePairBytes) PolledStage {
  node::Stage* stage = nullptr;
  std::string endpoint;  // whose
  bool held = false;     // the lcore's alone
  base::Counter polls;
  base::Counter empty_polls;
  base::Counter packets;  // packets a burst = packets / (polls - empty_polls)
  // Of one loop in kSampleLoops: the time of polls that moved packets, and how many they moved.
  base::Counter sampled_ns;
  base::Counter sampled_packets;
};

class LcoreLoop {
 public:
  LcoreLoop(const config::Lcore& config, const TscClock& clock) : config_(config), clock_(clock) {}

  // Adds a stage before the lcore runs. Stages are polled in the order in which they were added.
  void add(node::Stage& stage, const std::string& endpoint);

  void run();  // on the lcore; returns after stop()
  void stop() { stop_.store(true, std::memory_order_release); }

  // Runs `task` on the lcore, between two loops, and waits for it; in the caller's thread if the
  // lcore does not run. Any number of control threads: they take turns. A task on one lcore may run
  // one on another, and stands still meanwhile; never on its own.
  void run_here(const std::function<void()>& task);

  // Stops polling the stages of that endpoint, as if its process hung or had died while the others
  // go on, or polls them again. Called on the lcore, or while it does not run.
  void hold(const std::string& endpoint, bool held);

  // Any thread: how often `stage`, one of the loop's, had nothing to do.
  [[nodiscard]] uint64_t empty_polls(const node::Stage& stage) const;

  [[nodiscard]] bool running() const { return running_.load(std::memory_order_acquire); }
  [[nodiscard]] uint32_t id() const { return config_.id; }
  [[nodiscard]] config::IdlePolicy idle_policy() const { return config_.idle; }
  [[nodiscard]] const DutyCounters& duty() const { return duty_; }
  [[nodiscard]] const std::vector<std::unique_ptr<PolledStage>>& stages() const { return stages_; }

 private:
  static constexpr uint64_t kSampleLoops = 64;
  uint32_t poll_stages(uint64_t now_ns);
  uint32_t poll(PolledStage& polled, uint64_t now_ns);
  // The same, and how long each takes: it reads the clock once a stage.
  uint32_t poll_stages_timed(uint64_t now_ns);
  void account(uint32_t moved, uint64_t spent_ns);
  void run_task();

  const config::Lcore config_;
  const TscClock& clock_;
  std::vector<std::unique_ptr<PolledStage>> stages_;
  DutyCounters duty_;
  std::mutex turn_;  // of the control threads; no lcore takes it
  // Mailbox: control writes, the lcore reads every loop. Its own line pair: the lcore's counters
  // must not share it.
  alignas(base::kCacheLinePairBytes) std::atomic<bool> stop_{false};
  std::atomic<const std::function<void()>*> task_{nullptr};
  std::atomic<bool> task_done_{false};
  std::atomic<bool> running_{false};
};

}  // namespace lambdacast::dpdk
