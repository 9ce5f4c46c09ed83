// SPDX-License-Identifier: BSD-3-Clause
// Watches whether the other members keep to their shares, by the bytes that are heard of each.
//
// A member's level rises by what is heard of it and falls by what it may send. A receiver that has
// not run for a while hears at once what came meanwhile: time in which nothing was heard counts for
// the member, up to kForgivenNs of its share. Beyond that, kOverNs of its share too much are told
// of, once, until it is down again.
//
// The lcore of reliability counts what is heard, and that of rate_control looks. An endpoint with
// membership has one lcore for both.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/mailbox.h"
#include "node/rate_event.h"
#include "wire/control/view_control.h"

namespace lambdacast::node {

class RateWatch {
 public:
  static constexpr uint64_t kLookNs = 10'000'000;
  static constexpr uint64_t kOverNs = 10'000'000;
  static constexpr uint64_t kForgivenNs = 100'000'000;
  static constexpr uint64_t kAnything = ~uint64_t{0};

  struct Seen {
    uint64_t bps = 0;   // heard between the last two looks
    bool over = false;  // its share
  };

  explicit RateWatch(size_t max_peers) : bytes_(max_peers) {}

  // --- reliability's lcore ----------------------------------------------------------------------
  // Is there a share to hold anybody to?
  [[nodiscard]] bool on() const { return on_; }
  void heard(size_t peer, uint64_t wire_bytes) { bytes_[peer] += wire_bytes; }

  // --- rate_control's lcore ---------------------------------------------------------------------
  // A view of members with these places in the table of peers, by rank, begins. A place beyond the
  // table is this endpoint's own.
  void begin(std::span<const size_t> peers);
  void set_on(bool on, uint64_t now_ns);
  [[nodiscard]] uint64_t next_look_ns() const { return on_ ? next_look_ns_ : ~uint64_t{0}; }
  // `may_send`, by rank: bits a second, control included; kAnything: not held to any share.
  // `at_once`: bytes.
  void look(std::span<const uint64_t> may_send, uint64_t at_once, uint64_t now_ns);
  // This endpoint has not run: what it hears now tells nothing of when it was sent.
  void forgive() { forgives_ = true; }
  [[nodiscard]] uint16_t peer(size_t rank) const { return members_[rank].peer; }
  void tell(const RateEvent& event);
  [[nodiscard]] const Seen& seen(size_t rank) const { return members_[rank].seen; }
  [[nodiscard]] uint64_t times_over() const { return times_over_; }

  // --- one control thread -----------------------------------------------------------------------
  [[nodiscard]] std::optional<RateEvent> take_event() { return events_.take(); }

 private:
  struct Member {
    uint16_t peer = RateEvent::kSelf;
    uint64_t bytes = 0;  // heard until the last look
    int64_t level = 0;   // bytes beyond what it may send
    Seen seen;
  };

  bool on_ = false;
  bool forgives_ = false;
  std::vector<uint64_t> bytes_;  // on the wire, by peer
  std::array<Member, wire::kMaxMembers> members_{};
  size_t count_ = 0;
  uint64_t looked_ns_ = 0;
  uint64_t next_look_ns_ = 0;
  uint64_t times_over_ = 0;
  base::Mailbox<RateEvent, 64> events_;
};

}  // namespace lambdacast::node
