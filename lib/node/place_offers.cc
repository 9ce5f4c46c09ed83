// SPDX-License-Identifier: BSD-3-Clause
#include "node/place_offers.h"

namespace lambdacast::node {

using Step = PlaceHandover::Step;

void PlaceOffers::poll(uint64_t now_ns, const Links& links) {
  if (handover_.step() == Step::kWithdrawn) {
    settle(links);
    next_ns_ = now_ns + look_every_ns_ / 16;
    if (handover_.step() == Step::kWithdrawn) return;
    next_ns_ = now_ns;
  } else if (now_ns >= next_ns_) {
    offer();
    next_ns_ = now_ns + (handover_.step() == Step::kNone ? look_every_ns_ : 0);
  }
}

void PlaceOffers::offer() {
  const auto gone = receiver_.longest_gone([&](size_t peer) { return peers_.keeps(peer); });
  if (!gone) return handover_.go(Step::kNone);
  handover_.offer = {gone->peer, gone->left, gone->silent_ns};
  begun_ = handed_over_ = delivered_ = false;
  handover_.go(Step::kOffered);
}

void PlaceOffers::settle(const Links& links) {
  const uint16_t peer = handover_.offer.peer;
  if (!receiver_.gone(peer)) return handover_.go(Step::kIdle);
  if (!nothing_left(links)) return;
  receiver_.give_up(peer);
  handover_.go(Step::kGranted);
}

// In the order of a packet's way: what has left one link is in the next one, or was seen in none.
bool PlaceOffers::nothing_left(const Links& links) {
  if (!begun_) judged_through_ = links.judged + links.waiting;
  begun_ = true;
  if (links.judged < judged_through_) return false;
  handed_over_ = handed_over_ || links.handed_over;
  delivered_ = handed_over_ && (delivered_ || links.delivered);
  return delivered_;
}

}  // namespace lambdacast::node
