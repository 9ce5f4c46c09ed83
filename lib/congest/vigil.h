// SPDX-License-Identifier: BSD-3-Clause
// Whether the other end of a link lives: it is asked several times, and its silence decides.
#pragma once

#include <cstdint>

namespace lambdacast::congest {

class Vigil {
 public:
  void ask() {
    if (asking()) return;
    asks_ = 0;
    asking_ = true;
  }
  [[nodiscard]] bool asking() const { return asking_; }
  [[nodiscard]] bool ask_due(uint32_t probes) const { return asking_ && asks_ < probes; }
  // When the last of the probes has gone, its answer decides.
  void asked(uint32_t probes, uint64_t verdict_ns) {
    if (++asks_ == probes) verdict_ns_ = verdict_ns;
  }
  // Whatever comes shows that it lives.
  void heard() {
    asking_ = false;
    verdict_ns_ = ~uint64_t{0};
  }
  // From then on it is taken to be dead; all ones: it is not asked, or not often enough yet.
  [[nodiscard]] uint64_t verdict_ns() const { return verdict_ns_; }

 private:
  uint64_t verdict_ns_ = ~uint64_t{0};
  uint32_t asks_ = 0;
  bool asking_ = false;
};

}  // namespace lambdacast::congest
