// SPDX-License-Identifier: BSD-3-Clause
// Tells on stderr how far many runs are: on a terminal in one line, else in a line every ten
// seconds. Any thread may tell it of a run that is done.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <mutex>

namespace lambdacast::sim_program {

class RunProgress {
 public:
  // `what` is counted besides, by the million: events, groups.
  RunProgress(uint64_t runs, const char* what)
      : runs_(runs), what_(what), terminal_(isatty(STDERR_FILENO) == 1) {}
  void done(uint64_t counted) {
    const std::scoped_lock lock(telling_);
    ++done_;
    counted_ += counted;
    const auto now = Clock::now();
    const auto pause = terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10);
    if (now - told_ < pause) return;
    told_ = now;
    shown_ = true;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    fmt::print(stderr, "{}{} of {} runs, {:.2f} million {} a second, {:.0f} s left{}",
               terminal_ ? "\r" : "", done_, runs_, static_cast<double>(counted_) / 1e6 / seconds,
               what_, seconds * static_cast<double>(runs_ - done_) / static_cast<double>(done_),
               terminal_ ? "\033[K" : "\n");
  }
  void end() const {
    if (terminal_ && shown_) fmt::print(stderr, "\r\033[K");
  }

 private:
  using Clock = std::chrono::steady_clock;
  const uint64_t runs_;
  const char* const what_;
  const bool terminal_;
  const Clock::time_point begun_ = Clock::now();
  Clock::time_point told_ = begun_;
  std::mutex telling_;
  uint64_t done_ = 0;
  uint64_t counted_ = 0;
  bool shown_ = false;
};

}  // namespace lambdacast::sim_program
