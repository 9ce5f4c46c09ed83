#include "node/multicast_core.h"

#include <algorithm>
#include <utility>

#include "node/packet_run.h"

namespace lambdacast::node {

using counters::DropReason;
using reliability::StreamReceiver;

namespace {

reliability::ReliabilityConfig completed(const MulticastConfig& config) {
  reliability::ReliabilityConfig repair = config.repair;
  const EndpointIdentity& identity = config.endpoint.identity;
  repair.self = {identity.gid, identity.data_qpn, identity.incarnation};
  repair.max_peers = config.endpoint.max_peers;
  return repair;
}

// With membership there is a group layer above.
DeliveryFilterConfig delivery_config(const MulticastConfig& config) {
  DeliveryFilterConfig delivery = config.endpoint.delivery;
  delivery.all_group_messages = config.view.has_value();
  delivery.max_peers = config.endpoint.max_peers;
  return delivery;
}

}  // namespace

// Takes over what the receive windows let go.
class MulticastCore::Drain {
 public:
  Drain(MulticastCore& core, uint64_t now_ns) : core_(core), now_ns_(now_ns) {}
  void deliver(PacketHandle packet) { core_.hand_on(packet, now_ns_); }
  bool gap(size_t peer, uint32_t incarnation, uint64_t first, uint64_t count,
           reliability::LossReason reason) {
    if (core_.view_) core_.view_->lost(peer, reason);
    core_.delivery_.gap(static_cast<uint16_t>(peer), first, count, now_ns_);
    core_.host_.gap({static_cast<uint16_t>(peer), incarnation, first, count, reason});
    return true;
  }

