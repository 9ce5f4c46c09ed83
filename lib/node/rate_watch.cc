// SPDX-License-Identifier: BSD-3-Clause
#include "node/rate_watch.h"

#include <algorithm>

namespace lambdacast::node {

namespace {

// Bytes of that rate in a time.
int64_t bytes_in(uint64_t bps, uint64_t ns) {
  constexpr uint64_t kBitNsPerByteSecond = 8'000'000'000;
  return static_cast<int64_t>(static_cast<unsigned __int128>(bps) * ns / kBitNsPerByteSecond);
}

}  // namespace

void RateWatch::begin(std::span<const size_t> peers) {
  count_ = peers.size();
  for (size_t rank = 0; rank < count_; ++rank) {
    const bool other = peers[rank] < bytes_.size();
    members_[rank] = {};
    if (!other) continue;
    members_[rank].peer = static_cast<uint16_t>(peers[rank]);
    members_[rank].bytes = bytes_[peers[rank]];
  }
  forgives_ = true;
}

void RateWatch::set_on(bool on, uint64_t now_ns) {
  if (on && !on_) {
    for (Member& member : std::span(members_).first(count_)) {
      if (member.peer != RateEvent::kSelf) member.bytes = bytes_[member.peer];
      member.level = 0;
    }
    looked_ns_ = now_ns;
    next_look_ns_ = now_ns + kLookNs;
    forgives_ = true;
  }
  on_ = on;
}

void RateWatch::look(std::span<const uint64_t> may_send, uint64_t at_once, uint64_t now_ns) {
  const uint64_t time_ns = std::max<uint64_t>(now_ns - looked_ns_, 1);
  looked_ns_ = now_ns;
  next_look_ns_ = now_ns + kLookNs;
  const bool forgives = forgives_;
  forgives_ = false;
  for (size_t rank = 0; rank < std::min(count_, may_send.size()); ++rank) {
    Member& member = members_[rank];
    if (member.peer == RateEvent::kSelf) continue;
    const uint64_t heard = bytes_[member.peer] - member.bytes;
    member.bytes = bytes_[member.peer];
    member.seen.bps =
        static_cast<uint64_t>(static_cast<unsigned __int128>(heard) * 8'000'000'000 / time_ns);
    const uint64_t bps = may_send[rank];
    if (bps == kAnything) {
      member.level = 0;
      member.seen.over = false;
      continue;
    }
    const int64_t floor = -bytes_in(bps, kForgivenNs);
    member.level += static_cast<int64_t>(heard) - bytes_in(bps, time_ns);
    member.level = forgives ? floor : std::max(member.level, floor);
    const bool over = member.level > bytes_in(bps, kOverNs) + static_cast<int64_t>(at_once);
    if (over && !member.seen.over) {
      member.seen.over = true;
      ++times_over_;
      tell({RateEvent::What::kOverShare, member.peer, bps});
    } else if (member.seen.over && member.level <= 0) {
      member.seen.over = false;
      tell({RateEvent::What::kWithinShare, member.peer, bps});
    }
  }
}

void RateWatch::tell(const RateEvent& event) {
  RateEvent* const slot = events_.begin();
  if (slot == nullptr) return;
  *slot = event;
  events_.push();
}

}  // namespace lambdacast::node
