#include "reliability/receivers.h"

#include <algorithm>

namespace lambdacast::reliability {

void Receivers::admit(size_t peer, uint64_t contiguous, uint64_t room) {
  Receiver& receiver = all_[peer];
  if (!receiver.admitted) order_.push_back(static_cast<uint16_t>(peer));
  receiver.admitted = true;
  receiver.contiguous = contiguous;
  receiver.room = room;
  recompute();
}

void Receivers::remove(size_t peer) {
  all_[peer].admitted = false;
  std::erase(order_, static_cast<uint16_t>(peer));
  recompute();
}

void Receivers::progress(size_t peer, uint64_t contiguous, uint64_t room) {
  Receiver& receiver = all_[peer];
  if (contiguous < receiver.contiguous) return;  // an old status
  receiver.contiguous = contiguous;
  receiver.room = room;
  recompute();
}

void Receivers::recompute() {
  stable_ = limit_ = ~uint64_t{0};
  rtt_ns_ = all_bits_ = 0;
  slowest_ = all_.size();
  for (const uint16_t peer : order_) {
    const Receiver& receiver = all_[peer];
    stable_ = std::min(stable_, receiver.contiguous);
    all_bits_ |= bit_of(peer);
    if (receiver.contiguous + receiver.room < limit_) {
      limit_ = receiver.contiguous + receiver.room;
      slowest_ = peer;
    }
    rtt_ns_ = std::max(rtt_ns_, receiver.round_trip.smoothed_ns());
  }
}

}  // namespace lambdacast::reliability