 private:
  MulticastCore& core_;
  uint64_t now_ns_;
};

MulticastCore::MulticastCore(const MulticastConfig& config, Host& host)
    : host_(host),
      receive_({config.endpoint.identity, config.endpoint.max_peers, config.endpoint.icrc}),
      frames_({config.endpoint.max_peers}),
      receiver_(completed(config)),
      delivery_(delivery_config(config)),
      resumption_(delivery_),
      pacer_(config.endpoint.pacer),
      transmit_({.identity = config.endpoint.identity,
                 .first_frame_seq = config.endpoint.first_frame_seq,
                 .first_rel_seq = config.repair.first_rel_seq,
                 .icrc = config.endpoint.icrc}),
      control_(config.endpoint.identity, config.endpoint.icrc),
      sender_(completed(config)),
      stability_(config.repair.transmit_window_pkts + config.repair.receive_window_pkts,
                 config.repair.first_rel_seq),
      max_publications_(config.max_publications),
      max_message_bytes_(config.endpoint.delivery.reassembly.max_message_bytes),
      control_frame_(wire::kMaxFrameBytes) {
  if (!config.view) return;
  ViewConfig view = *config.view;
  view.membership.self = completed(config).self;
  view.membership.max_peers = view.order.max_peers = config.endpoint.max_peers;
  view_.emplace(view, receiver_, sender_, static_cast<ViewHost&>(*this));
}

MulticastCore::~MulticastCore() {
  if (view_) view_->clear();
  const auto free = [&](PacketHandle packet) { host_.free(packet); };
  receiver_.clear(free);
  sender_.clear(free);
  std::for_each(recoverable_.begin(), recoverable_.end(), free);
  std::for_each(unreliable_.begin(), unreliable_.end(), free);
}

DropReason MulticastCore::receive(std::span<const uint8_t> frame, uint64_t now_ns) {
  DropReason outcome = DropReason::kNone;
  receive({&frame, 1}, now_ns, {&outcome, 1});
  return outcome;
}

void MulticastCore::receive(std::span<const std::span<const uint8_t>> frames, uint64_t now_ns,
                            std::span<DropReason> outcomes) {
  if (frames.size() > kMostRun) {
    receive(frames.first(kMostRun), now_ns, outcomes.first(kMostRun));
    return receive(frames.subspan(kMostRun), now_ns, outcomes.subspan(kMostRun));
  }
  PacketHandle packets[kMostRun];
  size_t frame_of[kMostRun];
  uint32_t count = 0;
  for (size_t i = 0; i < frames.size(); ++i) {
    outcomes[i] = parse(frames[i], now_ns, packets[count]);
    if (outcomes[i] == DropReason::kNone) frame_of[count++] = i;
  }
  if (count == 0) return;
  receiver_.tick(now_ns);
  judge_burst(
      count, [&](uint32_t i) -> const PacketInfo& { return host_.info(packets[i]); },
      [&](uint32_t first, uint32_t run) {
        return take_run({packets + first, run}, now_ns);
      },
      [&](uint32_t i) {
        DropReason& outcome = outcomes[frame_of[i]];
        outcome = take(packets[i], now_ns);
        if (outcome != DropReason::kNone) host_.free(packets[i]);
      });
}

DropReason MulticastCore::parse(std::span<const uint8_t> frame, uint64_t now_ns,
                                PacketHandle& out) {
  const PacketHandle packet = host_.allocate();
  if (packet == PacketHandle::kNone) return DropReason::kReassemblyMemory;
  std::copy(frame.begin(), frame.end(), host_.frame(packet));
  const DropReason reason = counters_.receive.count(
      receive_.receive(host_.frame(packet), frame.size(), now_ns, host_.info(packet)));
  if (reason != DropReason::kNone) host_.free(packet);
  out = packet;
  return reason;
}

bool MulticastCore::take_run(std::span<const PacketHandle> packets, uint64_t now_ns) {
  const auto disposition = accept_run(
      frames_, receiver_, static_cast<uint32_t>(packets.size()),
      [&](uint32_t i) -> const PacketInfo& { return host_.info(packets[i]); },
      [&](uint32_t i) { return packets[i]; }, now_ns);
  if (!disposition) return false;
  in_runs_ += packets.size();
  for (const PacketHandle packet : packets) {
    counters_.reliability.count(DropReason::kNone);
    if (*disposition == StreamReceiver::Disposition::kDeliver) hand_on(packet, now_ns);
  }
  return true;
}

DropReason MulticastCore::take(PacketHandle packet, uint64_t now_ns) {
  const PacketInfo& info = host_.info(packet);
  if (!receiver_.knows(info.peer)) {
    const Peer& peer = receive_.peers().at(info.peer);
    receiver_.introduce(info.peer, peer.gid, peer.qpn);
  }
  if (info.kind == wire::Kind::kControl) {
    const DropReason reason = take_control(packet, now_ns);
    return counters_.reliability.count(reason == DropReason::kNone ? DropReason::kControlTaken
                                                                   : reason);
  }
  const DropReason reason = frames_.accept(info);
  if (reason != DropReason::kNone && !(info.qos != wire::Qos::kUnreliable &&
                                       receiver_.misses(info.peer, info.incarnation, info.rel_seq)))
    return counters_.reliability.count(reason);
  const auto outcome = receiver_.accept(info, packet, now_ns);
  if (outcome.disposition == StreamReceiver::Disposition::kDrop)
    return counters_.reliability.count(outcome.reason);
  counters_.reliability.count(DropReason::kNone);
  if (outcome.disposition == StreamReceiver::Disposition::kDeliver) hand_on(packet, now_ns);
  return DropReason::kNone;
}

DropReason MulticastCore::take_control(PacketHandle packet, uint64_t now_ns) {
  const PacketInfo& info = host_.info(packet);
  const uint8_t* payload = host_.frame(packet) + info.payload_offset;
  const wire::ControlHeader header =
      wire::load_control_header(payload);  // FrameClassifier checked it
  bool for_sender = false;
  const DropReason reason =
      receiver_.accept_control(info.peer, payload, header, now_ns, for_sender);
  if (view_) {
    const wire::StreamName name{receive_.peers().at(info.peer).gid, header.data_qpn,
                                header.incarnation};
    if (reason == DropReason::kNone) {
      view_->accept_control(info.peer, name, payload, header, now_ns);
    } else {
      view_->heard(info.peer, name);
    }
  }
  if (for_sender) {
    sender_.tick(now_ns);
    sender_.accept_control(info.peer, payload, header, now_ns, receive_.peers().at(info.peer).gid);
  }
  return reason;
}

void MulticastCore::hand_on(PacketHandle packet, uint64_t now_ns) {
  if (view_) {
    const auto step = view_->take(packet);
    if (step == ViewSynchrony::Step::kKeep) return;
    if (step == ViewSynchrony::Step::kDrop) return host_.free(packet);
  }
  deliver(packet, now_ns);
  host_.free(packet);
}

void MulticastCore::deliver(PacketHandle packet, uint64_t now_ns) {
  PacketInfo& info = host_.info(packet);
  const auto outcome = delivery_.accept(info, host_.frame(packet), now_ns);
  if (outcome.step == DeliveryFilter::Step::kDeliver) {
    if (info.kind == wire::Kind::kFragment) {
      host_.deliver(info, {info.message, info.message_bytes});
      delivery_.release(info.reassembly);
    } else {
      host_.deliver(info, {host_.frame(packet) + info.payload_offset, info.payload_bytes});
    }
  } else if (outcome.step == DeliveryFilter::Step::kLost) {
    lacks_ |= info.qos >= wire::Qos::kTotallyOrdered && outcome.lost_here_alone();
    host_.gap({info.peer, info.incarnation, info.rel_seq, 1, reliability::LossReason::kReassembly});
  }
}

void MulticastCore::poll(uint64_t now_ns, uint32_t most) {
  receiver_.tick(now_ns);
  sender_.tick(now_ns);
  (void)receiver_.drain(most, now_ns, Drain(*this, now_ns));
  sender_.release([&](PacketHandle packet) { host_.free(packet); });
  delivery_.expire(now_ns);
  now_ns_ = now_ns;
  if (view_ && std::exchange(lacks_, false)) view_->abandon();
  if (view_) view_->poll(now_ns);
  send_control(now_ns);
  if (view_) send_marks(now_ns);
  send_repairs(now_ns, !unreliable_.empty() || may_send_recoverable());
  if (resumption_.pending()) send_resumed(now_ns);
  if (!leaving_) send_data(now_ns);
  advance_stability();
  while (const auto event = sender_.take_event()) host_.receiver_event(*event);
}

void MulticastCore::advance_stability() {
  if (!stability_.waits()) return;
  stability_.advance(sender_.stable(), [&](size_t sequencer) {
    return view_ ? view_->order().stable_marks(sequencer) : 0;
  });
}

// --- the view ------------------------------------------------------------------------------------

void MulticastCore::leave() {
  if (view_ && view_->may_publish()) return view_->leave();
  finish_leaving();
}

void MulticastCore::finish_leaving() {
  leaving_ = true;
  receiver_.leave();
  sender_.finish();
}

bool MulticastCore::deliver_ordered(PacketHandle packet, const ordering::Ordered& what) {
  PacketInfo& info = host_.info(packet);
  info.index = what.index;
  info.epoch = what.epoch;
  info.domain = what.domain;
  if (info.peer == kNoPeer) stability_.delivered(what.rel_seq, what.sequencer, what.mark);
  deliver(packet, now_ns_);
  return true;
}

std::span<const uint8_t> MulticastCore::payload(PacketHandle packet) {
  const PacketInfo& info = host_.info(packet);
  return {host_.frame(packet) + info.payload_offset, info.payload_bytes};
}

void MulticastCore::relay(PacketHandle packet) {
  const PacketInfo& info = host_.info(packet);
  const size_t end = size_t{info.payload_offset} + info.payload_bytes;
  const size_t header = transmit_.payload_offset() - wire::kTransportHeaderBytes;
  const size_t pad = (wire::kMaxPadBytes + 1 - (end - header) % (wire::kMaxPadBytes + 1)) %
                     (wire::kMaxPadBytes + 1);
  host_.transmit({host_.frame(packet), end + pad + wire::kIcrcBytes});
}

void MulticastCore::view_event(const ViewEvent& event) {
  if (event.what == ViewEvent::What::kView) {
    stability_.view_begins();
  } else {
    stability_.end();
  }
  delivery_.view(now_ns_, [&](uint16_t peer, uint32_t incarnation) {
    return goes_on(event, receive_.peers(), peer, incarnation);
  });
  resumption_.view_event(event);
  host_.view_event(event);
  if (event.what == ViewEvent::What::kLeft) finish_leaving();
}

uint64_t MulticastCore::next_deadline_ns() const {
  if (receiver_.backlogged()) return 0;
  uint64_t next_ns = std::min(receiver_.next_deadline_ns(), sender_.next_deadline_ns());
  if (view_speaks()) next_ns = std::min(next_ns, view_->next_deadline_ns());
  const bool marks = view_ && view_->marks_due() && sender_.allowance() != 0;
  const bool waits = !unreliable_.empty() || sender_.repairs_wait() || marks || may_resume() ||
                     may_send_recoverable();
  return waits ? std::min(next_ns, pacer_.next_deadline_ns()) : next_ns;
}

}  // namespace lambdacast::node
