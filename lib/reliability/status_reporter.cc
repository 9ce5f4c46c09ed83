// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/status_reporter.h"

#include "reliability/control_header.h"

namespace lambdacast::reliability {

StatusReporter::StatusReporter(const ReliabilityConfig& config, PeerStreams& streams)
    : self_(config.self),
      status_ns_(config.status_ns),
      status_max_ns_(config.status_max_ns),
      path_mtu_(config.path_mtu),
      progress_ns_(std::min(config.status_max_ns, config.evict_lag_ns) / 4),
      progress_pkts_(std::min<uint64_t>({config.receive_window_pkts, config.transmit_window_pkts,
                                         config.in_flight_pkts}) /
                     8),
      streams_(streams),
      peers_(config.max_peers),
      quiet_status_ns_(config.status_ns) {}

void StatusReporter::restart(size_t peer) {
  Peer& mine = peers_[peer];
  mine.earlier_losses += mine.loss_runs.losses();
  mine.loss_runs = LossRuns();
}

size_t StatusReporter::next_status(uint8_t* payload, size_t room, uint64_t now_ns,
                                   uint32_t hold_share) {
  if (now_ns < next_speech_ns()) return 0;
  if (statuses_left_ != 0 || urgent_) return write(payload, room, now_ns, hold_share);
  streams_.clear_news();
  quiet_due_ns_ = due_ns();
  next_look_ns_ = now_ns + interval_ns();
  return now_ns >= quiet_due_ns_ ? write(payload, room, now_ns, hold_share) : 0;
}

uint16_t StatusReporter::append_round(uint8_t* payload, size_t& bytes, size_t room, uint64_t now_ns,
                                      uint64_t previous_ns, uint32_t hold_share) {
  const bool dense = now_ns < previous_ns + 2 * interval_ns();
  const bool soon = now_ns >= last_status_ns_ + interval_ns() / 2;
  const bool fits = bytes + streams_.known().size() * wire::kMaxStatusEntryBytes <= room;
  if (statuses_left_ != 0 || !dense || !soon || !fits) return 0;
  begin_round(now_ns);
  return static_cast<uint16_t>(store_entries(payload, bytes, room, now_ns, hold_share));
}

// Urgent matters go at the pace of statuses. Progress can wait until it is an eighth of the window
// that was told of, or of the packets that may be in flight, which keeps both open; or for a
// quarter of the longest silence.
uint64_t StatusReporter::due_ns() const {
  uint64_t wait_ns = quiet_status_ns_;
  for (const uint16_t peer : streams_.known()) {
    const PeerStream& stream = streams_[peer];
    if (!stream.progressed) continue;
    if (progress_of(stream) - peers_[peer].progress_told >= peers_[peer].progress_worth ||
        stream.window.end() - peers_[peer].heard_told >= progress_pkts_)
      return last_status_ns_ + interval_ns();
    wait_ns = std::min(wait_ns, progress_ns_);
  }
  return last_status_ns_ + std::max(wait_ns, interval_ns());
}

wire::StatusEntry StatusReporter::entry_of(const PeerStream& stream, LossRuns& loss_runs,
                                           uint64_t now_ns, uint32_t hold_share) {
  wire::StatusEntry entry;
  entry.stream = stream.name;
  entry.path_mtu = path_mtu_;
  entry.echo_timestamp_ns = stream.heard_timestamp_ns;
  entry.echo_delay_ns =
      static_cast<uint32_t>(std::min<uint64_t>(now_ns - stream.heard_ns, ~uint32_t{0}));
  if (stream.state != StreamState::kOpen) {
    entry.flags = wire::kStatusJoining;
    return entry;
  }
  entry.contiguous = stream.window.next() - 1;
  entry.room = std::min(stream.window.room(), hold_share);
  const uint64_t below_limit =
      stream.limit > entry.contiguous ? stream.limit - entry.contiguous : 0;
  entry.room = static_cast<uint32_t>(std::min<uint64_t>(entry.room, below_limit));
  entry.heard_of = stream.window.end() - 1;
  loss_runs.tell(entry);
  return entry;
}

void StatusReporter::begin_round(uint64_t now_ns) {
  const auto known = streams_.known();
  const bool progressed = std::any_of(known.begin(), known.end(),
                                      [&](uint16_t peer) { return streams_[peer].progressed; });
  quiet_status_ns_ = urgent_      ? interval_ns()
                     : progressed ? std::max(progress_ns_, interval_ns())
                                  : std::min(2 * quiet_status_ns_, status_max_ns_);
  statuses_left_ = known.size();
  last_status_ns_ = now_ns;
  quiet_due_ns_ = now_ns + std::max(quiet_status_ns_, interval_ns());
  next_look_ns_ = now_ns + interval_ns();
  urgent_ = false;
}

// Stores as many entries of the round as fit behind the `bytes` that are there; returns how many.
size_t StatusReporter::store_entries(uint8_t* payload, size_t& bytes, size_t room, uint64_t now_ns,
                                     uint32_t hold_share) {
  const auto known = streams_.known();
  size_t entries = 0;
  while (statuses_left_ != 0 && bytes + wire::kMaxStatusEntryBytes <= room) {
    const uint16_t peer = known[next_peer_++ % known.size()];
    PeerStream& stream = streams_[peer];
    --statuses_left_;
    stream.progressed = false;
    // Nor does a sender that the view leaves out hear of the positions behind those that were given
    // up: it would take the lost ones for delivered.
    if (!streams_.present(stream) || stream.state == StreamState::kClosing || stream.abandoned)
      continue;
    Peer& mine = peers_[peer];
    const wire::StatusEntry entry = entry_of(stream, mine.loss_runs, now_ns, hold_share);
    bytes += wire::store_status_entry(entry, payload + bytes);
    mine.progress_told = progress_of(stream);
    mine.heard_told = stream.window.end();
    mine.progress_worth = std::clamp<uint64_t>(3 * entry.room / 8, 3, 3 * progress_pkts_);
    ++entries;
    urgent_ = urgent_ || mine.loss_runs.pending();
  }
  return entries;
}

size_t StatusReporter::write(uint8_t* payload, size_t room, uint64_t now_ns, uint32_t hold_share) {
  if (statuses_left_ == 0) begin_round(now_ns);
  size_t bytes = wire::kControlHeaderBytes;
  const size_t entries = store_entries(payload, bytes, room, now_ns, hold_share);
  if (entries == 0) return 0;
  wire::store_control_header(control_header(self_, wire::ControlKind::kStatus, entries), payload);
  ++statuses_sent_;
  return bytes;
}

}  // namespace lambdacast::reliability
