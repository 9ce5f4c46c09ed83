#include "reliability/stream_receiver.h"

#include <algorithm>

namespace lambdacast::reliability {

using counters::DropReason;

StreamReceiver::StreamReceiver(const ReliabilityConfig& config)
    : config_(config),
      hold_pkts_(config.hold_pkts),
      progress_ns_(std::min(config.status_max_ns, config.evict_lag_ns) / 4),
      progress_pkts_(std::min<uint64_t>({config.receive_window_pkts, config.transmit_window_pkts,
                                         config.in_flight_pkts}) /
                     8),
      clock_(config.heartbeat_max_ns),
      streams_(config.max_peers, Stream(config)),
      backlog_(config.max_peers),
      own_hash_(name_hash(config.self)),
      random_(config.seed),
      quiet_status_ns_(config.status_ns) {
  known_.reserve(config.max_peers);
}

void StreamReceiver::introduce(size_t peer, const wire::Gid& gid, uint32_t qpn) {
  Stream& stream = streams_[peer];
  stream.known = true;
  stream.name = {gid, qpn, 0};
  stream.hash = name_hash(stream.name);
  known_.push_back(static_cast<uint16_t>(peer));
}

bool StreamReceiver::hear_incarnation(Stream& stream, uint32_t incarnation) {
  if (!stream.heard) {
    stream.heard = true;
    stream.name.incarnation = incarnation;
    stream.state = State::kJoining;
    stream.urgent = urgent_ = true;
    return true;
  }
  if (incarnation == stream.name.incarnation) return !stream.restarts;
  if (stream.member) return false;  // the view has to end first
  const uint32_t newest = stream.restarts ? stream.next_incarnation : stream.name.incarnation;
  if (static_cast<int32_t>(incarnation - newest) < 0) return false;
  stream.restarts = true;
  stream.next_incarnation = incarnation;
  stream.welcomed = false;  // by the life that is over
  if (stream.state == State::kOpen) {
    close(stream, LossReason::kSenderGone);
  } else if (stream.state == State::kJoining && stream.resumes &&
             stream.last_sent >= stream.resume_at) {
    // Cut off, and admitted anew perhaps without hearing of it: drain() tells what is left.
    stream.window.open(stream.resume_at);
    stream.state = State::kClosing;
    stream.closed_for = LossReason::kSenderGone;
    note_backlog(stream);
  } else if (stream.state == State::kJoining) {
    settle_closing(stream);
  }
  return true;
}

// Of this life of its sender `position` has been sent, whatever becomes of the frame.
DropReason StreamReceiver::not_open(Stream& stream, uint64_t position) {
  if (position <= wire::kMaxPosition) stream.last_sent = std::max(stream.last_sent, position);
  if (stream.state == State::kJoining && !stream.welcomed) stream.urgent = urgent_ = true;
  return DropReason::kNotJoined;
}

StreamReceiver::Outcome StreamReceiver::accept_disturbed(Stream& stream,
                                                         ReceiveWindow::Outcome outcome,
                                                         uint64_t position, uint64_t end,
                                                         uint64_t now_ns) {
  switch (outcome.placed) {
    case Placed::kAppended:
      break;  // accept() has dealt with it
    case Placed::kInserted:
      came(stream, position, now_ns);
      break;
    case Placed::kGap:
      start_timers(stream, end, position, now_ns);
      break;
    case Placed::kDuplicate:
      ++stream.totals.duplicates;
      return {Disposition::kDrop, DropReason::kDuplicate};
    case Placed::kTooOld:
      return {Disposition::kDrop, DropReason::kTooOld};
    case Placed::kTooNew:
      reveal(stream, position, now_ns);
      return {Disposition::kDrop, DropReason::kTooFarAhead};
    case Placed::kSlowConsumer:
      reveal(stream, position, now_ns);
      return {Disposition::kDrop, DropReason::kSlowConsumer};
  }
  stream.progressed = true;
  if (stream.window.backlog()) note_backlog(stream);
  if (outcome.deliver) {
    handed_on(stream, position, now_ns);
    return {};
  }
  ++kept_;
  return {Disposition::kKeep};
}

void StreamReceiver::came(Stream& stream, uint64_t position, uint64_t now_ns) {
  ++stream.totals.repaired;
  trace_.add(RepairStep::kCame, now_ns, static_cast<uint16_t>(index_of(stream)), position);
}

void StreamReceiver::gap_filled(Stream& stream, uint64_t position, uint64_t now_ns) {
  repair_ns_.record(now_ns - stream.gaps.revealed_ns(position));
  trace_.add(RepairStep::kDelivered, now_ns, static_cast<uint16_t>(index_of(stream)), position);
  stream.gaps.forget(position);
}

void StreamReceiver::note_backlog(Stream& stream) {
  if (stream.in_backlog) return;
  stream.in_backlog = true;
  backlog_[backlog_count_++] = static_cast<uint16_t>(index_of(stream));
}

// --- the life of a stream ------------------------------------------------------------------------

void StreamReceiver::close(Stream& stream, LossReason reason) {
  if (stream.state != State::kOpen || leaving_) return;
  declare_before(stream, stream.window.end(), reason);
  stream.state = State::kClosing;
  stream.closed_for = reason;
  if (reason == LossReason::kEvicted) count_eviction(stream);
  if (stream.window.backlog() || announced_tail(stream) != 0) {
    note_backlog(stream);
  } else {
    settle_closing(stream);
  }
}

void StreamReceiver::settle_closing(Stream& stream) {
  stream.resumes = !stream.restarts && (stream.state == State::kClosing || stream.resumes);
  if (stream.state == State::kClosing)
    stream.resume_at = stream.window.end() + announced_tail(stream);
  if (stream.restarts) {
    stream.name.incarnation = stream.next_incarnation;
    stream.restarts = false;
    stream.oldest_retained = 0;
    stream.last_sent = 0;
    stream.echo_timestamp_ns = 0;
    stream.verdicts_from_ns = 0;
    stream.left = false;
    stream.totals.first_losses += stream.loss_runs.losses();
    stream.loss_runs = LossRuns();
  }
  stream.state = State::kJoining;
  stream.urgent = urgent_ = true;
}

void StreamReceiver::open(Stream& stream, uint64_t skipped, uint64_t now_ns) {
  const uint64_t at =
      stream.resumes ? std::max(stream.welcome_at, stream.resume_at) : stream.welcome_at;
  stream.totals.lost[static_cast<size_t>(stream.closed_for)] += skipped;
  stream.totals.opened_at = at;
  stream.window.open(at);
  stream.gaps.reset();
  stream.skipped.clear();
  stream.state = State::kOpen;
  stream.resumes = stream.welcomed = false;
  stream.readmitted_at = 0;
  stream.closed_for = LossReason::kNone;
  stream.urgent = urgent_ = true;
  if (stream.last_sent >= at) reveal(stream, stream.last_sent, now_ns);
}

// --- membership ----------------------------------------------------------------------------------

void StreamReceiver::expel(size_t peer) {
  Stream& stream = streams_[peer];
  if (!stream.member) return;  // another life's
  stream.member = false;
  stream.limit = ~uint64_t{0};
  close(stream, LossReason::kSenderGone);
}

std::optional<uint64_t> StreamReceiver::handed_through(size_t peer) const {
  const Stream& stream = streams_[peer];
  if (stream.state != State::kOpen) return std::nullopt;
  return stream.window.deliver() - 1;
}

bool StreamReceiver::misses(size_t peer, uint32_t incarnation, uint64_t rel_seq) const {
  const Stream& stream = streams_[peer];
  return stream.member && stream.state == State::kOpen && incarnation == stream.name.incarnation &&
         (rel_seq >= stream.window.end() || stream.window.missing(rel_seq));
}

void StreamReceiver::reveal_through(size_t peer, uint64_t position, uint64_t now_ns) {
  Stream& stream = streams_[peer];
  if (stream.state == State::kOpen && position >= stream.window.end())
    reveal(stream, position, now_ns);
}

// --- control -------------------------------------------------------------------------------------

StreamReceiver::Stream* StreamReceiver::find(const wire::StreamName& name) {
  const uint64_t hash = name_hash(name);
  for (const uint16_t peer : known_) {
    if (streams_[peer].hash == hash && streams_[peer].name == name) return &streams_[peer];
  }
  return nullptr;
}

DropReason StreamReceiver::accept_control(size_t peer, const uint8_t* payload,
                                          const wire::ControlHeader& header, uint64_t now_ns,
                                          bool& for_sender) {
  Stream& stream = streams_[peer];
  for_sender = false;
  if (header.incarnation != stream.name.incarnation || !stream.heard) {
    if (!hear_incarnation(stream, header.incarnation)) return DropReason::kStaleIncarnation;
  }
  if (header.incarnation != stream.name.incarnation) return DropReason::kNotJoined;
  stream.echo_timestamp_ns = header.timestamp_ns;
  stream.echo_heard_ns = now_ns;
  stream.heard_uptime_ns = clock_.uptime_ns();
  switch (header.kind) {
    case wire::ControlKind::kHeartbeat:
      take_heartbeat(stream, payload, header, now_ns);
      for_sender = (header.flags & wire::kHeartbeatEnd) != 0;
      stream.left = stream.left || (for_sender && !stream.member);
      break;
    case wire::ControlKind::kStatus:
      for_sender = take_status(stream, payload, header, now_ns);
      break;
    case wire::ControlKind::kNack:
      for_sender = take_status(stream, payload, header, now_ns);
      for_sender = take_nack(peer, payload, header, now_ns) || for_sender;
      break;
    default:
      break;  // membership's
  }
  return DropReason::kNone;
}

void StreamReceiver::take_heartbeat(Stream& stream, const uint8_t* payload,
                                    const wire::ControlHeader& header, uint64_t now_ns) {
  const wire::Heartbeat heartbeat = wire::load_heartbeat(payload);
  stream.oldest_retained = std::max(stream.oldest_retained, heartbeat.oldest_retained);
  stream.last_sent = std::max(stream.last_sent, heartbeat.last_sent);
  stream.totals.lost_by_all = heartbeat.lost_by_all;
  // A heartbeat that comes twice or late says nothing new about us.
  for (size_t i = 0; i < header.entries && header.timestamp_ns >= stream.verdicts_from_ns; ++i) {
    const wire::VerdictEntry entry = wire::load_verdict(payload, i);
    if (entry.receiver != config_.self) continue;
    stream.verdicts_from_ns = header.timestamp_ns + 1;
    take_verdict(stream, entry, now_ns);
  }
  if (stream.state == State::kOpen) {
    if (heartbeat.last_sent >= stream.window.end()) reveal(stream, heartbeat.last_sent, now_ns);
    declare_gone(stream);
  } else {
    (void)not_open(stream, heartbeat.last_sent);
  }
  if ((header.flags & wire::kHeartbeatReport) != 0) stream.urgent = urgent_ = true;
}

void StreamReceiver::take_verdict(Stream& stream, const wire::VerdictEntry& entry,
                                  uint64_t now_ns) {
  if (entry.verdict != wire::Verdict::kWelcome) {
    if (stream.member) {
      // Its sender admits us by the view. What it gave up before that it does not have any more.
      stream.readmitted_at = std::max(stream.readmitted_at, entry.open_at);
      return;
    }
    stream.welcomed = false;  // that welcome is over
    close(stream, LossReason::kEvicted);
    return;
  }
  if (stream.state == State::kOpen && entry.open_at > stream.window.next() &&
      entry.open_at > stream.readmitted_at) {
    // Cut off and admitted anew, on a status from before, and heard of neither.
    stream.readmitted_at = entry.open_at;
    count_eviction(stream);
  }
  if (stream.state != State::kJoining) return;
  stream.welcomed = true;
  stream.welcome_at = entry.open_at;
  if (stream.resumes && entry.open_at > stream.resume_at) {
    note_backlog(stream);  // drain() tells of the gap and opens
  } else {
    open(stream, 0, now_ns);
  }
}

bool StreamReceiver::take_status(Stream& stream, const uint8_t* payload,
                                 const wire::ControlHeader& header, uint64_t now_ns) {
  size_t at = wire::find_status_entry(payload, header, config_.self);
  if (at == 0) return false;
  if (const auto rtt_ns =
          stream.round_trip.sample_echo(wire::load_status_entry(payload, at), now_ns))
    round_trips_ns_.record(*rtt_ns);
  return true;
}

void StreamReceiver::tick(uint64_t now_ns, bool listening) {
  if (!listening) return clock_.skip(now_ns);
  clock_.advance(now_ns);
  if (now_ns < next_tick_ns_) return;
  next_tick_ns_ = now_ns + config_.heartbeat_max_ns / 2;
  if (leaving_) return;
  counters_.starved = clock_.starved();
  active_ = 0;
  for (const uint16_t peer : known_) {
    Stream& stream = streams_[peer];
    active_ += stream.window.end() != stream.end_at_tick ? 1 : 0;
    stream.end_at_tick = stream.window.end();
    stream.asker_block = kNoBlock;  // who is alive may have changed
  }
  for (const uint16_t peer : known_) {
    Stream& stream = streams_[peer];
    if (stream.state != State::kOpen) continue;
    if (stream.last_sent >= stream.window.end()) reveal(stream, stream.last_sent, now_ns);
    if (stream.window.complete()) continue;
    declare_gone(stream);
    if (stream.member) continue;
    give_up_late(stream, now_ns);
    if (!stream.window.complete() &&
        clock_.uptime_ns() - stream.heard_uptime_ns > config_.suspect_after_ns) {
      close(stream, LossReason::kSenderGone);
    }
  }
}

ReceiverReport StreamReceiver::report(size_t peer) const {
  const Stream& stream = streams_[peer];
  ReceiverReport report = stream.totals;
  report.known = stream.known;
  report.open = stream.state == State::kOpen;
  report.left = stream.left;
  report.contiguous = stream.window.next() == 0 ? 0 : stream.window.next() - 1;
  stream.window.for_each_missing(stream.window.next(), [&](uint64_t) {
    ++report.missing;
    return true;
  });
  report.kept = stream.window.kept();
  report.room = stream.window.room();
  report.rtt_ns = stream.round_trip.smoothed_ns();
  report.rtt_variation_ns = stream.round_trip.variation_ns();
  report.rtt_samples = stream.round_trip.samples();
  report.first_losses += stream.loss_runs.losses();
  return report;
}

}  // namespace lambdacast::reliability
