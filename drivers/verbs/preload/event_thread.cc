// SPDX-License-Identifier: BSD-3-Clause
// Progress without calls: a program that waits for a completion event makes none. The thread exists
// while there is a completion channel, and sleeps in the kernel unless a queue is armed.
#include <pthread.h>

#include <chrono>
#include <csignal>

#include "device.h"

namespace lambdacast::verbs {
namespace {

// Between looks while nothing comes: what an event may be late by, and 20,000 wake-ups a second.
constexpr std::chrono::microseconds kPause{50};
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

void Device::run_thread() {
  std::unique_lock held(lock);
  uint32_t eager = 0;
  while (!stop_thread_) {
    if (armed_ == 0 || !port_) {
      wake_.wait(held);
      eager = kEagerLooks;
      continue;
    }
    const auto before = counters_[Counter::kMessagesReceived];
    progress();
    if (counters_[Counter::kMessagesReceived] != before) eager = kEagerLooks;
    if (eager > 0) {
      --eager;
      held.unlock();
      std::this_thread::yield();
      held.lock();
    } else {
      wake_.wait_for(held, kPause);
    }
  }
}

}  // namespace lambdacast::verbs
