// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/lcore_loop.h"

#include "dpdk/idle.h"

namespace lambdacast::dpdk {

void LcoreLoop::run() {
  running_.store(true, std::memory_order_seq_cst);
  Idler idler(config_);
  uint64_t now_ns = clock_.now_ns();
  while (!stop_.load(std::memory_order_acquire)) {
    const bool timed = duty_.loops.get() % kSampleLoops == 0;
    const uint32_t moved = timed ? poll_stages_timed(now_ns) : poll_stages(now_ns);
    const bool asked = task_.load(std::memory_order_acquire) != nullptr;
    if (asked) [[unlikely]]
      run_task();
    const uint64_t end_ns = clock_.now_ns();
    account(moved, end_ns - now_ns);
    now_ns = end_ns;
    if (moved == 0 && !asked) {  // a task may have left its stages something to do
      idler.idle();
      now_ns = clock_.now_ns();
    } else {
      idler.busy();
    }
  }
  running_.store(false, std::memory_order_seq_cst);
  if (task_.load(std::memory_order_seq_cst) != nullptr) run_task();
}

inline uint32_t LcoreLoop::poll(PolledStage& polled, uint64_t now_ns) {
  const uint32_t packets = polled.stage->poll(now_ns);
  polled.polls.add(1);
  if (packets == 0) {
    polled.empty_polls.add(1);
  } else {
    polled.packets.add(packets);
  }
  return packets;
}

uint32_t LcoreLoop::poll_stages(uint64_t now_ns) {
  uint32_t moved = 0;
  for (const auto& polled : stages_) {
    if (polled->held) [[unlikely]]
      continue;
    moved += poll(*polled, now_ns);
  }
  return moved;
}

uint32_t LcoreLoop::poll_stages_timed(uint64_t now_ns) {
  uint32_t moved = 0;
  uint64_t begin_ns = clock_.now_ns();
  for (const auto& polled : stages_) {
    if (polled->held) continue;
    const uint32_t packets = poll(*polled, now_ns);
    const uint64_t end_ns = clock_.now_ns();
    if (packets != 0) {
      polled->sampled_ns.add(end_ns - begin_ns);
      polled->sampled_packets.add(packets);
    }
    begin_ns = end_ns;
    moved += packets;
  }
  return moved;
}

void LcoreLoop::account(uint32_t moved, uint64_t spent_ns) {
  duty_.loops.add(1);
  if (moved == 0) {
    duty_.empty_loops.add(1);
  } else {
    duty_.busy_ns.add(spent_ns);
  }
  if (spent_ns > duty_.longest_ns.load(std::memory_order_relaxed)) {
    duty_.longest_ns.store(spent_ns, std::memory_order_relaxed);
  }
}

void LcoreLoop::run_task() {
  const auto* task = task_.exchange(nullptr, std::memory_order_acq_rel);
  if (task == nullptr) return;
  (*task)();
  task_done_.store(true, std::memory_order_release);
  task_done_.notify_one();
}

void LcoreLoop::run_here(const std::function<void()>& task) {
  const std::lock_guard turn(turn_);
  task_done_.store(false, std::memory_order_relaxed);
  task_.store(&task, std::memory_order_seq_cst);
  // Not running (any more): whoever takes the task out of the mailbox runs it.
  if (!running_.load(std::memory_order_seq_cst)) run_task();
  task_done_.wait(false, std::memory_order_acquire);
}

void LcoreLoop::hold(const std::string& endpoint, bool held) {
  for (const auto& polled : stages_) {
    if (polled->endpoint == endpoint) polled->held = held;
  }
}

uint64_t LcoreLoop::empty_polls(const node::Stage& stage) const {
  for (const auto& polled : stages_) {
    if (polled->stage == &stage) return polled->empty_polls.get();
  }
  return 0;
}

void LcoreLoop::add(node::Stage& stage, const std::string& endpoint) {
  auto polled = std::make_unique<PolledStage>();
  polled->stage = &stage;
  polled->endpoint = endpoint;
  stages_.push_back(std::move(polled));
}

}  // namespace lambdacast::dpdk
