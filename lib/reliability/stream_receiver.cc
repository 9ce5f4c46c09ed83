// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/stream_receiver.h"

namespace lambdacast::reliability {

using counters::DropReason;

StreamReceiver::StreamReceiver(const ReliabilityConfig& config)
    : self_(config.self),
      tick_ns_(config.heartbeat_max_ns / 2),
      streams_(config),
      backlog_(config.max_peers),
      nacks_(config, streams_),
      statuses_(config, streams_),
      lifecycle_(config, streams_, backlog_, nacks_, statuses_),
      hold_(config.hold_pkts, config.max_peers),
      duplicates_(config.max_peers) {}

bool StreamReceiver::introduce(size_t peer, const wire::Gid& gid, uint32_t qpn) {
  PeerStream& stream = streams_[peer];
  if (!stream.listed) {
    streams_.introduce(peer, gid, qpn);
    return false;
  }
  stream.known = true;
  if (stream.name.gid == gid && stream.name.qpn == qpn) return false;
  lifecycle_.succeed(peer, gid, qpn);
  return true;
}

StreamReceiver::Outcome StreamReceiver::accept_disturbed(size_t peer,
                                                         ReceiveWindow::Outcome outcome,
                                                         uint64_t position, uint64_t end,
                                                         uint64_t now_ns) {
  switch (outcome.placed) {
    case Placed::kAppended:
      break;  // accept() has dealt with it
    case Placed::kInserted:
      nacks_.came(peer, position, now_ns);
      break;
    case Placed::kGap:
      lifecycle_.note_missing(peer, end, position, now_ns);
      break;
    case Placed::kDuplicate:
      ++duplicates_[peer];
      return {Disposition::kDrop, DropReason::kDuplicate};
    case Placed::kTooOld:
      return {Disposition::kDrop, DropReason::kTooOld};
    case Placed::kTooNew:
      lifecycle_.reveal(peer, position, now_ns);
      return {Disposition::kDrop, DropReason::kTooFarAhead};
    case Placed::kSlowConsumer:
      lifecycle_.reveal(peer, position, now_ns);
      return {Disposition::kDrop, DropReason::kSlowConsumer};
  }
  PeerStream& stream = streams_[peer];
  streams_.note_progress(stream);
  if (stream.window.backlog()) backlog_.add(peer);
  if (outcome.deliver) {
    if (nacks_.losses(peer).was_missing(position)) [[unlikely]]
      nacks_.handed_on(peer, position, now_ns);
    return {};
  }
  hold_.put(1);
  return {Disposition::kKeep};
}

DropReason StreamReceiver::accept_control(size_t peer, const uint8_t* payload,
                                          const wire::ControlHeader& header, uint64_t now_ns,
                                          bool& for_sender) {
  for_sender = false;
  switch (lifecycle_.hear(peer, header.incarnation, header.timestamp_ns, now_ns)) {
    case StreamLifecycle::Heard::kNow:
      break;
    case StreamLifecycle::Heard::kNext:
      return DropReason::kNotJoined;
    case StreamLifecycle::Heard::kStale:
      return DropReason::kStaleIncarnation;
  }
  switch (header.kind) {
    case wire::ControlKind::kHeartbeat:
      lifecycle_.take_heartbeat(peer, payload, header, now_ns);
      for_sender = (header.flags & wire::kHeartbeatEnd) != 0;
      break;
    case wire::ControlKind::kStatus:
      for_sender = take_status(peer, payload, header, now_ns);
      break;
    case wire::ControlKind::kNack:
      for_sender = take_status(peer, payload, header, now_ns);
      if (const auto about = wire::load_nack_stream(payload); about == self_) {
        for_sender = true;
      } else {
        nacks_.take_nack(peer, about, payload, header, now_ns);
      }
      break;
    default:
      break;  // membership's
  }
  return DropReason::kNone;
}

bool StreamReceiver::take_status(size_t peer, const uint8_t* payload,
                                 const wire::ControlHeader& header, uint64_t now_ns) {
  size_t at = wire::find_status_entry(payload, header, self_);
  if (at == 0) return false;
  nacks_.take_status(peer, wire::load_status_entry(payload, at), now_ns);
  return true;
}

void StreamReceiver::tick(uint64_t now_ns, bool listening) {
  base::UptimeClock& clock = streams_.clock();
  if (!listening) return clock.skip(now_ns);
  clock.advance(now_ns);
  if (now_ns < next_tick_ns_) return;
  next_tick_ns_ = now_ns + tick_ns_;
  if (lifecycle_.leaving()) return;
  starved_ = clock.starved();
  hold_.count_active(streams_);
  nacks_.choose_anew();
  lifecycle_.tick(now_ns);
}

size_t StreamReceiver::next_control(uint8_t* payload, size_t room, uint64_t now_ns) {
  if (lifecycle_.leaving()) return 0;
  if (auto nack = nacks_.next_nack(payload, room, now_ns, hold_.full())) {
    nack->header.statuses = statuses_.append_round(payload, nack->bytes, room, now_ns,
                                                   nack->previous_ns, hold_.share());
    if (nack->header.statuses != 0) wire::store_control_header(nack->header, payload);
    return nack->bytes;
  }
  return statuses_.next_status(payload, room, now_ns, hold_.share());
}

uint64_t StreamReceiver::next_deadline_ns() const {
  if (lifecycle_.leaving()) return next_tick_ns_;
  return std::min({next_tick_ns_, nacks_.next_ns(), statuses_.next_speech_ns()});
}

ReceiverReport StreamReceiver::report(size_t peer) const {
  ReceiverReport out;
  lifecycle_.report(peer, out);
  out.duplicates = duplicates_[peer];
  nacks_.report(peer, out);
  statuses_.report(peer, out);
  return out;
}

}  // namespace lambdacast::reliability
