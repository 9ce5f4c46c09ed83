// SPDX-License-Identifier: BSD-3-Clause
// The bodies of rate_control_stage.h that send frames of membership, for the sources that
// instantiate a node.
#pragma once

#include <algorithm>
#include <optional>

#include "node/rate_control_stage.h"
#include "node/releaser.h"

namespace lambdacast::node {

// What this node announces goes ahead of everything, as marks do: others wait for it.
template <typename Env>
void RateControlStage<Env>::take_rates(uint64_t most, uint64_t now_ns) {
  while (pending_.framed() < most && rates_due() && view_->may_announce()) {
    const Packet packet = allocate();
    if (packet == Packet{}) return;
    PacketInfo& info = Env::info(packet);
    info = PacketInfo{};
    info.kind = wire::Kind::kData;
    info.qos = wire::Qos::kTotallyResilient;
    info.group = wire::kRateGroup;
    info.payload_bytes = wire::kAnnounceBytes;
    const Packet copy = allocate();
    if (copy == Packet{}) return env_.packets.free(packet);
    info.payload_bytes =
        static_cast<uint16_t>(rates_.write(Env::frame(packet) + half_.builder.payload_offset()));
    info.message_bytes = info.payload_bytes;
    (void)lay_ordered(packet, copy, now_ns);
    pending_.add(packet);
    charge_control(packet, Urgency::kUrgent, now_ns);
  }
}

// Marks go ahead of data, in the part of the window that data leaves free.
template <typename Env>
void RateControlStage<Env>::take_marks(uint64_t most, uint64_t now_ns) {
  while (pending_.framed() < most && now_ns >= view_->marks_due_ns() && marks_may_go(now_ns)) {
    const Packet packet = allocate();
    if (packet == Packet{}) return;
    view_->write_marks(packet, Env::frame(packet) + half_.builder.payload_offset(),
                       half_.builder.room_bytes(), now_ns);
    if (!lay_ordered(packet, now_ns)) return env_.packets.free(packet);
    pending_.add(packet);
    charge_control(packet, Urgency::kLazy, now_ns);
    view_->poll(now_ns, true);
  }
}

template <typename Env>
void RateControlStage<Env>::take_resumed(uint64_t most, uint64_t now_ns) {
  for (; most != 0 && view_->resumes() && view_->allowance() != 0; --most) {
    if (!share_.allows(now_ns)) return;
    const Packet packet = allocate();
    if (packet == Packet{}) return;
    view_->write_resumed(packet,
                         Env::frame(packet) + half_.builder.payload_offset(wire::Kind::kFragment));
    if (!lay_ordered(packet, now_ns)) return env_.packets.free(packet);
    view_->resumed();
    pending_.add(packet);
    charge(packet);
  }
}

// A view without a quorum holds back what is ordered in it. What needs no view waits for its
// members no longer than for any other receiver, once the window has no room for them.
template <typename Env>
void RateControlStage<Env>::go_on_without_view(uint64_t now_ns) {
  if (window_for_data() != 0) return;
  if (stalled_begin_ == stalled_end_) {
    stalled_begin_ = 0;
    stalled_end_ = links_.recoverable.pull(stalled_.data(), 1);
  }
  if (stalled_begin_ == stalled_end_) return;
  if (Env::info(stalled_[stalled_begin_]).qos >= wire::Qos::kTotallyOrdered) return;
  half_.sender.cut_off_silent(now_ns);
  tell_events();  // before anything is called stable for it
  half_.sender.release(Releaser<Env>(env_));
}

// Recoverable packets in their order; the first that is ordered and may not go holds the rest back.
template <typename Env>
void RateControlStage<Env>::take_ordered(uint64_t most, uint64_t now_ns) {
  if (view_->resumes()) [[unlikely]] {
    const uint32_t before = pending_.framed();
    take_resumed(most, now_ns);
    most -= pending_.framed() - before;
  }
  uint32_t ordered_left = view_->resumes() ? 0 : view_->allowance();
  for (; most != 0; --most) {
    if (stalled_begin_ == stalled_end_) {
      stalled_begin_ = 0;
      stalled_end_ = links_.recoverable.pull(stalled_.data(), static_cast<uint32_t>(most));
      if (stalled_end_ == 0) return;
    }
    if (!share_.allows(now_ns)) return;
    const Packet packet = stalled_[stalled_begin_];
    if (Env::info(packet).qos >= wire::Qos::kTotallyOrdered) {
      if (ordered_left == 0) return;
      const auto rel_seq = lay_ordered(packet, now_ns);
      if (!rel_seq) return;
      half_.stability.sent(*rel_seq, true);
      --ordered_left;
    } else {
      half_.stability.sent(lay_recoverable(packet, now_ns), false);
    }
    count(Env::info(packet));
    pending_.add(packet);
    charge(packet);
    ++stalled_begin_;
  }
}

// Its rel_seq. Nothing: no packet for what comes back to this node in its order; nothing has been
// done.
template <typename Env>
std::optional<uint64_t> RateControlStage<Env>::lay_ordered(Packet packet, uint64_t now_ns) {
  const Packet copy = allocate();
  if (copy == Packet{}) return std::nullopt;
  return lay_ordered(packet, copy, now_ns);
}

template <typename Env>
uint64_t RateControlStage<Env>::lay_ordered(Packet packet, Packet copy, uint64_t now_ns) {
  const uint64_t rel_seq = lay_recoverable(packet, now_ns);
  PacketInfo& info = Env::info(packet);
  info.frame_seq = half_.builder.sequencer().next_frame_seq() - 1;
  info.psn = static_cast<uint32_t>(info.frame_seq & 0xffffff);
  view_->sent(info, Env::frame(packet) + half_.builder.payload_offset(info.kind), copy, rel_seq,
              now_ns);
  return rel_seq;
}

}  // namespace lambdacast::node
