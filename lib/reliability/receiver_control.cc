// What the receiving half says: NACKs and statuses.
#include <algorithm>
#include <utility>

#include "reliability/stream_receiver.h"

namespace lambdacast::reliability {

wire::ControlHeader StreamReceiver::header_of(wire::ControlKind kind, size_t entries) const {
  wire::ControlHeader header;
  header.kind = kind;
  header.incarnation = config_.self.incarnation;
  header.data_qpn = config_.self.qpn;
  header.entries = static_cast<uint16_t>(entries);
  return header;
}

// All that senders may have on their way can be held, whatever is lost of it.
uint32_t StreamReceiver::hold_share() const {
  return std::max<uint32_t>(hold_pkts_ / std::max<uint32_t>(active_, 1), kLeastRoom);
}

size_t StreamReceiver::next_control(uint8_t* payload, size_t room, uint64_t now_ns) {
  if (leaving_) return 0;
  if (now_ns >= next_nack_ns_) {
    uint64_t earliest_ns = GapTimers::kNever;
    for (const uint16_t peer : known_) {
      Stream& stream = streams_[peer];
      if (stream.state != State::kOpen || stream.gaps.next_due_ns() == GapTimers::kNever) continue;
      const uint64_t may_ns =
          stream.last_nack_ns == 0 ? 0 : stream.last_nack_ns + stream.round_trip.smoothed_ns();
      if (stream.gaps.next_due_ns() <= now_ns && may_ns <= now_ns) {
        const size_t bytes = write_nack(stream, payload, room, now_ns);
        if (bytes != 0) return bytes;
      }
      earliest_ns = std::min(earliest_ns, std::max(stream.gaps.next_due_ns(), may_ns));
    }
    next_nack_ns_ = earliest_ns;
  }
  if (statuses_left_ != 0) return write_status(payload, room, now_ns);
  if (known_.empty() || (!urgent_ && now_ns < next_look_ns_)) return 0;
  const uint64_t due_ns = status_due_ns();
  if (now_ns >= due_ns) return write_status(payload, room, now_ns);
  next_look_ns_ = std::min(due_ns, now_ns + status_interval_ns());
  return 0;
}

// A full hold takes nothing but what unlocks it: the first run of what is missing.
uint64_t StreamReceiver::askable_end(const Stream& stream) const {
  if (may_keep(stream)) return stream.window.end();
  uint64_t end = stream.window.next();
  stream.window.for_each_missing(end, [&](uint64_t at) { return at == end && ++end != 0; });
  return end;
}

// Is anything of the stream to be asked for now? If not, it is noted when.
bool StreamReceiver::any_due(Stream& stream, uint64_t askable, uint64_t now_ns) {
  bool due = false;
  uint64_t next_due_ns = GapTimers::kNever;
  stream.window.for_each_missing(stream.window.next(), [&](uint64_t at) {
    if (at >= askable) {
      next_due_ns = std::min(next_due_ns, now_ns + stream.round_trip.smoothed_ns());
      return false;
    }
    if (stream.skipped.has(at)) return true;
    if (stream.gaps.due(at, now_ns) && !stream.gaps.asked_for(at))
      stream.gaps.put_off(at, first_ask_ns(stream, at, stream.gaps.revealed_ns(at)));
    due = due || stream.gaps.due(at, now_ns);
    next_due_ns = std::min(next_due_ns, stream.gaps.due_ns(at));
    return !due;
  });
  if (!due) stream.gaps.set_next_due_ns(next_due_ns);
  return due;
}

// All gaps of the stream that are due, as runs. 0: none is. Where losses are so dense that another
// one went just before, it takes the round of statuses along that would go soon, if the whole of it
// fits: one frame costs everybody less than two. A loss now and then is asked for without.
size_t StreamReceiver::write_nack(Stream& stream, uint8_t* payload, size_t room, uint64_t now_ns) {
  const uint64_t retry_ns = stream.round_trip.retry_ns();
  // What may be asked along: its answer is overdue, if only just.
  const uint64_t along_ns = stream.round_trip.smoothed_ns() * 3 / 2;
  const size_t most_runs = (room - wire::kNackHeaderBytes) / wire::kNackRunBytes;
  constexpr uint64_t kMostInRun = 0xffff;
  const uint64_t askable = askable_end(stream);
  if (!any_due(stream, askable, now_ns)) return 0;
  size_t runs = 0;
  wire::NackRun run;
  uint64_t first = 0;  // of the first run
  uint64_t end = 0;    // behind the run so far
  uint64_t next_due_ns = GapTimers::kNever;
  const auto peer = static_cast<uint16_t>(index_of(stream));
  const auto store = [&] {
    wire::store_nack_run(run, payload + wire::kNackHeaderBytes + runs++ * wire::kNackRunBytes);
  };
  stream.window.for_each_missing(stream.window.next(), [&](uint64_t at) {
    if (at >= askable) {
      next_due_ns = now_ns;
      return false;
    }
    if (stream.skipped.has(at)) return true;
    if (!stream.gaps.worth_asking(at, now_ns, along_ns)) {
      next_due_ns = std::min(next_due_ns, stream.gaps.due_ns(at));
      return true;
    }
    if (run.missing == 0) {
      first = end = at;
    } else if (at != end || run.missing == kMostInRun) {
      if (runs + 1 == most_runs || at - end > kMostInRun) {
        next_due_ns = now_ns;  // in the next frame, a round trip later
        return false;
      }
      store();
      run = {static_cast<uint16_t>(at - end), 0};
    }
    ++run.missing;
    end = at + 1;
    stream.gaps.asked(at, now_ns, retry_ns);
    next_due_ns = std::min(next_due_ns, stream.gaps.due_ns(at));
    trace_.add(RepairStep::kAsked, now_ns, peer, at);
    return true;
  });
  store();
  stream.gaps.set_next_due_ns(next_due_ns);
  const uint64_t last_nack_ns = std::exchange(stream.last_nack_ns, now_ns);
  ++stream.totals.nacks_sent;
  ++counters_.nacks_sent;
  wire::ControlHeader header = header_of(wire::ControlKind::kNack, runs);
  size_t bytes = wire::behind_nack_runs(header);
  const uint64_t interval_ns = status_interval_ns();
  if (statuses_left_ == 0 && now_ns < last_nack_ns + 2 * interval_ns &&
      now_ns >= last_status_ns_ + interval_ns / 2 &&
      bytes + known_.size() * wire::kMaxStatusEntryBytes <= room) {
    begin_statuses(now_ns);
    header.statuses = static_cast<uint16_t>(store_statuses(payload, bytes, room, now_ns));
  }
  wire::store_control_header(header, payload);
  wire::store_nack(stream.name, first, payload);
  return bytes;
}

// What is urgent goes at the pace of statuses. Progress can wait: until it is an eighth of the
// window that was told of, or of what may be in flight, which keeps both open, or for a quarter of
// the longest silence.
uint64_t StreamReceiver::status_due_ns() const {
  const uint64_t interval_ns = status_interval_ns();
  if (urgent_) return last_status_ns_ + interval_ns;
  uint64_t wait_ns = quiet_status_ns_;
  for (const uint16_t peer : known_) {
    const Stream& stream = streams_[peer];
    if (!stream.progressed) continue;
    if (progress_of(stream) - stream.progress_told >= stream.progress_worth ||
        stream.window.end() - stream.heard_told >= progress_pkts_)
      return last_status_ns_ + interval_ns;
    wait_ns = std::min(wait_ns, progress_ns_);
  }
  return last_status_ns_ + std::max(wait_ns, interval_ns);
}

wire::StatusEntry StreamReceiver::status_of(Stream& stream, uint64_t now_ns) {
  wire::StatusEntry entry;
  entry.stream = stream.name;
  entry.echo_timestamp_ns = stream.echo_timestamp_ns;
  entry.echo_delay_ns =
      static_cast<uint32_t>(std::min<uint64_t>(now_ns - stream.echo_heard_ns, ~uint32_t{0}));
  if (stream.state == State::kOpen) {
    entry.contiguous = stream.window.next() - 1;
    entry.room = std::min(stream.window.room(), hold_share());
    const uint64_t behind = stream.limit > entry.contiguous ? stream.limit - entry.contiguous : 0;
    entry.room = static_cast<uint32_t>(std::min<uint64_t>(entry.room, behind));
    entry.heard_of = stream.window.end() - 1;
    stream.loss_runs.tell(entry);
  } else {
    entry.flags = wire::kStatusJoining;
  }
  return entry;
}

// A round of statuses names every peer once, in as many frames as that takes.
void StreamReceiver::begin_statuses(uint64_t now_ns) {
  const bool progressed = std::any_of(known_.begin(), known_.end(),
                                      [&](uint16_t peer) { return streams_[peer].progressed; });
  quiet_status_ns_ = urgent_      ? status_interval_ns()
                     : progressed ? std::max(progress_ns_, status_interval_ns())
                                  : std::min(2 * quiet_status_ns_, config_.status_max_ns);
  statuses_left_ = known_.size();
  last_status_ns_ = now_ns;
  urgent_ = false;
}

// Of the round, what fits behind the `bytes` that are there. Returns how many entries.
size_t StreamReceiver::store_statuses(uint8_t* payload, size_t& bytes, size_t room,
                                      uint64_t now_ns) {
  size_t entries = 0;
  while (statuses_left_ != 0 && bytes + wire::kMaxStatusEntryBytes <= room) {
    Stream& stream = streams_[known_[next_status_peer_++ % known_.size()]];
    --statuses_left_;
    stream.progressed = stream.urgent = false;
    if (!present(stream) || stream.state == State::kClosing) continue;
    const wire::StatusEntry entry = status_of(stream, now_ns);
    bytes += wire::store_status_entry(entry, payload + bytes);
    stream.progress_told = progress_of(stream);
    stream.heard_told = stream.window.end();
    stream.progress_worth = std::clamp<uint64_t>(3 * entry.room / 8, 3, 3 * progress_pkts_);
    ++entries;
    urgent_ = urgent_ || stream.loss_runs.pending();
  }
  return entries;
}

size_t StreamReceiver::write_status(uint8_t* payload, size_t room, uint64_t now_ns) {
  if (statuses_left_ == 0) begin_statuses(now_ns);
  size_t bytes = wire::kControlHeaderBytes;
  const size_t entries = store_statuses(payload, bytes, room, now_ns);
  if (entries == 0) return 0;
  wire::store_control_header(header_of(wire::ControlKind::kStatus, entries), payload);
  ++counters_.statuses_sent;
  return bytes;
}

uint64_t StreamReceiver::next_deadline_ns() const {
  if (leaving_) return next_tick_ns_;
  uint64_t next_ns = std::min(next_tick_ns_, next_nack_ns_);
  if (statuses_left_ != 0) return 0;
  if (known_.empty()) return next_ns;
  return std::min(next_ns, std::max(status_due_ns(), urgent_ ? 0 : next_look_ns_));
}

}  // namespace lambdacast::reliability
