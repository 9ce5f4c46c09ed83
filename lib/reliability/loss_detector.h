// SPDX-License-Identifier: BSD-3-Clause
// Detects the losses of one stream and says when to ask for them. It works alone, as Aeron's
// LossDetector does: scan() is given the positions that are missing now and calls back for each
// that a NACK should name; how long a gap waits before it is asked for is the caller's strategy.
//
// Skipped positions are missing as well, but nobody is asked for them (see skipped_positions.h).
//
// Times in nanoseconds of the endpoint's clock. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>

#include "reliability/gap_timers.h"
#include "reliability/round_trip.h"
#include "reliability/skipped_positions.h"

namespace lambdacast::reliability {

class LossDetector {
 public:
  static constexpr uint64_t kNever = GapTimers::kNever;

  // positions: of the receive window, a power of two, at least 64.
  explicit LossDetector(uint32_t positions) : timers_(positions), skipped_(positions) {}

  // A position was found missing: nobody asks for it before due_ns.
  void reveal(uint64_t position, uint64_t now_ns, uint64_t uptime_ns, uint64_t due_ns) {
    timers_.reveal(position, now_ns, uptime_ns, due_ns);
  }
  // Is it missing, or was it until now?
  [[nodiscard]] bool was_missing(uint64_t position) const { return timers_.was_missing(position); }
  // When it was revealed; the position was_missing().
  [[nodiscard]] uint64_t revealed_ns(uint64_t position) const {
    return timers_.revealed_ns(position);
  }
  [[nodiscard]] uint64_t revealed_uptime_ns(uint64_t position) const {
    return timers_.revealed_uptime_ns(position);
  }
  // It came, or is lost.
  void forget(uint64_t position) { timers_.forget(position); }
  // The stream begins anew.
  void reset() {
    timers_.reset();
    skipped_.clear();
  }

  // A peer's NACK names a position that is missing here too. True: that spared us asking.
  bool hear_nack(uint64_t position, uint64_t now_ns, const RoundTrip& round_trip) {
    // The peer asks again if the repair is lost, but may have to wait a round trip because it has
    // just asked for something else.
    const uint64_t listening_ns = round_trip.smoothed_ns() * 5 / 4;
    return timers_.heard(position, now_ns, round_trip.retry_ns(), listening_ns);
  }

  // `next`: the window's lowest missing position; `position` lies in the window.
  void skip(uint64_t position, uint64_t next) { skipped_.add(position, next); }
  [[nodiscard]] bool skips(uint64_t position) const { return skipped_.has(position); }
  [[nodiscard]] bool skips_any() const { return skipped_.any(); }
  // Skipped positions are missing like any other.
  void unskip() { skipped_.clear(); }

  // Asks for what is due, at most once a round trip: one NACK frame names every gap that is due,
  // and those besides whose answer is overdue, if only just.
  //   positions.for_each_missing(from, visit(position) -> bool): ascending, until visit says false
  //   end: positions from here on cannot be taken yet, and are not asked for
  //   first_ask_ns(position, revealed_ns): the delay strategy, for what nobody has asked for
  //   ask(position) -> bool: false if the frame has no place for it: it stays due
  // True: ask() was called.
  template <typename Positions, typename Delay, typename Ask>
  bool scan(const Positions& positions, uint64_t from, uint64_t end, uint64_t now_ns,
            const RoundTrip& round_trip, Delay&& first_ask_ns, Ask&& ask) {
    if (!any_due(positions, from, end, now_ns, round_trip, first_ask_ns)) return false;
    const uint64_t retry_ns = round_trip.retry_ns();
    const uint64_t along_ns = round_trip.smoothed_ns() * 3 / 2;
    uint64_t next_due_ns = kNever;
    positions.for_each_missing(from, [&](uint64_t at) {
      if (at >= end) {
        next_due_ns = now_ns;
        return false;
      }
      if (skipped_.has(at)) return true;
      if (!timers_.worth_asking(at, now_ns, along_ns)) {
        next_due_ns = std::min(next_due_ns, timers_.due_ns(at));
        return true;
      }
      if (!ask(at)) {
        next_due_ns = now_ns;  // in the next frame, a round trip later
        return false;
      }
      timers_.asked(at, now_ns, retry_ns);
      next_due_ns = std::min(next_due_ns, timers_.due_ns(at));
      return true;
    });
    timers_.set_next_due_ns(next_due_ns);
    asked_ns_ = now_ns;
    return true;
  }
  // The time before which scan() has nothing to ask; kNever until something is revealed.
  [[nodiscard]] uint64_t next_scan_ns(const RoundTrip& round_trip) const {
    const uint64_t due_ns = timers_.next_due_ns();
    return asked_ns_ == 0 || due_ns == kNever
               ? due_ns
               : std::max(due_ns, asked_ns_ + round_trip.smoothed_ns());
  }
  // A scan is due, whatever the timers say.
  void hurry() { timers_.set_next_due_ns(0); }
  // The last scan that asked for something; 0: none.
  [[nodiscard]] uint64_t asked_ns() const { return asked_ns_; }

 private:
  // Is anything to be asked for now? If not, it is noted when.
  template <typename Positions, typename Delay>
  [[nodiscard]] bool any_due(const Positions& positions, uint64_t from, uint64_t end,
                             uint64_t now_ns, const RoundTrip& round_trip, Delay&& first_ask_ns) {
    bool due = false;
    uint64_t next_due_ns = kNever;
    positions.for_each_missing(from, [&](uint64_t at) {
      if (at >= end) {
        next_due_ns = std::min(next_due_ns, now_ns + round_trip.smoothed_ns());
        return false;
      }
      if (skipped_.has(at)) return true;
      // The receivers that ask first may have changed since the gap was revealed.
      if (timers_.due(at, now_ns) && !timers_.asked_for(at))
        timers_.put_off(at, first_ask_ns(at, timers_.revealed_ns(at)));
      due = timers_.due(at, now_ns);
      next_due_ns = std::min(next_due_ns, timers_.due_ns(at));
      return !due;
    });
    if (!due) timers_.set_next_due_ns(next_due_ns);
    return due;
  }

  GapTimers timers_;
  SkippedPositions skipped_;
  uint64_t asked_ns_ = 0;
};

}  // namespace lambdacast::reliability
