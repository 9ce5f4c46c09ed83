// SPDX-License-Identifier: BSD-3-Clause
// Holds what the rate_control stage transmits to what the endpoint may send (rate_shares.h): it
// asks for each frame of data, charges every frame, and has kinds of control that can wait take
// turns. It tells RateShares how far the port has been emptied, and what was held back.
// With policy `window` it also keeps what may be under way (rate_control/window.h).
//
// Time comes as now_ns; bytes are those on the wire. Not thread-safe: rate_control's lcore owns it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "node/class_account.h"
#include "node/port_drain.h"
#include "node/rate_shares.h"
#include "node/stage_counters.h"
#include "node/turns.h"
#include "rate_control/share_bucket.h"
#include "rate_control/window.h"

namespace lambdacast::node {

enum class Urgency : uint8_t { kUrgent, kLazy };
enum class Transmission : uint8_t { kFirst, kRepair };

class ShareKeeper {
 public:
  // `reliability`: of that stage. `window`: null without that policy.
  ShareKeeper(RateShares& rates, PortDrain& drain, const StageCounters& reliability,
              rate_control::Window* window)
      : rates_(rates), drain_(drain), reliability_(reliability), window_(window) {}

  // Once a turn, ahead of whatever is sent. `port_has_all`: no frame of this endpoint waits for its
  // port. True: this endpoint may acknowledge more than it could before.
  [[nodiscard]] bool look(bool port_has_all, uint64_t now_ns) {
    rates_.look(now_ns);
    ask_port(now_ns);
    const bool more = port_has_all && rates_.port_has_all();
    follow(now_ns);
    return more;
  }
  // What may be sent may have changed since.
  void follow(uint64_t now_ns) {
    const uint64_t revision = rates_.revision() + (window_ != nullptr ? window_->revision() : 0);
    if (revision == revision_) [[likely]]
      return;
    revision_ = revision;
    bucket_.set(limits(), now_ns);
  }
  [[nodiscard]] const rate_control::Limits& limits() const {
    const rate_control::Limits& agreed = rates_.limits();
    const bool by_window =
        window_ != nullptr && window_->limits().bits_per_second < agreed.bits_per_second;
    return by_window ? window_->limits() : agreed;
  }

  // --- the window -------------------------------------------------------------------------------
  [[nodiscard]] rate_control::Window* window() { return window_; }
  [[nodiscard]] const rate_control::Window* window() const { return window_; }
  // Packets of the stream that may go, all of them as long as can be.
  [[nodiscard]] uint64_t window_packets() const {
    return window_ == nullptr ? rate_control::Window::kAnyNumber : window_->frames();
  }

  [[nodiscard]] bool limited() const { return bucket_.limited(); }
  // May one more frame of data go, or a repair?
  [[nodiscard]] bool allows(uint64_t now_ns) {
    if (bucket_.allows(now_ns)) [[likely]]
      return true;
    refused_ = true;
    return false;
  }
  // How many frames of data may go now, whatever their bytes; none: one that waits is refused.
  [[nodiscard]] uint64_t frames_allowed(uint64_t now_ns) {
    const uint64_t frames = bucket_.frames_allowed(rates_.longest_frame(), now_ns);
    refused_ = refused_ || frames == 0;
    return frames;
  }
  // So many frames go, of so many bytes together; with a limit only.
  void charge(uint64_t bytes, Transmission transmission, uint64_t frames = 1) {
    bucket_.spend(bytes);
    rates_.used(bytes);
    ClassReport& counts = account_.counts();
    (transmission == Transmission::kFirst ? counts.data : counts.repairs).add(bytes, frames);
  }
  void charge_control(uint64_t bytes, Urgency urgency, uint64_t now_ns) {
    if (urgency == Urgency::kLazy) {
      bucket_.spend_lazy(bytes, now_ns);
      account_.counts().lazy.add(bytes);
    } else {
      bucket_.spend_control(bytes, now_ns);
      account_.counts().urgent.add(bytes);
    }
  }
  // A turn of data, which was there or not, is over. `framed`: some goes to the port.
  void end_turn(bool had_data, bool framed, uint64_t now_ns) {
    if (!limited()) [[likely]]
      return;
    const bool waited = std::exchange(refused_, false);
    if (waited && window_ != nullptr) window_->refused(now_ns);
    rates_.polled(had_data, waited);
    bucket_.data_waits(waited, now_ns);
    account_.held(waited, now_ns);
    if (framed) account_.burst();
  }
  // Did the share hold data back when the last such turn ended?
  [[nodiscard]] bool data_waits() const { return bucket_.limited() && bucket_.data_waits(); }

  // One of these wants to go.
  [[nodiscard]] bool may_go(Lazy kind, uint64_t now_ns) {
    if (!limited()) [[likely]]
      return true;
    const bool allowed = bucket_.allows_lazy(now_ns);
    account_.wants(kind, allowed, now_ns);
    if (!turns_.may_go(kind, allowed)) return false;
    account_.goes(kind, now_ns);
    return true;
  }
  // There is none to go.
  void withdraw(Lazy kind) {
    turns_.withdraw(kind);
    account_.withdraw(kind);
  }
  [[nodiscard]] const ClassReport& classes() const { return account_.report(); }

  [[nodiscard]] uint64_t data_deadline_ns() const { return bucket_.next_deadline_ns(); }
  [[nodiscard]] uint64_t lazy_deadline_ns() const { return bucket_.lazy_deadline_ns(); }
  // When to look() next, whatever there is to send.
  [[nodiscard]] uint64_t next_look_ns() const {
    const uint64_t next_ns = rates_.next_look_ns();
    return window_ == nullptr ? next_ns : std::min(next_ns, window_->deadline_ns());
  }

 private:
  static constexpr uint64_t kQuestionsPerLease = 8;

  // Asks how far the port has been emptied: several times in the length of a lease, and at once
  // while the endpoint is paused.
  void ask_port(uint64_t now_ns) {
    const rate_control::Lease& lease = rates_.lease();
    if (!asks_) {
      const uint64_t next_ns = asked_ns_ + lease.length_ns() / kQuestionsPerLease;
      if (lease.length_ns() == 0 || (now_ns < next_ns && !lease.paused())) [[likely]]
        return;
      asks_ = true;
      asked_ns_ = now_ns;
      drain_.ask();
    }
    if (!drain_.drained(reliability_.received)) return;
    asks_ = false;
    rates_.emptied(asked_ns_);
  }

  RateShares& rates_;
  PortDrain& drain_;
  const StageCounters& reliability_;
  rate_control::Window* const window_;
  rate_control::ShareBucket bucket_;
  uint64_t revision_ = ~uint64_t{0};  // of the limits that the bucket has
  bool refused_ = false;              // something to send, in this turn
  bool asks_ = false;                 // of the port, without an answer yet
  uint64_t asked_ns_ = 0;             // the last question; 0: none
  Turns<Lazy, kLazyKinds> turns_;
  ClassAccount account_;
};

}  // namespace lambdacast::node
