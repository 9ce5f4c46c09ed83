// SPDX-License-Identifier: BSD-3-Clause
// Bodies of ordered_delivery.h, for the sources that instantiate a node.
#pragma once

#include <algorithm>
#include <cassert>
#include <utility>

#include "node/ordered_delivery.h"
#include "node/view_packet.h"

namespace lambdacast::node {

template <typename Env>
OrderedDelivery<Env>::OrderedDelivery(const ViewConfig& config, const Parts& parts, Env& env,
                                      const Queue& in, Queue& out)
    : stability_(parts.stability),
      filter_(parts.filter),
      resumption_(parts.filter),
      peers_(parts.peers),
      env_(env),
      in_(in),
      out_(out),
      late_(std::make_unique_for_overwrite<Packet[]>(
          (config.order.max_peers + 1) * config.order.stream_pkts + kMaxBurst)),
      core_(config, {parts.receiver, parts.sender, parts.rates}, static_cast<ViewHost&>(*this)) {}

template <typename Env>
OrderedDelivery<Env>::~OrderedDelivery() {
  core_.clear();
  for (Packet relay = next_relay(); relay != Packet{}; relay = next_relay())
    env_.packets.free(relay);
  env_.packets.free(late_.get() + late_begin_, static_cast<uint32_t>(late_end_ - late_begin_));
  if (spare_ != Packet{}) env_.packets.free(spare_);
}

template <typename Env>
void OrderedDelivery<Env>::accept_control(const PacketInfo& info, const uint8_t* payload,
                                          const wire::ControlHeader& header, bool taken,
                                          uint64_t now_ns) {
  touched_ = true;
  const wire::StreamName name{peers_.name_of(info.peer).gid, header.data_qpn, header.incarnation};
  if (taken) {
    core_.accept_control(info.peer, name, payload, header, now_ns);
  } else {
    core_.heard(info.peer, name, now_ns);
  }
}

template <typename Env>
void OrderedDelivery<Env>::poll(uint64_t now_ns, bool listening) {
  now_ns_ = now_ns;
  touched_ = false;
  if (std::exchange(lacks_, false)) [[unlikely]]
    core_.abandon();
  if (waits()) [[unlikely]]
    tell_waiting();
  core_.poll(now_ns, listening);
  if (core_.membership().standing() != told_standing_) [[unlikely]]
    tell_standing();
}

// With the box full it is tried again.
template <typename Env>
void OrderedDelivery<Env>::tell_standing() {
  StandingEvent* const slot = standings_.begin();
  if (slot == nullptr) return;
  told_standing_ = core_.membership().standing();
  *slot = standing_event(told_standing_, core_.membership().view());
  standings_.push();
}

template <typename Env>
std::optional<StandingEvent> OrderedDelivery<Env>::take_standing() {
  return standings_.take();
}

template <typename Env>
uint64_t OrderedDelivery<Env>::next_deadline_ns() const {
  if (touched_ || lacks_ || (waits() && out_.room() != 0)) return 0;
  return core_.next_deadline_ns();
}

template <typename Env>
uint32_t OrderedDelivery<Env>::allowance() const {
  return core_.may_send() ? core_.marks().room_for_content() : 0;
}

template <typename Env>
void OrderedDelivery<Env>::write_resumed(Packet packet, uint8_t* payload) {
  const auto bytes = resumption_.next(Env::info(packet));
  std::copy(bytes.begin(), bytes.end(), payload);
}

template <typename Env>
void OrderedDelivery<Env>::sent(const PacketInfo& info, const uint8_t* payload, Packet copy,
                                uint64_t rel_seq, uint64_t now_ns) {
  touched_ = true;
  PacketInfo& own = Env::info(copy);
  own = info;
  own.peer = kNoPeer;
  own.incarnation = core_.membership().self().incarnation;
  own.epoch = 0;
  own.rel_seq = rel_seq;
  own.timestamp_ns = own.received_ns = now_ns;
  own.payload_offset = 0;  // nothing else of the frame is wanted
  std::copy_n(payload, info.payload_bytes, Env::frame(copy));
  core_.sent(rel_seq, Env::handle(copy));
}

// --- what the core wants done --------------------------------------------------------------------

template <typename Env>
bool OrderedDelivery<Env>::deliver_ordered(PacketHandle handle, const ordering::Ordered& what) {
  const bool room = out_.room() != 0 && !waits() && !taking_;
  if (spare_ == Packet{}) [[unlikely]]
    spare_ = env_.packets.allocate();
  if ((!room || spare_ == Packet{}) && !what.last_call) return false;
  const Packet packet = Env::packet(handle);
  PacketInfo& info = Env::info(packet);
  info.index = what.index;
  info.epoch = what.epoch;
  info.domain = what.domain;
  const auto outcome = filter_.accept(info, Env::frame(packet), now_ns_);
  if (outcome.step == DeliveryFilter::Step::kWait) [[unlikely]] {
    if (!what.last_call) {
      info.index = kUndelivered;
      return false;
    }
    filter_.refuse(outcome.reason);
  }
  if (info.peer == kNoPeer) {
    ++account_.own;
    stability_.delivered(what.rel_seq, what.sequencer, what.mark);
  } else {
    --account_.waiting;
  }
  if (outcome.step == DeliveryFilter::Step::kLost || outcome.step == DeliveryFilter::Step::kWait)
      [[unlikely]] {
    lacks_ |= outcome.lost_here_alone();
    declare_lost(packet, room);
  }
  if (outcome.step != DeliveryFilter::Step::kDeliver) return true;
  env_.packets.add_reference(packet);
  room ? out_.push(&packet, 1) : hand_on_late(packet);
  return true;
}

// The gap is told in the spare packet, for other members may want `packet` yet. At the last call
// they do not: without a spare one the gap takes its place.
template <typename Env>
void OrderedDelivery<Env>::declare_lost(Packet packet, bool room) {
  const PacketInfo about = Env::info(packet);
  Packet gap = std::exchange(spare_, Packet{});
  if (gap == Packet{}) {
    gap = packet;
    env_.packets.add_reference(gap);
  }
  Env::info(gap) = about;
  become_gap(Env::info(gap), 1, reliability::LossReason::kReassembly);
  room ? out_.push(&gap, 1) : hand_on_late(gap);
}

template <typename Env>
void OrderedDelivery<Env>::release(PacketHandle handle) {
  const PacketInfo& info = Env::info(Env::packet(handle));
  const bool content = !is_protocols_own(info) && info.peer != kNoPeer;
  if (content && info.index == kUndelivered) {
    --account_.waiting;
    ++account_.voided;
  }
  env_.packets.free(Env::packet(handle));
}

template <typename Env>
std::span<const uint8_t> OrderedDelivery<Env>::payload(PacketHandle handle) {
  const Packet packet = Env::packet(handle);
  const PacketInfo& info = Env::info(packet);
  return {Env::frame(packet) + info.payload_offset, info.payload_bytes};
}

// A packet in the link has not been taken: what a node says it holds, and how far a mark may be
// applied, counts from take(). Otherwise a mark overtakes content that stands in the link.
template <typename Env>
bool OrderedDelivery<Env>::drained() {
  return in_.empty() && !stalled_;
}

template <typename Env>
void OrderedDelivery<Env>::relay(PacketHandle handle) {
  if (relays_end_ - relays_begin_ == kRelays) return;
  const Packet packet = Env::packet(handle);
  env_.packets.add_reference(packet);
  relays_[relays_end_++ % kRelays] = packet;
}

template <typename Env>
typename Env::Packet OrderedDelivery<Env>::next_relay() {
  if (relays_begin_ == relays_end_) return Packet{};
  ++account_.relayed;
  return relays_[relays_begin_++ % kRelays];
}

// No view begins before the one before was told (told()), and who is out stays out: so there is
// always room.
template <typename Env>
void OrderedDelivery<Env>::view_event(const ViewEvent& event) {
  members_.store(static_cast<uint32_t>(event.members.size()));
  epoch_.store(event.what == ViewEvent::What::kView ? event.id.epoch : 0);
  if (event.what == ViewEvent::What::kView) {
    stability_.view_begins();
  } else {
    stability_.end();
  }
  filter_.view(now_ns_, [&](uint16_t peer, uint32_t incarnation) {
    return goes_on(event, peers_, peer, incarnation);
  });
  resumption_.view_event(event);
  assert(events_ < kEvents);
  Waiting& waiting = event_[events_++];
  waiting.event = event;
  std::copy(event.members.begin(), event.members.end(), waiting.member.begin());
  if (!taking_) tell_events();
}

template <typename Env>
void OrderedDelivery<Env>::tell_waiting() {
  tell_events();
  if (events_ != 0) return;
  const auto told = std::min<size_t>(out_.room(), late_end_ - late_begin_);
  out_.push(late_.get() + late_begin_, static_cast<uint32_t>(told));
  late_begin_ += told;
  if (late_begin_ == late_end_) late_begin_ = late_end_ = 0;
}

template <typename Env>
void OrderedDelivery<Env>::tell_events() {
  size_t told = 0;
  for (; told < events_ && out_.room() != 0; ++told) {
    const Packet packet = env_.packets.allocate();
    if (packet == Packet{}) break;
    Waiting& waiting = event_[told];
    waiting.event.members = std::span(waiting.member).first(waiting.event.members.size());
    store_view_event<Env>(waiting.event, packet);
    out_.push(&packet, 1);
  }
  std::copy(event_.begin() + static_cast<std::ptrdiff_t>(told),
            event_.begin() + static_cast<std::ptrdiff_t>(events_), event_.begin());
  events_ -= told;
}

template <typename Env>
void OrderedDelivery<Env>::report(ViewReport& out) const {
  out.state = membership().state();
  out.stranded = membership().stranded();
  out.standing = membership().standing();
  out.left = membership().left();
  out.id = membership().view().id;
  out.own_rank = membership().own_rank();
  out.size = membership().view().size();
  for (size_t rank = 0; rank < out.size; ++rank) {
    ViewReport::Member& member = out.members[rank];
    member.name = membership().view().members[rank];
    member.suspected = membership().suspects(rank);
    member.silent_ns = membership().silent_ns(rank);
    if (order().epoch() == out.id.epoch) member.ack_lag = order().ack_lag(rank);
  }
  out.membership = membership().counters();
  out.order = order().counters();
  out.ring = order().ring();
  out.held = order().held();
  out.account = account_;
}

}  // namespace lambdacast::node
