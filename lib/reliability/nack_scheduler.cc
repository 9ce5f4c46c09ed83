// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/nack_scheduler.h"

#include "reliability/control_header.h"

namespace lambdacast::reliability {
namespace {

// Gathers ascending positions into the runs of a NACK.
class NackRuns {
 public:
  NackRuns(uint8_t* payload, size_t room)
      : payload_(payload), most_((room - wire::kNackHeaderBytes) / wire::kNackRunBytes) {}

  // False: the frame is full.
  bool add(uint64_t position) {
    if (run_.missing == 0) {
      first_ = end_ = position;
    } else if (position != end_ || run_.missing == kMostInRun) {
      if (runs_ + 1 == most_ || position - end_ > kMostInRun) return false;
      store();
      run_ = {static_cast<uint16_t>(position - end_), 0};
    }
    ++run_.missing;
    end_ = position + 1;
    return true;
  }
  // The number of runs.
  size_t finish() {
    store();
    return runs_;
  }
  [[nodiscard]] uint64_t first() const { return first_; }

 private:
  static constexpr uint64_t kMostInRun = 0xffff;
  void store() {
    wire::store_nack_run(run_, payload_ + wire::kNackHeaderBytes + runs_++ * wire::kNackRunBytes);
  }

  uint8_t* payload_;
  size_t most_;
  size_t runs_ = 0;
  wire::NackRun run_;
  uint64_t first_ = 0;
  uint64_t end_ = 0;
};

}  // namespace

NackScheduler::NackScheduler(const ReliabilityConfig& config, const PeerStreams& streams)
    : self_(config.self),
      streams_(streams),
      initial_rtt_ns_(config.initial_rtt_ns),
      delay_(config, streams),
      peers_(config.max_peers, Peer{.losses = LossDetector(config.receive_window_pkts),
                                    .round_trip = RoundTrip(config.initial_rtt_ns)}) {}

void NackScheduler::reveal(size_t peer, uint64_t from, uint64_t to, uint64_t now_ns) {
  constexpr uint64_t kTraced = 16;  // of a long run, the first ones
  Peer& mine = peers_[peer];
  const uint64_t backoff_ns = delay_.draw_backoff_ns();
  uint64_t due_ns = 0;
  for (uint64_t at = from; at < to; ++at) {
    if (at == from || at % kAskerBlock == 0)
      due_ns = delay_.first_ask_ns(peer, at, now_ns, mine.round_trip) + backoff_ns;
    mine.losses.reveal(at, now_ns, streams_.uptime_ns(), due_ns);
    next_ns_ = std::min(next_ns_, due_ns);
    if (at - from < kTraced)
      trace_.add(RepairStep::kMissed, now_ns, static_cast<uint16_t>(peer), at);
  }
}

void NackScheduler::handed_on(size_t peer, uint64_t position, uint64_t now_ns) {
  LossDetector& losses = peers_[peer].losses;
  repair_ns_.record(now_ns - losses.revealed_ns(position));
  trace_.add(RepairStep::kDelivered, now_ns, static_cast<uint16_t>(peer), position);
  losses.forget(position);
}

// --- of members that depart ----------------------------------------------------------------------

void NackScheduler::skip(size_t peer, uint64_t first, uint64_t count) {
  const PeerStream& stream = streams_[peer];
  if (stream.state != StreamState::kOpen) return;
  const uint64_t end = std::min(first + count, stream.window.end());
  for (uint64_t at = std::max(first, stream.window.next()); at < end; ++at) {
    if (stream.window.missing(at)) peers_[peer].losses.skip(at, stream.window.next());
  }
}

void NackScheduler::reclaim_skipped(size_t peer) {
  LossDetector& losses = peers_[peer].losses;
  if (!losses.skips_any()) return;
  losses.unskip();
  if (streams_[peer].state != StreamState::kOpen || streams_[peer].window.complete()) return;
  losses.hurry();
  next_ns_ = 0;
}

std::optional<uint64_t> NackScheduler::here_through(size_t peer) const {
  const PeerStream& stream = streams_[peer];
  if (stream.state != StreamState::kOpen) return std::nullopt;
  uint64_t end = stream.window.end();
  stream.window.for_each_missing(stream.window.next(), [&](uint64_t at) {
    if (peers_[peer].losses.skips(at)) return true;
    end = at;
    return false;
  });
  return end - 1;
}

// --- control -------------------------------------------------------------------------------------

void NackScheduler::take_nack(size_t asker, const wire::StreamName& about, const uint8_t* payload,
                              const wire::ControlHeader& header, uint64_t now_ns) {
  const std::optional<size_t> sender = streams_.find(about);
  if (!sender || streams_[*sender].state != StreamState::kOpen) return;
  const ReceiveWindow& window = streams_[*sender].window;
  Peer& mine = peers_[*sender];
  ++mine.nacks_heard;
  wire::for_each_nack_run(payload, header, [&](uint64_t first, uint64_t count) {
    const uint64_t end = std::min(first + count, window.end());
    for (uint64_t at = std::max(first, window.next()); at < end; ++at) {
      if (!window.missing(at)) continue;
      delay_.note_common_nack(*sender, asker, now_ns);
      if (mine.losses.hear_nack(at, now_ns, mine.round_trip)) ++mine.nacks_suppressed;
      trace_.add(RepairStep::kHeard, now_ns, static_cast<uint16_t>(*sender), at);
    }
  });
}

std::optional<NackScheduler::Nack> NackScheduler::look(uint8_t* payload, size_t room,
                                                       uint64_t now_ns, bool hold_full) {
  uint64_t earliest_ns = LossDetector::kNever;
  for (const uint16_t peer : streams_.known()) {
    const Peer& mine = peers_[peer];
    if (streams_[peer].state != StreamState::kOpen) continue;
    uint64_t scan_ns = mine.losses.next_scan_ns(mine.round_trip);
    if (scan_ns <= now_ns) {
      if (const auto nack = write(peer, payload, room, now_ns, hold_full)) return nack;
      scan_ns = mine.losses.next_scan_ns(mine.round_trip);
    }
    earliest_ns = std::min(earliest_ns, scan_ns);
  }
  next_ns_ = earliest_ns;
  return std::nullopt;
}

std::optional<NackScheduler::Nack> NackScheduler::write(size_t peer, uint8_t* payload, size_t room,
                                                        uint64_t now_ns, bool hold_full) {
  const PeerStream& stream = streams_[peer];
  const ReceiveWindow& window = stream.window;
  Peer& mine = peers_[peer];
  uint64_t end = window.end();
  // A full hold takes only the first run of missing positions, which unlocks it. A departing
  // member's stream with skipped positions is needed for the next view, and taken all the same.
  if (hold_full && !mine.losses.skips_any()) {
    end = window.next();
    window.for_each_missing(end, [&](uint64_t at) { return at == end && ++end != 0; });
  }
  NackRuns runs(payload, room);
  const uint64_t previous_ns = mine.losses.asked_ns();
  const bool asked = mine.losses.scan(
      window, window.next(), end, now_ns, mine.round_trip,
      [&](uint64_t at, uint64_t revealed_ns) {
        return delay_.first_ask_ns(peer, at, revealed_ns, mine.round_trip);
      },
      [&](uint64_t at) {
        if (!runs.add(at)) return false;
        trace_.add(RepairStep::kAsked, now_ns, static_cast<uint16_t>(peer), at);
        return true;
      });
  if (!asked) return std::nullopt;
  ++mine.nacks_sent;
  ++nacks_sent_;
  const auto header = control_header(self_, wire::ControlKind::kNack, runs.finish());
  wire::store_control_header(header, payload);
  wire::store_nack(stream.name, runs.first(), payload);
  return Nack{header, wire::behind_nack_runs(header), previous_ns};
}

void NackScheduler::report(size_t peer, ReceiverReport& report) const {
  const Peer& mine = peers_[peer];
  report.repaired = mine.repaired;
  report.nacks_sent = mine.nacks_sent;
  report.nacks_heard = mine.nacks_heard;
  report.nacks_suppressed = mine.nacks_suppressed;
  report.rtt_ns = mine.round_trip.smoothed_ns();
  report.rtt_variation_ns = mine.round_trip.variation_ns();
  report.rtt_samples = mine.round_trip.samples();
}

}  // namespace lambdacast::reliability
