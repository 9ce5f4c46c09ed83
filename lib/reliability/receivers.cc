// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/receivers.h"

#include <algorithm>

namespace lambdacast::reliability {

void Receivers::admit(size_t peer, uint64_t contiguous, uint64_t room) {
  ReceiverState& receiver = all_[peer];
  if (!receiver.admitted) order_.push_back(static_cast<uint16_t>(peer));
  receiver.admitted = true;
  if (peer < base::NodeSet::kCapacity) admitted_set_.add(peer);
  receiver.contiguous = contiguous;
  receiver.room = room;
  receiver.heard_of = kUnlimited;
  recompute();
}

void Receivers::remove(size_t peer) {
  all_[peer].admitted = false;
  if (peer < base::NodeSet::kCapacity) admitted_set_.remove(peer);
  std::erase(order_, static_cast<uint16_t>(peer));
  recompute();
}

void Receivers::progress(size_t peer, uint64_t contiguous, uint64_t room, uint64_t heard_of) {
  ReceiverState& receiver = all_[peer];
  if (contiguous < receiver.contiguous) return;  // an old status
  receiver.contiguous = contiguous;
  receiver.room = room;
  receiver.heard_of = heard_of;
  recompute();
}

void Receivers::recompute() {
  stable_ = limit_ = heard_of_ = kUnlimited;
  rtt_ns_ = least_rtt_ns_ = 0;
  slowest_ = all_.size();
  for (const uint16_t peer : order_) {
    const ReceiverState& receiver = all_[peer];
    stable_ = std::min(stable_, receiver.contiguous);
    const uint64_t by_flight =
        receiver.heard_of > kUnlimited - in_flight_ ? kUnlimited : receiver.heard_of + in_flight_;
    const uint64_t limit = std::min(receiver.contiguous + receiver.room, by_flight);
    if (limit < limit_) {
      limit_ = limit;
      slowest_ = peer;
    }
    heard_of_ = std::min(heard_of_, receiver.heard_of);
    least_rtt_ns_ = std::max(least_rtt_ns_, receiver.round_trip.least_ns());
    rtt_ns_ = std::max(rtt_ns_, receiver.round_trip.smoothed_ns());
  }
}

}  // namespace lambdacast::reliability
