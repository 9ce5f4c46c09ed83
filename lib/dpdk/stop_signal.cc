// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/stop_signal.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <limits>

namespace lambdacast::dpdk {

StopSignal::StopSignal() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGHUP);
  (void)std::signal(SIGPIPE, SIG_IGN);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  pending_ = ::signalfd(-1, &signals_, SFD_CLOEXEC | SFD_NONBLOCK);
}

StopSignal::~StopSignal() {
  if (pending_ >= 0) ::close(pending_);
}

bool StopSignal::wait_ms(uint64_t milliseconds) {
  const timespec limit{static_cast<time_t>(milliseconds / 1000),
                       static_cast<long>(milliseconds % 1000) * 1'000'000};
  if (sigtimedwait(&signals_, nullptr, &limit) > 0) came_ = true;
  return came_;
}

bool StopSignal::wait_input_ms(int fd, uint64_t milliseconds) {
  bool ready[1] = {};
  wait_inputs_ms({&fd, 1}, ready, milliseconds);
  return ready[0];
}

void StopSignal::wait_inputs_ms(std::span<const int> fds, std::span<bool> ready,
                                uint64_t milliseconds) {
  pollfd wanted[kMaxInputs + 1] = {{pending_, POLLIN, 0}};
  const size_t count = std::min(fds.size(), kMaxInputs);
  for (size_t i = 0; i < count; ++i) wanted[i + 1] = {fds[i], POLLIN, 0};
  const int most = std::numeric_limits<int>::max();
  ::poll(wanted, count + 1, static_cast<int>(std::min<uint64_t>(milliseconds, most)));
  if (wanted[0].revents != 0) (void)wait_ms(0);
  for (size_t i = 0; i < count; ++i) ready[i] = wanted[i + 1].revents != 0;
}

}  // namespace lambdacast::dpdk
