// SPDX-License-Identifier: BSD-3-Clause
#include "node/newcomers.h"

namespace lambdacast::node {

using Step = PlaceHandover::Step;

bool Newcomers::has_turn() const {
  if (peers_.newcomer() == nullptr) return false;
  const Step step = handover_.step();
  return step != Step::kWanted && step != Step::kWithdrawn;
}

void Newcomers::advance(uint64_t now_ns) {
  switch (handover_.step()) {
    case Step::kIdle:
      return handover_.go(Step::kWanted);
    case Step::kOffered:
      peers_.withdraw(handover_.offer.peer);
      return handover_.go(Step::kWithdrawn);
    case Step::kGranted:
      use(now_ns);
      return handover_.go(Step::kIdle);
    case Step::kNone:
      refuse(now_ns);
      return handover_.go(Step::kIdle);
    case Step::kWanted:
    case Step::kWithdrawn:
      return;
  }
}

// Only if no frame of its peer has come since the place was withdrawn.
void Newcomers::use(uint64_t now_ns) {
  const PlaceOffer& offer = handover_.offer;
  if (!peers_.withdrawn(offer.peer)) return;
  PlaceEvent event{*peers_.newcomer(), false, peers_.name_of(offer.peer), offer.left,
                   offer.silent_ns};
  peers_.give_to_newcomer(offer.peer, now_ns);
  ++reused_;
  tell(event);
}

void Newcomers::refuse(uint64_t now_ns) {
  PlaceEvent event{*peers_.newcomer(), true, {}, false, 0};
  peers_.forget_newcomer();
  if (now_ns < next_refusal_ns_) return;
  next_refusal_ns_ = now_ns + kTellEveryNs;
  tell(event);
}

void Newcomers::tell(const PlaceEvent& event) {
  PlaceEvent* const slot = events_.begin();
  if (slot == nullptr) return;
  *slot = event;
  events_.push();
}

std::optional<PlaceEvent> Newcomers::take_event() { return events_.take(); }

}  // namespace lambdacast::node
