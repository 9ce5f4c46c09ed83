#include "dataplane/stop_signal.h"

#include <ctime>

namespace lambdacast::dataplane {

StopSignal::StopSignal() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

bool StopSignal::wait_ms(uint64_t milliseconds) {
  const timespec limit{static_cast<time_t>(milliseconds / 1000),
                       static_cast<long>(milliseconds % 1000) * 1'000'000};
  if (sigtimedwait(&signals_, nullptr, &limit) > 0) came_ = true;
  return came_;
}

}  // namespace lambdacast::dataplane
