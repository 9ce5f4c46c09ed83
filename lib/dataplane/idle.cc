#include "dataplane/idle.h"

#include <rte_pause.h>

#include <ctime>

namespace lambdacast::dataplane {

void idle(const config::Lcore& policy) {
  switch (policy.idle) {
    case config::IdlePolicy::kSpin:
      return;
    case config::IdlePolicy::kPause:
      rte_pause();
      return;
    case config::IdlePolicy::kSleep: {
      const timespec pause{0, static_cast<long>(policy.sleep_us) * 1000};
      ::clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
      return;
    }
  }
}

}  // namespace lambdacast::dataplane
