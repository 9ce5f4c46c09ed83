// SPDX-License-Identifier: BSD-3-Clause
// Bodies of neighbor_stage.h, for the sources that instantiate a node.
#pragma once

#include "node/neighbor_stage.h"

namespace lambdacast::node {

namespace neighbor_stage {
inline constexpr uint32_t kMostAtOnce = 32;              // frames a poll
inline constexpr uint64_t kNoPacketPauseNs = 1'000'000;  // an empty pool is asked again
}  // namespace neighbor_stage

template <typename Env>
NeighborStage<Env>::NeighborStage(const neighbor::NeighborConfig& config, Env& env,
                                  typename Env::Queue& out)
    : protocol_(config), directory_(config.table.max_neighbors), env_(env), out_(out) {
  directory_.publish(protocol_.table());
}

template <typename Env>
void NeighborStage<Env>::note_change() {
  due_ns_ = protocol_.next_deadline_ns();
  directory_.publish(protocol_.table());
}

template <typename Env>
counters::DropReason NeighborStage<Env>::take(const uint8_t* frame, size_t bytes,
                                              counters::DropReason refused, uint64_t now_ns) {
  using Taken = neighbor::NeighborProtocol::Taken;
  const Taken taken = protocol_.receive(frame, bytes, now_ns);
  if (taken == Taken::kOtherVlan) return counters::DropReason::kWrongVlan;
  if (taken == Taken::kNotOurs) return refused;
  note_change();
  return counters::DropReason::kNeighborMessage;
}

template <typename Env>
neighbor::Lookup NeighborStage<Env>::resolve(const wire::Gid& gid, uint64_t now_ns) {
  const neighbor::Lookup found = protocol_.resolve(gid, now_ns);
  note_change();
  return found;
}

template <typename Env>
void NeighborStage<Env>::renew(uint64_t now_ns) {
  protocol_.renew(now_ns);
  note_change();
}

template <typename Env>
void NeighborStage<Env>::leave(uint64_t now_ns) {
  protocol_.leave(now_ns);
  note_change();
}

template <typename Env>
bool NeighborStage<Env>::send_one(uint64_t now_ns) {
  if (out_.room() == 0) return false;
  typename Env::Packet packet = env_.packets.allocate();
  if (packet == typename Env::Packet{}) {
    protocol_.counters().add(counters::NeighborEvent::kNoMbuf);
    due_ns_ = now_ns + neighbor_stage::kNoPacketPauseNs;
    return false;
  }
  const size_t bytes = protocol_.transmit(now_ns, Env::frame(packet));
  note_change();
  if (bytes == 0) {
    env_.packets.free(packet);
    return false;
  }
  Env::set_length(packet, bytes);
  out_.push(&packet, 1);
  return true;
}

template <typename Env>
uint32_t NeighborStage<Env>::poll(uint64_t now_ns) {
  if (!started_) [[unlikely]] {
    started_ = true;
    protocol_.start(now_ns);
    note_change();
  }
  uint32_t sent = 0;
  while (now_ns >= due_ns_ && sent < neighbor_stage::kMostAtOnce && send_one(now_ns)) ++sent;
  return sent;
}

}  // namespace lambdacast::node
