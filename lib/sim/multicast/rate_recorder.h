// SPDX-License-Identifier: BSD-3-Clause
// Writes into the log what lives send, and may send by their own account, where nodes agree on
// their rates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/wire_bytes.h"
#include "rate_control/limits.h"
#include "sim/multicast/frame_view.h"
#include "sim/multicast/log.h"
#include "sim/multicast/sim_env.h"

namespace lambdacast::sim {

class RateRecorder {
 public:
  explicit RateRecorder(Log& log) : log_(log) {}

  struct Times {
    uint64_t offered_ns = 0;
    uint64_t at_ns = 0;
  };
  // `self`: the address of the life, which is not that of a frame that it relays.
  void transmitted(uint32_t life, size_t frame_bytes, const FrameView& view, const wire::Gid& self,
                   Times times) {
    if (!log_.rates) return;
    const bool of_stream = view.kind() == FrameView::Kind::kData && view.source() == self;
    log_.wire.push_back({life, base::wire_bytes(static_cast<uint32_t>(frame_bytes)), times.at_ns,
                         of_stream && !view.marks() && !view.rates(), times.offered_ns});
    if (of_stream && view.rates() && !view.repair()) note_said(life, view, times.at_ns);
  }
  // Whether it counts for a lease is for a checker to say.
  void heard(uint32_t life, const FrameView& view, const Waiting& waiting, uint64_t now_ns) {
    if (!log_.rates || !view.operational()) return;
    log_.vouched.push_back({waiting.sender, life, waiting.sent_ns, now_ns, view.epoch(),
                            view.round(), view.coordinator(), view.suspects()});
  }
  // A line for the trace about a change of the limits; empty if there is none. `shared`: they are a
  // share. What limits a life does not say that: with and without a share it can be the same.
  std::string allowed(uint32_t life, const rate_control::Limits& limits, bool shared,
                      uint64_t now_ns) {
    last_.resize(log_.lives.size());
    const std::pair now{limits, shared};
    if (!log_.rates || last_[life] == now) return {};
    last_[life] = now;
    log_.allowances.push_back({life, now_ns, limits.bits_per_second, shared});
    return " may send " + std::to_string(limits.bits_per_second) + " bit/s" +
           (shared ? "" : " without a share");
  }

 private:
  void note_said(uint32_t life, const FrameView& view, uint64_t now_ns) {
    constexpr uint8_t kReserve = 17;
    RatesSaid said{life, now_ns, view.rate_type() == kReserve, view.rate_field(0)};
    if (!said.reserve) {
      said.line_bps = view.rate_field(1);
      said.room_bps = view.rate_field(2);
      said.each_bps = view.rate_field(3);
      said.reserve_bps = view.rate_field(4);
    }
    log_.rates_said.push_back(said);
  }

  Log& log_;
  std::vector<std::optional<std::pair<rate_control::Limits, bool>>> last_;  // by life
};

}  // namespace lambdacast::sim
