// SPDX-License-Identifier: BSD-3-Clause
// What rate_control hears and says of control: bodies of rate_control_stage.h, for the sources that
// instantiate a node.
#pragma once

#include "node/rate_control_stage.h"
#include "node/releaser.h"

namespace lambdacast::node {

template <typename Env>
uint32_t RateControlStage<Env>::hear(uint64_t now_ns) {
  Packet packets[kMaxBurst];
  const uint32_t got = links_.heard.pull(packets, burst_);
  for (uint32_t i = 0; i < got; ++i) {
    const PacketInfo& info = Env::info(packets[i]);
    half_.sender.accept_control(info.peer, Env::frame(packets[i]) + info.payload_offset,
                                control_header(info), now_ns, peers_.name_of(info.peer).gid);
  }
  env_.packets.free(packets, got);
  half_.sender.release(Releaser<Env>(env_));
  return got;
}

// Neighbor's frames, then what the two halves of reliable multicast have to say; never paced, and
// never behind data.
template <typename Env>
uint32_t RateControlStage<Env>::send_control(uint64_t now_ns) {
  uint32_t sent = 0;
  for (; sent < burst_; ++sent) {
    if (control_frame_ == Packet{}) control_frame_ = next_control(now_ns);
    if (control_frame_ == Packet{} || env_.transmitter.transmit(&control_frame_, 1) == 0) break;
    control_frame_ = Packet{};
  }
  control_packets_ += sent;
  return sent;
}

template <typename Env>
typename Env::Packet RateControlStage<Env>::next_control(uint64_t now_ns) {
  Packet packet{};
  if (links_.neighbor != nullptr && links_.neighbor->pull(&packet, 1) == 1) return packet;
  if (guard_ != nullptr && (packet = next_notice(now_ns)) != Packet{}) return packet;
  if (!may_speak_) return Packet{};
  reliability::StreamSender& sender = half_.sender;
  const size_t at = half_.control.payload_offset();
  const size_t room = half_.control.room_bytes();
  size_t bytes = 0;
  if (view_ != nullptr) {
    if ((packet = view_->next_relay()) != Packet{}) return packet;
    if (now_ns >= view_->next_speech_ns() && !sender.said_the_end()) {
      packet = allocate();
      if (packet == Packet{}) return packet;
      bytes = view_->next_control(Env::frame(packet) + at, room, now_ns);
      if (bytes == 0) env_.packets.free(packet);
    }
  }
  if (bytes == 0 && links_.said.pull(&packet, 1) == 1) bytes = Env::info(packet).payload_bytes;
  // With frames pending a heartbeat would name some that nobody can have.
  if (bytes == 0 && pending_.empty() && !sender.said_the_end() &&
      now_ns >= sender.next_speech_ns()) {
    packet = allocate();
    if (packet == Packet{}) return packet;
    bytes = sender.next_control(Env::frame(packet) + at, room,
                                half_.builder.sequencer().next_frame_seq(), now_ns);
    if (bytes == 0) env_.packets.free(packet);
  }
  if (bytes == 0) return Packet{};
  Env::set_length(packet, half_.control.finish(Env::frame(packet), bytes, now_ns));
  return packet;
}

// A word to third parties, about another endpoint with this one's address.
template <typename Env>
typename Env::Packet RateControlStage<Env>::next_notice(uint64_t now_ns) {
  if (!may_speak_) forget_what_was_said();
  if (now_ns < guard_->next_deadline_ns()) return Packet{};
  const Packet packet = allocate();
  if (packet == Packet{}) return packet;
  uint8_t* const payload = Env::frame(packet) + half_.control.payload_offset();
  const size_t bytes = guard_->next_notice(payload, now_ns);
  if (bytes == 0) {
    env_.packets.free(packet);
    return Packet{};
  }
  Env::set_length(packet, half_.control.finish(Env::frame(packet), bytes, now_ns));
  return packet;
}

// Statuses and NACKs tell of the moment at which they were written.
template <typename Env>
void RateControlStage<Env>::forget_what_was_said() {
  Packet packets[kMaxBurst];
  const uint32_t got = links_.said.pull(packets, burst_);
  env_.packets.free(packets, got);
}

}  // namespace lambdacast::node
