// SPDX-License-Identifier: BSD-3-Clause
// How an lcore idles between two empty polls. `sleep` leaves the core to others, so that more
// lcores than cores still make progress, and costs latency: the first sleep of a silence takes
// sleep_us, each further one twice as long, up to sleep_max_us. So a packet that ends a silence
// waits no longer than the silence took, sleep_max_us at most, and the kernel's slack: an eighth of
// sleep_us, in place of the 50 us that threads are given (prctl(2), PR_SET_TIMERSLACK).
#pragma once

#include <cstdint>

#include "config/config.h"

namespace lambdacast::dpdk {

// One lcore's, made on its thread.
class Idler {
 public:
  explicit Idler(const config::Lcore& policy);
  ~Idler();
  Idler(const Idler&) = delete;
  Idler& operator=(const Idler&) = delete;

  // Must be called after a loop in which no stage had anything to do.
  void idle();
  // Must be called after any other loop, so that the next silence begins anew.
  void busy() { next_sleep_us_ = policy_.sleep_us; }

  [[nodiscard]] uint32_t next_sleep_us() const { return next_sleep_us_; }

 private:
  const config::Lcore policy_;
  uint32_t next_sleep_us_;
};

}  // namespace lambdacast::dpdk
