// SPDX-License-Identifier: BSD-3-Clause
// One port of a switch: what is due there, which frames are not acknowledged yet, and whether the
// other end is heard.
//
// The parts of the switch's state that are due are a set of bits, and a frame is composed from the
// state when the port is free. A part that is sent twice does no harm, so that numbers need no
// order. A link keeps its order: if a later frame is acknowledged, an earlier one that is not is
// lost.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "clock_sync/frame.h"
#include "clock_sync/settings.h"
#include "congest/vigil.h"

namespace lambdacast::clock_sync {

class PortLink : public congest::Vigil {
 public:
  static constexpr unsigned kWindow = 4;  // frames that are not acknowledged

  // Parts that go once and need no acknowledgement.
  bool time_due = false;
  bool report_due = false;
  bool answer_due = false;
  bool acknowledgement_due = false;

  uint64_t free_ns = 0;              // the next frame may start
  uint64_t expect_ns = kNever;       // something has to be heard before
  uint64_t acknowledge_ns = kNever;  // an acknowledgement has to go before

  // --- What is sent until it is acknowledged. ---

  void add(uint64_t bits) { due_ |= bits; }
  void remove(uint64_t bits) { due_ &= ~bits; }
  [[nodiscard]] uint64_t due() const { return due_; }
  [[nodiscard]] uint64_t unacknowledged() const {
    uint64_t bits = 0;
    for (unsigned i = 0; i < flights_; ++i) bits |= flight_[i].bits;
    return bits;
  }
  // All that was of a tree that is in force no longer.
  void forget() {
    due_ = 0;
    flights_ = 0;
  }
  [[nodiscard]] bool may_send(unsigned window) const { return due_ != 0 && flights_ < window; }
  // Returns the frame's number.
  uint8_t sent(uint64_t bits, uint64_t now_ns) {
    due_ &= ~bits;
    flight_[flights_++] = {bits, now_ns, next_};
    return next_++;
  }
  void acknowledged(const Frame& frame) {
    unsigned kept = 0;
    for (unsigned i = 0; i < flights_; ++i) {
      const auto before = static_cast<uint8_t>(frame.last - flight_[i].number);
      if (before == 0 || (before <= 8 && (frame.earlier >> (before - 1) & 1) != 0)) continue;
      if (before < 128) {
        due_ |= flight_[i].bits;  // lost: a later frame has come
      } else {
        flight_[kept++] = flight_[i];
      }
    }
    flights_ = kept;
  }
  // Frames that left so long ago are due again. True: there was one.
  bool time_out(uint64_t now_ns, uint64_t timeout_ns) {
    unsigned kept = 0;
    for (unsigned i = 0; i < flights_; ++i) {
      if (flight_[i].left_ns + timeout_ns <= now_ns) {
        due_ |= flight_[i].bits;
      } else {
        flight_[kept++] = flight_[i];
      }
    }
    const bool any = kept != flights_;
    flights_ = kept;
    return any;
  }

  // --- What has come. ---

  void accepted(uint8_t number) {
    const auto ahead = static_cast<uint8_t>(number - last_);
    if (!any_) {
      last_ = number;
    } else if (ahead != 0 && ahead < 128) {
      const unsigned passed = static_cast<unsigned>(earlier_) << 1 | 1;  // with last_ itself
      earlier_ = ahead > 8 ? 0 : static_cast<uint8_t>(passed << (ahead - 1));
      last_ = number;
    } else if (ahead >= 248) {
      earlier_ = static_cast<uint8_t>(earlier_ | 1u << (255 - ahead));
    }
    any_ = true;
  }
  void put_acknowledgement(Frame& frame) {
    frame.acknowledges = any_;
    frame.last = last_;
    frame.earlier = earlier_;
    acknowledgement_due = false;
    acknowledge_ns = kNever;
  }

  // --- Is the other end alive? (Vigil) ---

  // The other end asks. A frame that is on its way there since it asked answers it, but no frame
  // answers two probes: if it is lost, the next probe needs another one.
  void asked_by_other(uint64_t now_ns, uint64_t frame_ns, uint64_t hop_ns) {
    const uint64_t began_ns = free_ns - frame_ns;
    if (free_ns != 0 && began_ns + 2 * hop_ns > now_ns && answered_by_ns_ != began_ns) {
      answered_by_ns_ = began_ns;
    } else {
      answer_due = true;
    }
  }
  // A frame that begins now answers.
  void answered(uint64_t now_ns) {
    answer_due = false;
    answered_by_ns_ = now_ns;
  }

  // The next time at which there is something to do.
  [[nodiscard]] uint64_t wake_ns(uint32_t probes, unsigned window, uint64_t timeout_ns) const {
    uint64_t at_ns = std::min({expect_ns, acknowledge_ns, verdict_ns()});
    for (unsigned i = 0; i < flights_; ++i)
      at_ns = std::min(at_ns, flight_[i].left_ns + timeout_ns);
    return anything_due(probes, window) ? std::min(at_ns, free_ns) : at_ns;
  }
  [[nodiscard]] bool anything_due(uint32_t probes, unsigned window) const {
    return time_due || report_due || answer_due || acknowledgement_due || ask_due(probes) ||
           may_send(window);
  }
  // Nothing but an answer is due.
  [[nodiscard]] bool answer_alone_due(uint32_t probes, unsigned window) const {
    return answer_due && !time_due && !report_due && !acknowledgement_due && !ask_due(probes) &&
           !may_send(window);
  }
  // All that was to be sent has been acknowledged.
  [[nodiscard]] bool quiet() const { return due_ == 0 && flights_ == 0; }

 private:
  struct Flight {
    uint64_t bits = 0;
    uint64_t left_ns = 0;
    uint8_t number = 0;
  };
  std::array<Flight, kWindow> flight_{};
  uint64_t due_ = 0;
  uint64_t answered_by_ns_ = kNever;  // when the frame began that has answered a probe
  unsigned flights_ = 0;
  uint8_t next_ = 0;
  uint8_t last_ = 0;
  uint8_t earlier_ = 0;
  bool any_ = false;
};

}  // namespace lambdacast::clock_sync
