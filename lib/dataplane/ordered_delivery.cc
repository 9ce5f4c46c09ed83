#include "dataplane/ordered_delivery.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "dataplane/view_packet.h"

namespace lambdacast::dataplane {

using base::PacketHandle;
using endpoint::ViewEvent;
using Step = endpoint::DeliveryFilter::Step;

OrderedDelivery::OrderedDelivery(const endpoint::ViewConfig& config,
                                 const endpoint::PeerTable& peers,
                                 reliability::StreamReceiver& receiver,
                                 reliability::StreamSender& sender, endpoint::Stability& stability,
                                 endpoint::DeliveryFilter& delivery, rte_mempool* pool,
                                 const Link& in, Link& out)
    : stability_(stability),
      delivery_(delivery),
      resumption_(delivery),
      peers_(peers),
      pool_(pool),
      in_(in),
      out_(out),
      late_(std::make_unique_for_overwrite<rte_mbuf*[]>(
          config.order.max_peers * config.order.stream_pkts + kMaxBurst)),
      core_(config, receiver, sender, static_cast<endpoint::ViewHost&>(*this)) {}

OrderedDelivery::~OrderedDelivery() {
  core_.clear();
  while (rte_mbuf* m = next_relay()) rte_pktmbuf_free(m);
  rte_pktmbuf_free_bulk(late_.get() + late_begin_, late_end_ - late_begin_);
}

void OrderedDelivery::accept_control(const endpoint::PacketInfo& info, const uint8_t* payload,
                                     const wire::ControlHeader& header, bool taken,
                                     uint64_t now_ns) {
  const wire::StreamName name{peers_.at(info.peer).gid, header.data_qpn, header.incarnation};
  if (taken) {
    core_.accept_control(info.peer, name, payload, header, now_ns);
  } else {
    core_.heard(info.peer, name);
  }
}

void OrderedDelivery::poll(uint64_t now_ns, bool listening) {
  now_ns_ = now_ns;
  if (std::exchange(lacks_, false)) [[unlikely]]
    core_.abandon();
  if (waits()) [[unlikely]]
    tell_waiting();
  core_.poll(now_ns, listening);
}

uint32_t OrderedDelivery::allowance() const {
  if (!core_.may_send()) return 0;
  return core_.order().room(core_.self_stream()) - endpoint::ViewSynchrony::kMarksReserve;
}

void OrderedDelivery::write_resumed(rte_mbuf* packet, uint8_t* payload) {
  const auto bytes = resumption_.next(info_of(packet));
  std::copy(bytes.begin(), bytes.end(), payload);
}

void OrderedDelivery::write_marks(rte_mbuf* packet, uint8_t* payload, size_t room) {
  endpoint::ViewSynchrony::describe_marks(info_of(packet), core_.write_marks(payload, room));
}

void OrderedDelivery::sent(const endpoint::PacketInfo& info, const uint8_t* payload, rte_mbuf* copy,
                           uint64_t rel_seq, uint64_t now_ns) {
  endpoint::PacketInfo& own = info_of(copy);
  own = info;
  own.peer = endpoint::kNoPeer;
  own.incarnation = core_.membership().self().incarnation;
  own.epoch = 0;
  own.rel_seq = rel_seq;
  own.timestamp_ns = own.received_ns = now_ns;
  own.payload_offset = 0;  // nothing else of the frame is wanted
  std::copy_n(payload, info.payload_bytes, frame_of(copy));
  core_.sent(rel_seq, handle_of(copy));
}

// --- what the core wants done --------------------------------------------------------------------

bool OrderedDelivery::deliver_ordered(PacketHandle packet, const ordering::Ordered& what) {
  const bool room = out_.room() != 0 && !waits() && !taking_;
  if (!room && !what.last_call) return false;
  rte_mbuf* m = mbuf_of(packet);
  endpoint::PacketInfo& info = info_of(m);
  info.index = what.index;
  info.epoch = what.epoch;
  info.domain = what.domain;
  const auto outcome = delivery_.accept(info, frame_of(m), now_ns_);
  if (outcome.step == Step::kWait) [[unlikely]] {
    if (!what.last_call) {
      info.index = kUndelivered;
      return false;
    }
    delivery_.refuse(outcome.reason);
  }
  if (info.peer == endpoint::kNoPeer) {
    ++account_.own;
    stability_.delivered(what.rel_seq, what.sequencer, what.mark);
  } else {
    --account_.waiting;
  }
  if (outcome.step == Step::kLost || outcome.step == Step::kWait) [[unlikely]] {
    lacks_ |= outcome.lost_here_alone();
    declare_lost(info, room);
  }
  if (outcome.step != Step::kDeliver) return true;
  rte_mbuf_refcnt_update(m, 1);
  room ? out_.push(&m, 1) : hand_on_late(m);
  return true;
}

// The packet itself may be wanted by others yet.
void OrderedDelivery::declare_lost(const endpoint::PacketInfo& info, bool room) {
  rte_mbuf* m = rte_pktmbuf_alloc(pool_);
  if (m == nullptr) return;
  info_of(m) = info;
  become_gap(info_of(m), 1, reliability::LossReason::kReassembly);
  room ? out_.push(&m, 1) : hand_on_late(m);
}

void OrderedDelivery::release(PacketHandle packet) {
  const endpoint::PacketInfo& info = info_of(mbuf_of(packet));
  const bool content = info.group != wire::kMarksGroup && info.peer != endpoint::kNoPeer;
  if (content && info.index == kUndelivered) {
    --account_.waiting;
    ++account_.voided;
  }
  rte_pktmbuf_free(mbuf_of(packet));
}

endpoint::PacketInfo& OrderedDelivery::info(PacketHandle packet) {
  return info_of(mbuf_of(packet));
}

std::span<const uint8_t> OrderedDelivery::payload(PacketHandle packet) {
  return payload_of(mbuf_of(packet));
}

void OrderedDelivery::relay(PacketHandle packet) {
  if (relays_end_ - relays_begin_ == kRelays) return;
  rte_mbuf* m = mbuf_of(packet);
  rte_mbuf_refcnt_update(m, 1);
  relays_[relays_end_++ % kRelays] = m;
}

rte_mbuf* OrderedDelivery::next_relay() {
  if (relays_begin_ == relays_end_) return nullptr;
  ++account_.relayed;
  return relays_[relays_begin_++ % kRelays];
}

// No view begins before the one before was told (told()), and who is out stays out: so there is
// always room.
void OrderedDelivery::view_event(const ViewEvent& event) {
  members_.store(static_cast<uint32_t>(event.members.size()));
  epoch_.store(event.what == ViewEvent::What::kView ? event.id.epoch : 0);
  if (event.what == ViewEvent::What::kView) {
    stability_.view_begins();
  } else {
    stability_.end();
  }
  delivery_.view(now_ns_, [&](uint16_t peer, uint32_t incarnation) {
    return goes_on(event, peers_, peer, incarnation);
  });
  resumption_.view_event(event);
  assert(events_ < kEvents);
  Waiting& waiting = event_[events_++];
  waiting.event = event;
  std::copy(event.members.begin(), event.members.end(), waiting.member.begin());
  if (!taking_) tell_events();
}

void OrderedDelivery::tell_waiting() {
  tell_events();
  if (events_ != 0) return;
  const auto told = std::min<size_t>(out_.room(), late_end_ - late_begin_);
  out_.push(late_.get() + late_begin_, static_cast<uint32_t>(told));
  late_begin_ += told;
  if (late_begin_ == late_end_) late_begin_ = late_end_ = 0;
}

void OrderedDelivery::tell_events() {
  size_t told = 0;
  for (; told < events_ && out_.room() != 0; ++told) {
    rte_mbuf* m = rte_pktmbuf_alloc(pool_);
    if (m == nullptr) break;
    Waiting& waiting = event_[told];
    waiting.event.members = std::span(waiting.member).first(waiting.event.members.size());
    store_view_event(waiting.event, m);
    out_.push(&m, 1);
  }
  std::copy(event_.begin() + static_cast<std::ptrdiff_t>(told),
            event_.begin() + static_cast<std::ptrdiff_t>(events_), event_.begin());
  events_ -= told;
}

}  // namespace lambdacast::dataplane
