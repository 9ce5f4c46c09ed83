// SPDX-License-Identifier: BSD-3-Clause
// Offers the places of peers that are gone: the reliability stage's half of a PlaceHandover. It
// knows who has left or is silent (StreamReceiver::longest_gone). A place is granted when its peer
// is gone still, all of its packets that were in the link have been judged, and each link behind
// this stage has been empty since: nothing of it is on its way any more.
//
// Not thread-safe: the lcore of the reliability stage owns it.
#pragma once

#include <cstdint>

#include "node/peer_table.h"
#include "node/place_handover.h"
#include "reliability/stream_receiver.h"

namespace lambdacast::node {

class PlaceOffers {
 public:
  // `look_every_ns`: between two looks for somebody who is gone, each of which takes a step a peer.
  PlaceOffers(PlaceHandover& handover, reliability::StreamReceiver& receiver,
              const PeerTable& peers, uint64_t look_every_ns)
      : handover_(handover), receiver_(receiver), peers_(peers), look_every_ns_(look_every_ns) {}

  // What the stage sees of its links.
  struct Links {
    uint64_t judged = 0;       // packets so far
    uint64_t waiting = 0;      // to be judged
    bool handed_over = false;  // nothing waits in those to ordering and rate_control
    bool delivered = false;    // nor in the one to the application
  };
  [[nodiscard]] bool has_turn() const {
    const auto step = handover_.step();
    return step == PlaceHandover::Step::kWanted || step == PlaceHandover::Step::kWithdrawn;
  }
  // Once a poll, before packets are pulled, if it has the turn.
  void poll(uint64_t now_ns, const Links& links);
  // When a poll has something to do, unless links change.
  [[nodiscard]] uint64_t next_deadline_ns() const { return has_turn() ? next_ns_ : ~uint64_t{0}; }

 private:
  void offer();
  void settle(const Links& links);
  [[nodiscard]] bool nothing_left(const Links& links);

  PlaceHandover& handover_;
  reliability::StreamReceiver& receiver_;
  const PeerTable& peers_;
  const uint64_t look_every_ns_;
  uint64_t next_ns_ = 0;  // the next look, or the next try to grant
  // Of the place that is withdrawn.
  bool begun_ = false;
  uint64_t judged_through_ = 0;  // packets judged when those that were in the link are
  bool handed_over_ = false;
  bool delivered_ = false;
};

}  // namespace lambdacast::node
