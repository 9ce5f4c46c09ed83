// SPDX-License-Identifier: BSD-3-Clause
// The port's own thread. It does what may wait for the kernel: makes the address handles that the
// sending lcore lacks, sets up anew the queue pairs that failed, takes the device's events. It
// sleeps unless it is woken, or has something that is not done yet.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/result.h"

namespace lambdacast::net_verbs {

struct Port;
class QueuePair;

class Keeper {
 public:
  explicit Keeper(Port& port) : port_(port) {}
  ~Keeper() { stop(); }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  [[nodiscard]] base::Result<void> start();
  void stop();
  // Any thread may call it, lcores too. It makes a system call at most once for each time that the
  // keeper wakes up.
  void wake();

 private:
  static void* run(void* keeper);
  void loop();
  // When to look again, in milliseconds; -1: when it is woken.
  [[nodiscard]] int work();
  void take_events();
  // Returns false if the queue pair has not given back all that it holds: try again later.
  [[nodiscard]] bool mend(QueuePair& pair, uint32_t& tries);
  [[nodiscard]] bool renew(QueuePair& pair);

  Port& port_;
  int wake_ = -1;  // an eventfd
  pthread_t thread_{};
  bool running_ = false;
  std::atomic<bool> woken_{false};
  std::atomic<bool> ending_{false};
  std::vector<uint32_t> tries_;  // to mend, by queue pair
};

}  // namespace lambdacast::net_verbs
