// SPDX-License-Identifier: BSD-3-Clause
// Measures what an endpoint needs, from what it sends and how often its share alone holds it back.
// Hysteresis keeps a sender at rest from announcing anything: a need that has gone up stands a
// quarter above the use, and comes down when the use has been below seven tenths of it for some
// periods.
//
// Time comes as now_ns. Rates are bits a second on the wire. Owner: the rate_control lcore.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lambdacast::rate_control {

struct DemandConfig {
  uint64_t period_ns = 10'000'000;  // of one measurement of the use
};

class Demand {
 public:
  static constexpr uint64_t kFloorBps = 64'000;  // control at rest
  static constexpr size_t kPeriods = 8;          // a use is forgotten behind so many

  explicit Demand(const DemandConfig& config = {}) : config_(config) {}

  // Bytes on the wire have gone.
  void used(uint64_t bytes) { period_bytes_ += bytes; }
  // A poll in which data was there (`had_data`), and the share's bucket alone refused it
  // (`waited`). What a window, the port or the application held back is no demand.
  void polled(bool had_data, bool waited) {
    polls_ += had_data || waited ? 1 : 0;
    waited_ += waited ? 1 : 0;
  }

  // The state of the shares when it decides.
  struct Standing {
    uint64_t need_bps = 0;        // announced
    uint64_t line_bps = 0;        // at most; kUnlimitedBps: no limit
    bool limited_by_need = true;  // no receiver holds the share below the need
    bool settled = true;          // the last announcement has settled
    size_t members = 1;
  };
  // Another need to announce, at most one in 10 ms x (1 + members / 8); nothing: the one announced
  // stands. Called at least once a millisecond. greedy(): what an unlimited need would get; it is
  // asked only where that matters.
  template <typename Greedy>
  [[nodiscard]] std::optional<uint64_t> look(const Standing& standing, uint64_t now_ns,
                                             Greedy&& greedy) {
    const bool pressed = pass(now_ns);
    if (pressed && standing.limited_by_need && may_say(standing, now_ns))
      return say(up(standing, greedy()), standing, now_ns);
    return say(down(standing), standing, now_ns);
  }

 private:
  // Time passes. True: the share alone has held data back in most polls of the last millisecond.
  [[nodiscard]] bool pass(uint64_t now_ns);
  void end_period(uint64_t now_ns);
  [[nodiscard]] bool may_say(const Standing& standing, uint64_t now_ns) const;
  [[nodiscard]] std::optional<uint64_t> say(uint64_t wanted_bps, const Standing& standing,
                                            uint64_t now_ns);
  [[nodiscard]] static uint64_t up(const Standing& standing, uint64_t greedy_bps);
  [[nodiscard]] uint64_t down(const Standing& standing) const;

  static constexpr uint64_t kLookUpNs = 1'000'000;

  DemandConfig config_;
  bool begun_ = false;
  uint64_t period_begin_ns_ = 0;
  uint64_t period_bytes_ = 0;
  std::array<uint64_t, kPeriods> use_bps_{};  // of the last periods, a ring
  size_t periods_ = 0;                        // of all time
  uint64_t up_begin_ns_ = 0;
  uint64_t polls_ = 0;   // since then
  uint64_t waited_ = 0;  // of them
  uint64_t said_ns_ = 0;
  bool said_ = false;
};

}  // namespace lambdacast::rate_control
