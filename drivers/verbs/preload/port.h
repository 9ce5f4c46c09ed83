// SPDX-License-Identifier: BSD-3-Clause
// The wire under the device: one attachment to an embedded fabric, which transmits on a wavelength
// of its own and hears all, its own included (a message to oneself comes back that way). For a real
// port it is a fabric of this process alone, with a bridge on the other wavelength.
#pragma once

#include <x86intrin.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "bridge.h"
#include "fabric/fabric.h"
#include "fabric/rate_queue.h"
#include "settings.h"

namespace lambdacast::verbs {

class Port {
 public:
  struct Listener {
    fabric::Receiver receiver;
    bool lit = false;
  };

  // Errors: those of Fabric::attach and claim; a channel that the fabric has not; no wavelength
  // free; slots too short for the largest frame of path MTU 256.
  [[nodiscard]] static base::Result<std::unique_ptr<Port>> open(const Settings& settings);

  // Returns false in a child of the process that opened the port: nothing is mapped there.
  [[nodiscard]] bool here() const { return generation_ == fabric::fork_generation(); }
  // The bridge to a real port, or null if the device is on the embedded fabric alone.
  [[nodiscard]] Bridge* bridge() const { return bridge_.get(); }
  [[nodiscard]] uint32_t wavelength() const { return *fabric_->owned_wavelength(); }
  [[nodiscard]] uint32_t slots() const { return fabric_->geometry().slots; }
  [[nodiscard]] uint32_t frame_bytes() const { return fabric_->geometry().frame_bytes; }

  [[nodiscard]] static uint64_t now() { return __rdtsc(); }
  [[nodiscard]] uint64_t ticks_per_second() const { return ticks_hz_; }

  // When a frame of that many bytes, sent now, has left: the line is busy until the last one's, and
  // takes no more frames a second than it may.
  [[nodiscard]] uint64_t departure(uint64_t now_ticks, uint32_t frame_bytes) {
    uint64_t due = std::max(now_ticks, last_departure_ + ticks_per_frame_);
    if (line_.active()) {
      (void)line_.offer(now_ticks, frame_bytes);
      due = std::max(due, line_.departure());
    }
    return last_departure_ = due;
  }
  [[nodiscard]] fabric::Transmitter& transmitter() { return transmitter_; }

  // The frame just sent is for nobody here: it need not be read back, unless others before it do.
  void pass_over_own() {
    fabric::Receiver& own = listeners_[wavelength()].receiver;
    if (own.cursor() + 1 == transmitter_.next_index()) own.advance();
  }

  // The listeners of wavelengths on which a transmitter is, or has been.
  [[nodiscard]] std::vector<Listener*>& lit() {
    const uint64_t generation = fabric_->lit_generation();
    if (generation != lit_generation_) [[unlikely]]
      look_for_light(generation);
    return lit_;
  }

 private:
  Port() = default;
  [[nodiscard]] static base::Result<std::unique_ptr<Port>> open_bridged(const Settings& settings);
  [[nodiscard]] base::Result<void> claim(const std::string& channel);
  void pace(uint64_t rate_bps, uint64_t rate_pps);
  [[gnu::noinline]] void look_for_light(uint64_t generation);

  std::unique_ptr<fabric::Fabric> fabric_;
  fabric::Transmitter transmitter_;
  fabric::RateQueue line_;
  uint64_t ticks_per_frame_ = 0;
  uint64_t last_departure_ = 0;
  std::vector<Listener> listeners_;
  std::vector<Listener*> lit_;
  uint64_t lit_generation_ = ~uint64_t{0};
  uint64_t ticks_hz_ = 0;
  uint32_t generation_ = 0;
  std::unique_ptr<Bridge> bridge_;  // goes first: it is on the fabric
};

// The frequency of the TSC, measured by the kernel's clock within 0.1 %. This takes 2 ms, once a
// process.
[[nodiscard]] uint64_t measured_ticks_hz();

}  // namespace lambdacast::verbs
