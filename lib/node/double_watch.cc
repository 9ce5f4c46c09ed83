// SPDX-License-Identifier: BSD-3-Clause
#include "node/double_watch.h"

#include <algorithm>

namespace lambdacast::node {

// The one of the two that was heard last longer ago makes room for a third.
DoubleWatch::Life& DoubleWatch::life_of(Peer& peer, uint32_t incarnation, uint64_t now_ns) {
  for (Life& life : peer.lives) {
    if (life.last_ns != 0 && life.incarnation == incarnation) return life;
  }
  Life& life = peer.lives[0].last_ns <= peer.lives[1].last_ns ? peer.lives[0] : peer.lives[1];
  life = {incarnation, now_ns, now_ns};
  return life;
}

void DoubleWatch::heard(size_t index, const wire::Gid& gid, uint32_t incarnation, uint64_t now_ns) {
  Peer& peer = peers_[index];
  life_of(peer, incarnation, now_ns).last_ns = std::max<uint64_t>(now_ns, 1);
  const auto& [a, b] = peer.lives;
  if (a.last_ns == 0 || b.last_ns == 0) return;
  const Life& earlier = a.first_ns <= b.first_ns ? a : b;
  const Life& later = a.first_ns <= b.first_ns ? b : a;
  const bool outlives = earlier.last_ns - std::min(earlier.last_ns, later.first_ns) > way_ns_;
  if (outlives && now_ns - std::min(now_ns, later.last_ns) <= way_ns_)
    told(index, gid, earlier.incarnation, later.incarnation, now_ns);
}

void DoubleWatch::told(size_t index, const wire::Gid& gid, uint32_t one, uint32_t other,
                       uint64_t now_ns) {
  Peer& peer = peers_[index];
  if (peer.told_ns != 0 && now_ns - peer.told_ns < kTellEveryNs) return;
  peer.told_ns = std::max<uint64_t>(now_ns, 1);
  ++doubles_;
  DoubleEvent* const slot = events_.begin();
  if (slot == nullptr) return;
  *slot = {gid, one, other, false, false};
  events_.push();
}

std::optional<DoubleEvent> DoubleWatch::take_event() { return events_.take(); }

}  // namespace lambdacast::node
