// SPDX-License-Identifier: BSD-3-Clause
// Finds places for peers that found the peer table full: the receive stage's half of a
// PlaceHandover. The frames of a newcomer that come before it has a place are dropped
// (DropReason kPeerTableFull), as all are of one for which there is none.
//
// Not thread-safe but for take_event(), which is one control thread's: the lcore of the receive
// stage owns it.
#pragma once

#include <cstdint>
#include <optional>

#include "base/mailbox.h"
#include "node/peer_table.h"
#include "node/place_event.h"
#include "node/place_handover.h"

namespace lambdacast::node {

class Newcomers {
 public:
  Newcomers(PeerTable& peers, PlaceHandover& handover) : peers_(peers), handover_(handover) {}

  // Once a poll, when all packets judged so far are in the link to reliability.
  void poll(uint64_t now_ns) {
    if (peers_.newcomer() != nullptr) [[unlikely]]
      advance(now_ns);
  }
  // A poll has something to do.
  [[nodiscard]] bool has_turn() const;

  [[nodiscard]] uint64_t reused() const { return reused_; }  // places
  [[nodiscard]] std::optional<PlaceEvent> take_event();

 private:
  static constexpr uint64_t kTellEveryNs = 10'000'000'000;

  void advance(uint64_t now_ns);
  void use(uint64_t now_ns);
  void refuse(uint64_t now_ns);
  void tell(const PlaceEvent& event);

  PeerTable& peers_;
  PlaceHandover& handover_;
  uint64_t reused_ = 0;
  uint64_t next_refusal_ns_ = 0;  // is told then at the earliest
  base::Mailbox<PlaceEvent, 64> events_;
};

}  // namespace lambdacast::node
