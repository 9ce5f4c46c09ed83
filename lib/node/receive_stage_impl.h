// SPDX-License-Identifier: BSD-3-Clause
// Bodies of receive_stage.h, for the sources that instantiate a node.
#pragma once

#include <algorithm>

#include "node/receive_stage.h"

namespace lambdacast::node {

// Hands a refused packet to the neighbor stage if it is one that a real network sends to us.
template <typename Env>
counters::DropReason ReceiveStage<Env>::refused(Packet packet, counters::DropReason reason,
                                                uint64_t now_ns) {
  if (neighbor_ == nullptr || !NeighborStage<Env>::may_be_control(reason)) return reason;
  return neighbor_->take(Env::frame(packet), Env::length(packet), reason, now_ns);
}

template <typename Env>
uint32_t ReceiveStage<Env>::poll(uint64_t now_ns) {
  newcomers_.poll(now_ns);
  Packet frames[kMaxBurst];
  const uint32_t wanted = std::min(burst_, out_.room());
  if (wanted == 0) return 0;
  const uint32_t got = env_.receiver.receive(frames, wanted);
  if (got == 0) {
    tell_drain(got, wanted);
    return 0;
  }

  ReceivedFrame burst[kMaxBurst];
  for (uint32_t i = 0; i < got; ++i) {
    // Receive queues are set up without scatter: a frame is one segment.
    __builtin_prefetch(Env::frame(frames[i]));
    burst[i] = {Env::frame(frames[i]), Env::length(frames[i]), &Env::info(frames[i]),
                counters::DropReason::kNone};
  }
  classifier_.receive_burst({burst, got}, now_ns);

  Packet dropped[kMaxBurst];
  uint32_t accepted_count = 0;
  uint32_t dropped_count = 0;
  for (uint32_t i = 0; i < got; ++i) {
    if (burst[i].outcome == counters::DropReason::kNone) [[likely]] {
      frames[accepted_count++] = frames[i];
    } else {
      const counters::DropReason reason = refused(frames[i], burst[i].outcome, now_ns);
      if (reason == counters::DropReason::kOwnFrame && guard_ != nullptr)
        guard_->heard(burst[i].info->incarnation, now_ns);
      if (reason == counters::DropReason::kTransportVersion ||
          reason == counters::DropReason::kControlVersion)
        versions_.heard(classifier_.stranger(), now_ns);
      Env::judged(StageId::kReceive, frames[i], reason);
      Env::passed(StageId::kReceive, &frames[i], 1, Passage::kDropped, reason);
      counters_.drops.add(reason);
      dropped[dropped_count++] = frames[i];
    }
  }
  counters_.received += got;
  counters_.forwarded += accepted_count;
  Env::passed(StageId::kReceive, frames, accepted_count, Passage::kOn, counters::DropReason::kNone);
  out_.push(frames, accepted_count);
  tell_drain(got, wanted);
  if (dropped_count != 0) env_.packets.free(dropped, dropped_count);
  return got;
}

template <typename Env>
void ReceiveStage<Env>::tell_drain(uint32_t got, uint32_t wanted) {
  drain_.polled(got, counters_.forwarded,
                [&] { return got < wanted && env_.receiver.waiting() == 0; });
}

template <typename Env>
void ReceiveStage<Env>::report(ReceiveReport& out) const {
  out.counters = counters_;
  out.places_reused = newcomers_.reused();
  out.peers.resize(peers().size());
  for (size_t i = 0; i < out.peers.size(); ++i)
    out.peers[i] = {peers().at(i).gid, peers().at(i).qpn};
}

}  // namespace lambdacast::node
