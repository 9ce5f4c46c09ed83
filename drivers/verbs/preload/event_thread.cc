// SPDX-License-Identifier: BSD-3-Clause
// Progress without calls: a program that waits for a completion event makes none. The thread exists
// while there is a completion channel, and sleeps in the kernel unless a queue is armed.
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include "device.h"
#include "pauses.h"

namespace lambdacast::verbs {
namespace {

// Between looks while nothing comes: what an event may be late by. A thread that sleeps the longest
// wakes up 250 times a second.
constexpr std::chrono::microseconds kFirstPause{50};
constexpr std::chrono::microseconds kLongestPause{4000};
// Looks without a pause after something came: the next message often follows.
constexpr uint32_t kEagerLooks = 200;

}  // namespace

void Device::add_channel() {
  if (channels_++ > 0) return;
  stop_thread_ = false;
  // Signals are the program's.
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run_thread(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Device::remove_channel(std::unique_lock<std::mutex>& held) {
  if (--channels_ > 0) return;
  stop_thread_ = true;
  wake_.notify_all();
  std::thread ended = std::move(thread_);
  held.unlock();
  ended.join();
  held.lock();
}

void Device::arm(CompletionQueue& cq, Armed armed) {
  if (cq.armed == Armed::kNo) {
    ++armed_;
    cq.armed = armed;
    wake_.notify_one();
  } else if (armed == Armed::kForAny) {
    cq.armed = armed;  // the wider wins
  }
}

void Device::disarm(CompletionQueue& cq) {
  if (cq.armed != Armed::kNo) --armed_;
  cq.armed = Armed::kNo;
}

void Device::rouse() {
  if (std::exchange(drowsy_, false)) wake_.notify_one();
}

void Device::run_thread() {
  std::unique_lock held(lock);
  Pauses pauses(kFirstPause, kLongestPause);
  uint32_t eager = 0;
  while (!stop_thread_) {
    if (armed_ == 0 || !port_) {
      wake_.wait(held);
      pauses.restart();
      eager = kEagerLooks;
      continue;
    }
    const auto before = counters_[Counter::kMessagesReceived];
    const Found found = progress();
    if (found != Found::kNothing) pauses.restart();
    // Frames for others, too: more of them than fit one turn must not pile up.
    if (found == Found::kFrames) eager = std::max(eager, 1u);
    if (counters_[Counter::kMessagesReceived] != before) eager = kEagerLooks;
    if (eager > 0) {
      --eager;
      held.unlock();
      std::this_thread::yield();
      held.lock();
      continue;
    }
    const auto pause = pauses.take();
    drowsy_ = pause > kFirstPause;
    if (wake_.wait_for(held, pause) == std::cv_status::no_timeout) pauses.restart();
    drowsy_ = false;
  }
}

}  // namespace lambdacast::verbs
