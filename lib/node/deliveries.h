// SPDX-License-Identifier: BSD-3-Clause
// What the application takes from a node: delivered packets, message by message, and in their
// places the gaps, the views and the group layer's messages.
//
// One thread: the application's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "node/env.h"
#include "node/gap_event.h"
#include "node/view_event.h"
#include "node/view_packet.h"
#include "wire/control/messages.h"

namespace lambdacast::node {

// Where take() hands things to. A sink derives from this and has what it wants of these functions;
// of the rest nothing happens. Nothing is virtual: take() calls the sink's own type.
struct DeliverySink {
  // PacketInfo: of the packet that brought the message, or completed it. Totally ordered messages
  // have their index and epoch there; this node's own are among them, of peer kNoPeer. The bytes
  // are valid during the call.
  void message(const PacketInfo&, std::span<const uint8_t>) {}
  // A gap, in the place of packets that were declared lost.
  void gap(const GapEvent&) {}
  // A view event, between the deliveries of two views; its members are valid during the call.
  void view(const ViewEvent&) {}
  // A message of the group layer, of any group.
  void group_message(const PacketInfo&, std::span<const uint8_t>) {}
  // A message of the request layer (wire/control/request.h): of a group that this node subscribes
  // to, its own, or one to its personal number.
  void request_message(const PacketInfo&, std::span<const uint8_t>) {}
  // A packet of a burst that is about to be handed over; each is announced before the first is.
  void prefetch(const PacketInfo&) {}
};

// A sink of messages alone.
template <typename Handler>
struct MessageSink : DeliverySink {
  explicit MessageSink(Handler handler) : handler_(std::move(handler)) {}
  void message(const PacketInfo& info, std::span<const uint8_t> message) {
    handler_(info, message);
  }

 private:
  Handler handler_;
};

template <typename Env>
class Deliveries {
 public:
  using Packet = typename Env::Packet;

  Deliveries(Env& env, typename Env::Queue& in, typename Env::HandleQueue& released)
      : env_(env), in_(in), released_(released) {}

  // Up to `most` packets, kMaxBurst at most. Returns how many.
  template <typename Sink>
  uint32_t take(uint32_t most, Sink&& sink) {
    Packet packets[kMaxBurst];
    const uint32_t got = in_.pull(packets, std::min(most, kMaxBurst));
    Env::passed(StageId::kApplication, packets, got, Passage::kTaken, counters::DropReason::kNone);
    for (uint32_t i = 0; i < got; ++i) sink.prefetch(Env::info(packets[i]));
    for (uint32_t i = 0; i < got; ++i) hand_over(packets[i], sink);
    if (got != 0) env_.packets.free_plain(packets, got);
    return got;
  }

 private:
  template <typename Sink>
  void hand_over(Packet packet, Sink&& sink) {
    const PacketInfo& info = Env::info(packet);
    const std::span<const uint8_t> payload(Env::frame(packet) + info.payload_offset,
                                           info.payload_bytes);
    if (info.kind == wire::Kind::kData) [[likely]] {
      sink.message(info, payload);
    } else if (info.kind == wire::Kind::kMessages) {
      wire::for_each_message(
          payload, [&](std::span<const uint8_t> message) { sink.message(info, message); });
    } else if (info.kind == wire::Kind::kGroup) {
      sink.group_message(info, payload);
    } else if (info.kind == wire::Kind::kGap) {
      sink.gap(
          GapEvent{info.peer, info.incarnation, info.rel_seq, info.gap.positions, info.gap.reason});
    } else if (info.kind == wire::Kind::kView) {
      sink.view(load_view_event<Env>(packet));
    } else if (info.kind == wire::Kind::kRequest) {
      sink.request_message(info, payload);
    } else if (info.kind == wire::Kind::kRequestMessages) {
      wire::for_each_message(
          payload, [&](std::span<const uint8_t> message) { sink.request_message(info, message); });
    } else {
      const std::span<const uint8_t> whole(info.message, info.message_bytes);
      if (info.kind == wire::Kind::kFragment) {
        sink.message(info, whole);
      } else {
        sink.request_message(info, whole);
      }
      released_.push(info.reassembly);
    }
  }

  Env& env_;
  typename Env::Queue& in_;
  typename Env::HandleQueue& released_;
};

}  // namespace lambdacast::node
