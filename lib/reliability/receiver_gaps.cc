// What is missing: when to ask for it, when others ask instead, and when to give it up.
#include <algorithm>

#include "reliability/nack_backoff.h"
#include "reliability/stream_receiver.h"

namespace lambdacast::reliability {

void StreamReceiver::reveal(Stream& stream, uint64_t position, uint64_t now_ns) {
  // What the window has no room for is revealed as it moves on, or lost with its sender.
  if (position <= wire::kMaxPosition) stream.last_sent = std::max(stream.last_sent, position);
  const uint64_t from = stream.window.reveal(position);
  if (from < stream.window.end()) start_timers(stream, from, stream.window.end(), now_ns);
}

void StreamReceiver::start_timers(Stream& stream, uint64_t from, uint64_t to, uint64_t now_ns) {
  constexpr uint64_t kTraced = 16;  // of a long run, the first ones
  const uint64_t backoff_ns = random_backoff_ns(config_.nack_backoff_ns, known_.size(), random_());
  const auto peer = static_cast<uint16_t>(index_of(stream));
  uint64_t due_ns = 0;
  for (uint64_t at = from; at < to; ++at) {
    if (at == from || at % kAskerBlock == 0) due_ns = first_ask_ns(stream, at, now_ns) + backoff_ns;
    stream.gaps.reveal(at, now_ns, clock_.uptime_ns(), due_ns);
    next_nack_ns_ = std::min(next_nack_ns_, due_ns);
    if (at - from < kTraced) trace_.add(RepairStep::kMissed, now_ns, peer, at);
  }
  stream.loss_runs.add(from, to - from);
}

// At once, unless others were chosen to ask. They have the time that a NACK needs to get here; more
// if they had asked for something else just before and may not ask again for a round trip, which
// we may hear only after the gap was revealed.
uint64_t StreamReceiver::first_ask_ns(Stream& stream, uint64_t position, uint64_t revealed_ns) {
  const uint64_t at_once_ns = revealed_ns + config_.nack_delay_ns;
  if (known_.size() <= kFirstAskers) return at_once_ns;
  if (const uint64_t block = position / kAskerBlock; stream.asker_block != block) {
    stream.asker_block = block;
    choose_first_askers(stream, position);
  }
  if (stream.designated_nackers.include(asker_rank(own_hash_, stream.hash, position)))
    return at_once_ns;
  const uint64_t rtt_ns = stream.round_trip.smoothed_ns();
  const uint64_t wait_ns = listening_ns(rtt_ns, stream.round_trip.variation_ns());
  const uint64_t asked_ns = stream.designated_nackers.all_asked_ns(
      [&](uint16_t peer) { return stream.common_nack_ns[peer]; });
  const uint64_t free_ns = std::min(asked_ns, at_once_ns + wait_ns) + rtt_ns / 2;
  return std::max(at_once_ns, asked_ns == 0 ? 0 : free_ns) + wait_ns;
}

void StreamReceiver::choose_first_askers(Stream& stream, uint64_t position) {
  stream.designated_nackers.clear();
  for (const uint16_t peer : known_) {
    const Stream& other = streams_[peer];
    if (&other == &stream) continue;
    if (!present(other)) continue;
    stream.designated_nackers.consider(asker_rank(other.hash, stream.hash, position), peer);
  }
}

void StreamReceiver::declare_before(Stream& stream, uint64_t position, LossReason reason) {
  if (leaving_) return;
  if (stream.state != State::kOpen && stream.state != State::kClosing) return;
  const uint64_t end = std::min(position, stream.window.end());
  if (end <= stream.window.next()) return;
  uint64_t lost = 0;
  const auto peer = static_cast<uint16_t>(index_of(stream));
  stream.window.for_each_missing(stream.window.next(), [&](uint64_t at) {
    if (at >= end) return false;
    ++lost;
    stream.gaps.forget(at);
    trace_.add(RepairStep::kLost, stream.echo_heard_ns, peer, at);
    return true;
  });
  if (lost == 0) return;
  stream.totals.lost[static_cast<size_t>(reason)] += lost;
  stream.window.declare_lost_before(end, reason);
  stream.progressed = true;
  if (stream.window.backlog()) note_backlog(stream);
}

// What the sender does not have for us any more.
void StreamReceiver::declare_gone(Stream& stream) {
  declare_before(stream, stream.readmitted_at, LossReason::kEvicted);
  declare_before(stream, stream.oldest_retained, LossReason::kOutsideRetention);
}

void StreamReceiver::give_up_late(Stream& stream, uint64_t now_ns) {
  const auto peer = static_cast<uint16_t>(index_of(stream));
  bool any = false;
  stream.window.for_each_missing(stream.window.next(), [&](uint64_t at) {
    if (clock_.uptime_ns() - stream.gaps.revealed_uptime_ns(at) < config_.repair_deadline_ns)
      return true;
    any = true;
    ++stream.totals.lost[static_cast<size_t>(LossReason::kDeadline)];
    stream.gaps.forget(at);
    trace_.add(RepairStep::kLost, now_ns, peer, at);
    stream.window.declare_one_lost(at, LossReason::kDeadline);
    return true;
  });
  if (!any) return;
  stream.progressed = true;
  if (stream.window.backlog()) note_backlog(stream);
}

// --- of members that depart ----------------------------------------------------------------------

void StreamReceiver::skip(size_t peer, uint64_t first, uint64_t count) {
  Stream& stream = streams_[peer];
  if (stream.state != State::kOpen) return;
  const uint64_t end = std::min(first + count, stream.window.end());
  for (uint64_t at = std::max(first, stream.window.next()); at < end; ++at) {
    if (stream.window.missing(at)) stream.skipped.add(at, stream.window.next());
  }
}

std::optional<uint64_t> StreamReceiver::here_through(size_t peer) const {
  const Stream& stream = streams_[peer];
  if (stream.state != State::kOpen) return std::nullopt;
  uint64_t end = stream.window.end();
  stream.window.for_each_missing(stream.window.next(), [&](uint64_t at) {
    if (stream.skipped.has(at)) return true;
    end = at;
    return false;
  });
  return end - 1;
}

void StreamReceiver::lose_skipped(size_t peer, uint64_t through) {
  Stream& stream = streams_[peer];
  if (stream.state != State::kOpen || !stream.skipped.any()) return;
  stream.window.for_each_missing(stream.window.next(), [&](uint64_t at) {
    if (at > through) return false;
    if (!stream.skipped.has(at)) return true;
    ++stream.totals.lost[static_cast<size_t>(LossReason::kSenderGone)];
    stream.gaps.forget(at);
    stream.window.declare_one_lost(at, LossReason::kSenderGone);
    return true;
  });
  if (stream.window.backlog()) note_backlog(stream);
}

void StreamReceiver::reclaim_skipped(size_t peer) {
  Stream& stream = streams_[peer];
  if (!stream.skipped.any()) return;
  stream.skipped.clear();
  if (stream.state != State::kOpen || stream.window.complete()) return;
  stream.gaps.set_next_due_ns(0);
  next_nack_ns_ = 0;
}

bool StreamReceiver::take_nack(size_t asker, const uint8_t* payload,
                               const wire::ControlHeader& header, uint64_t now_ns) {
  const wire::StreamName about = wire::load_nack_stream(payload);
  if (about == config_.self) return true;
  Stream* stream = find(about);
  if (stream == nullptr || stream->state != State::kOpen) return false;
  ++stream->totals.nacks_heard;
  const RoundTrip& round_trip = stream->round_trip;
  const uint64_t retry_ns = round_trip.retry_ns();
  // Who is to ask again may have to wait a round trip since it asked for something else.
  const uint64_t wait_ns = round_trip.smoothed_ns() * 5 / 4;
  const auto peer = static_cast<uint16_t>(index_of(*stream));
  wire::for_each_nack_run(payload, header, [&](uint64_t first, uint64_t count) {
    const uint64_t end = std::min(first + count, stream->window.end());
    for (uint64_t at = std::max(first, stream->window.next()); at < end; ++at) {
      if (!stream->window.missing(at)) continue;
      stream->common_nack_ns[asker] = now_ns;
      if (stream->gaps.heard(at, now_ns, retry_ns, wait_ns)) ++stream->totals.nacks_suppressed;
      trace_.add(RepairStep::kHeard, now_ns, peer, at);
    }
  });
  return false;
}

}  // namespace lambdacast::reliability
