// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/idle.h"

#include <rte_pause.h>
#include <sys/prctl.h>

#include <algorithm>
#include <ctime>

namespace lambdacast::dpdk {
namespace {

constexpr unsigned long kNsPerUs = 1000;
constexpr unsigned long kSlackShare = 8;

}  // namespace

Idler::Idler(const config::Lcore& policy) : policy_(policy), next_sleep_us_(policy.sleep_us) {
  if (policy_.idle != config::IdlePolicy::kSleep) return;
  ::prctl(PR_SET_TIMERSLACK, policy_.sleep_us * kNsPerUs / kSlackShare, 0, 0, 0);
}

Idler::~Idler() {
  constexpr unsigned long kDefault = 0;
  if (policy_.idle == config::IdlePolicy::kSleep) ::prctl(PR_SET_TIMERSLACK, kDefault, 0, 0, 0);
}

void Idler::idle() {
  switch (policy_.idle) {
    case config::IdlePolicy::kSpin:
      return;
    case config::IdlePolicy::kPause:
      rte_pause();
      return;
    case config::IdlePolicy::kSleep: {
      const timespec pause{0, static_cast<long>(next_sleep_us_ * kNsPerUs)};
      ::clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
      next_sleep_us_ =
          std::min(2 * next_sleep_us_, std::max(policy_.sleep_us, policy_.sleep_max_us));
      return;
    }
  }
}

}  // namespace lambdacast::dpdk
