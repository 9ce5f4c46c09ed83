// SPDX-License-Identifier: BSD-3-Clause
// Counts what an endpoint transmits, by class, while its share holds it to a rate, and how long
// control waits that can wait. The wait is counted in time, from when the control was due, and in
// data bursts, from when its part of the share let it go: the bursts tell the precedence of control
// apart from the size of the share.
//
// Time comes as now_ns; bytes are those on the wire. Not thread-safe: rate_control's lcore owns it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace lambdacast::node {

// Kinds of control that a later frame covers, so that they can wait for the share.
enum class Lazy : uint8_t { kMarks, kAcknowledgements, kStatuses };
inline constexpr size_t kLazyKinds = 3;

struct ClassCounts {
  uint64_t frames = 0;
  uint64_t bytes = 0;

  void add(uint64_t more_bytes, uint64_t more_frames = 1) {
    frames += more_frames;
    bytes += more_bytes;
  }
};

struct ClassReport {
  static constexpr size_t kWaits = 4;

  ClassCounts data;  // first transmissions
  ClassCounts repairs;
  ClassCounts urgent;    // control that does not wait
  ClassCounts lazy;      // control that can
  uint64_t held_ns = 0;  // data waited for the share
  // Lazy frames by the data bursts that they waited: none, one, two, more.
  std::array<uint64_t, kWaits> waits{};
  uint64_t wait_ns = 0;  // of all of them together
  uint64_t longest_wait_ns = 0;
};

class ClassAccount {
 public:
  // A burst with data has been handed to the port.
  void burst() { ++bursts_; }
  // Frames of that kind are due. `allowed`: their part of the share lets one go.
  void wants(Lazy kind, bool allowed, uint64_t now_ns) {
    Due& due = due_[static_cast<size_t>(kind)];
    if (!due.is) due = {true, now_ns, bursts_};
    if (!allowed) due.burst = bursts_;
  }
  void goes(Lazy kind, uint64_t now_ns) {
    Due& due = due_[static_cast<size_t>(kind)];
    if (!due.is) return;
    due.is = false;
    const uint64_t wait_ns = now_ns - due.since_ns;
    ++report_.waits[std::min<uint64_t>(bursts_ - due.burst, ClassReport::kWaits - 1)];
    report_.wait_ns += wait_ns;
    report_.longest_wait_ns = std::max(report_.longest_wait_ns, wait_ns);
  }
  void withdraw(Lazy kind) { due_[static_cast<size_t>(kind)].is = false; }
  // Data waited for the share when the last turn and this one ended, or not.
  void held(bool waits, uint64_t now_ns) {
    if (waits && waited_) report_.held_ns += now_ns - turn_ns_;
    waited_ = waits;
    turn_ns_ = now_ns;
  }

  [[nodiscard]] ClassReport& counts() { return report_; }
  [[nodiscard]] const ClassReport& report() const { return report_; }

 private:
  struct Due {
    bool is = false;
    uint64_t since_ns = 0;
    uint64_t burst = 0;  // the number of bursts by then
  };

  std::array<Due, kLazyKinds> due_{};
  uint64_t bursts_ = 0;
  bool waited_ = false;
  uint64_t turn_ns_ = 0;
  ClassReport report_;
};

}  // namespace lambdacast::node
