// SPDX-License-Identifier: BSD-3-Clause
// How a control thread waits: for SIGINT, SIGTERM or SIGHUP, or for time to pass. The signals are
// blocked in all threads and taken here, so that no handler ever runs in the middle of anything.
// All three ask for the end in order: a terminal that is closed ends what was started in it.
// SIGPIPE is ignored from then on: a reader that is gone is an error of write().
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lambdacast::dpdk {

class StopSignal {
 public:
  StopSignal();  // before any thread is made (EAL makes some): they inherit the mask
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  // Waits for a (further) signal, at most that long. True once one has come.
  bool wait_ms(uint64_t milliseconds);
  // The same, or until there is input at `fd` (or its end): true then.
  [[nodiscard]] bool wait_input_ms(int fd, uint64_t milliseconds);
  // The same, or until there is input at one of `fds` (or its end), which `ready` tells; a negative
  // one is none. As many of both, kMaxInputs at most.
  static constexpr size_t kMaxInputs = 4;
  void wait_inputs_ms(std::span<const int> fds, std::span<bool> ready, uint64_t milliseconds);
  [[nodiscard]] bool came() const { return came_; }

 private:
  sigset_t signals_;
  int pending_;  // readable when one has come
  bool came_ = false;
};

}  // namespace lambdacast::dpdk
