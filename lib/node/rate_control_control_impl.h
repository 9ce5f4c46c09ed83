// SPDX-License-Identifier: BSD-3-Clause
// What rate_control hears and says of control: bodies of rate_control_stage.h, for the sources that
// instantiate a node.
#pragma once

#include <algorithm>
#include <utility>

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
    if (share_.window() != nullptr) [[unlikely]] {
      const reliability::ReceiverState& said = half_.sender.receivers().at(info.peer);
      if (said.admitted && said.heard_of != reliability::Receivers::kUnlimited)
        share_.window()->status(info.peer,
                                {said.name.incarnation, said.heard_of, said.first_losses});
    }
  }
  env_.packets.free(packets, got);
  half_.sender.release(Releaser<Env>(env_));
  return got;
}

// Neighbor's frames, then what the two halves of reliable multicast have to say; never behind data.
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

// Lazy control goes when its part of the share lets it. It is written only then, because a later
// frame says the same and more.
template <typename Env>
typename Env::Packet RateControlStage<Env>::next_control(uint64_t now_ns) {
  Packet packet{};
  if (links_.neighbor != nullptr && links_.neighbor->pull(&packet, 1) == 1) {
    charge_control(packet, Urgency::kUrgent, now_ns);
    return packet;
  }
  if (guard_ != nullptr && (packet = next_notice(now_ns)) != Packet{}) {
    charge_control(packet, Urgency::kUrgent, now_ns);
    return packet;
  }
  if (!may_speak_) return Packet{};
  if (view_ != nullptr && (packet = next_of_view(now_ns)) != Packet{}) return packet;
  if ((packet = next_said(now_ns)) != Packet{}) return packet;
  return next_of_sender(now_ns);
}

template <typename Env>
typename Env::Packet RateControlStage<Env>::next_of_view(uint64_t now_ns) {
  Packet packet = view_->next_relay();
  if (packet != Packet{}) {
    charge_control(packet, Urgency::kUrgent, now_ns);
    return packet;
  }
  const bool due = now_ns >= view_->next_speech_ns() && !half_.sender.said_the_end();
  const Urgency urgency = due && view_->speech_may_wait(now_ns) ? Urgency::kLazy : Urgency::kUrgent;
  if (urgency == Urgency::kUrgent || !due) share_.withdraw(Lazy::kAcknowledgements);
  if (!due) return Packet{};
  if (urgency == Urgency::kLazy && !share_.may_go(Lazy::kAcknowledgements, now_ns)) return Packet{};
  packet = allocate();
  if (packet == Packet{}) return packet;
  const size_t bytes = view_->next_control(Env::frame(packet) + half_.control.payload_offset(),
                                           half_.control.room_bytes(), now_ns);
  return finish_control(packet, bytes, urgency, now_ns);
}

// NACKs pass statuses that wait for the share. So the link is emptied whatever waits.
template <typename Env>
typename Env::Packet RateControlStage<Env>::next_said(uint64_t now_ns) {
  const auto finish = [&](Packet packet, Urgency urgency) {
    return finish_control(packet, Env::info(packet).payload_bytes, urgency, now_ns);
  };
  if (statuses_count_ != 0 && share_.may_go(Lazy::kStatuses, now_ns)) {
    const Packet oldest = statuses_[0];
    std::copy(statuses_.begin() + 1, statuses_.begin() + statuses_count_--, statuses_.begin());
    return finish(oldest, Urgency::kLazy);
  }
  if (statuses_count_ == 0) share_.withdraw(Lazy::kStatuses);
  Packet packet{};
  while (links_.said.pull(&packet, 1) == 1) {
    const auto kind =
        static_cast<wire::ControlKind>(Env::frame(packet)[half_.control.payload_offset() + 1]);
    if (kind != wire::ControlKind::kStatus) return finish(packet, Urgency::kUrgent);
    if (statuses_count_ == 0 && share_.may_go(Lazy::kStatuses, now_ns))
      return finish(packet, Urgency::kLazy);
    keep_status(packet);
  }
  return Packet{};
}

// A round of statuses says the same as the one before and more, in frames that begin with the same
// peers. So a status takes the place, and the turn, of the one that waits and begins with the same
// peer. If each waited behind all others, none would tell anything but the past.
template <typename Env>
void RateControlStage<Env>::keep_status(Packet packet) {
  const auto first_peer = [&](Packet of) {
    return wire::load_stream_name(Env::frame(of) + half_.control.payload_offset() +
                                  wire::kControlHeaderBytes)
        .gid;
  };
  const auto end = statuses_.begin() + statuses_count_;
  const auto earlier = std::find_if(statuses_.begin(), end, [&](Packet waiting) {
    return first_peer(waiting) == first_peer(packet);
  });
  if (earlier != end) return env_.packets.free(std::exchange(*earlier, packet));
  if (statuses_count_ == kStatuses) {
    env_.packets.free(statuses_[0]);
    std::copy(statuses_.begin() + 1, end, statuses_.begin());
    --statuses_count_;
  }
  statuses_[statuses_count_++] = packet;
}

template <typename Env>
typename Env::Packet RateControlStage<Env>::next_of_sender(uint64_t now_ns) {
  reliability::StreamSender& sender = half_.sender;
  // With frames pending a heartbeat would name some that nobody can have.
  if (!pending_.empty() || sender.said_the_end() ||
      now_ns < sender.next_speech_ns(waits_for_share()))
    return Packet{};
  const Packet packet = allocate();
  if (packet == Packet{}) return packet;
  const size_t bytes = sender.next_control(Env::frame(packet) + half_.control.payload_offset(),
                                           half_.control.room_bytes(),
                                           half_.builder.sequencer().next_frame_seq(), now_ns);
  return finish_control(packet, bytes, Urgency::kUrgent, now_ns);
}

// The frame around a payload of so many bytes; 0: there is none, and the packet goes back.
template <typename Env>
typename Env::Packet RateControlStage<Env>::finish_control(Packet packet, size_t bytes,
                                                           Urgency urgency, uint64_t now_ns) {
  if (bytes == 0) {
    env_.packets.free(packet);
    return Packet{};
  }
  Env::set_length(packet, half_.control.finish(Env::frame(packet), bytes, now_ns));
  charge_control(packet, urgency, now_ns);
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
  env_.packets.free(statuses_.data(), std::exchange(statuses_count_, 0));
}

}  // namespace lambdacast::node
