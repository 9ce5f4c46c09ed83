// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/stream_lifecycle.h"

namespace lambdacast::reliability {

StreamLifecycle::StreamLifecycle(const ReliabilityConfig& config, PeerStreams& streams,
                                 Backlog& backlog, NackScheduler& nacks, StatusReporter& statuses)
    : streams_(streams),
      backlog_(backlog),
      nacks_(nacks),
      statuses_(statuses),
      self_(config.self),
      repair_deadline_ns_(config.repair_deadline_ns),
      peers_(config.max_peers),
      totals_(config.max_peers) {}

// --- what is heard of the sender -----------------------------------------------------------------

void StreamLifecycle::note_sent(size_t peer, uint64_t position) {
  Peer& mine = peers_[peer];
  if (position <= wire::kMaxPosition) mine.last_sent = std::max(mine.last_sent, position);
}

void StreamLifecycle::reveal(size_t peer, uint64_t position, uint64_t now_ns) {
  Peer& mine = peers_[peer];
  ReceiveWindow& window = streams_[peer].window;
  // Positions that the window has no room for are revealed as it moves on, or lost with the sender.
  if (position <= wire::kMaxPosition) mine.last_sent = std::max(mine.last_sent, position);
  const uint64_t from = window.reveal(position);
  if (from < window.end()) note_missing(peer, from, window.end(), now_ns);
}

// --- the life of a stream ------------------------------------------------------------------------

bool StreamLifecycle::hear_incarnation(size_t peer, uint32_t incarnation) {
  PeerStream& stream = streams_[peer];
  Peer& mine = peers_[peer];
  if (stream.state == StreamState::kUnheard) {
    stream.name.incarnation = incarnation;
    stream.state = StreamState::kJoining;
    statuses_.urge();
    return true;
  }
  if (incarnation == stream.name.incarnation) return !mine.restarts;
  if (stream.member) return false;  // the view has to end first
  const uint32_t newest = mine.restarts ? mine.next_incarnation : stream.name.incarnation;
  // An endpoint whose clock was set back returns with an older number. It is heard once the newer
  // incarnation has been silent for suspect_after: then nothing of that is on its way any more.
  const bool older = static_cast<int32_t>(incarnation - newest) < 0;
  if (older && (mine.restarts || !streams_.silent(stream))) return false;
  if (incarnation != newest) mine.came_back = older;  // else it waits for the end of the one before
  mine.restarts = true;
  mine.next_incarnation = incarnation;
  mine.welcomed = false;  // by the incarnation that is over
  if (stream.state == StreamState::kOpen) {
    close(peer, LossReason::kSenderGone);
  } else if (owes_the_rest(peer)) {
    tell_the_rest(peer);
  } else if (stream.state == StreamState::kJoining) {
    settle(peer);
  }
  return true;
}

// Evicted, and admitted anew perhaps without hearing of it?
bool StreamLifecycle::owes_the_rest(size_t peer) const {
  const Peer& mine = peers_[peer];
  return streams_[peer].state == StreamState::kJoining && mine.resumes &&
         mine.last_sent >= mine.resume_at;
}

// drain() tells what is left.
void StreamLifecycle::tell_the_rest(size_t peer) {
  streams_[peer].window.open(peers_[peer].resume_at);
  streams_[peer].state = StreamState::kClosing;
  peers_[peer].closed_for = LossReason::kSenderGone;
  backlog_.add(peer);
}

void StreamLifecycle::begin(size_t peer, const Gap& skipped, uint64_t now_ns) {
  PeerStream& stream = streams_[peer];
  Peer& mine = peers_[peer];
  const uint64_t at = mine.resumes ? std::max(mine.welcome_at, mine.resume_at) : mine.welcome_at;
  count_loss(peer, mine.closed_for, skipped.count);
  totals_[peer].opened_at = at;
  stream.window.open(at);
  nacks_.reset(peer);
  stream.state = StreamState::kOpen;
  mine.resumes = mine.welcomed = false;
  mine.readmitted_at = 0;
  totals_[peer].refused_path_mtu = 0;
  mine.closed_for = LossReason::kNone;
  statuses_.urge();
  if (mine.last_sent >= at) reveal(peer, mine.last_sent, now_ns);
}

StreamLifecycle::Gap StreamLifecycle::skipped_by_welcome(size_t peer) const {
  const Peer& mine = peers_[peer];
  if (!mine.resumes || mine.welcome_at <= mine.resume_at) return {};
  return {mine.resume_at, mine.welcome_at - mine.resume_at, mine.closed_for};
}

void StreamLifecycle::close(size_t peer, LossReason reason) {
  PeerStream& stream = streams_[peer];
  if (stream.state != StreamState::kOpen || leaving_) return;
  declare_before(peer, stream.window.end(), reason);
  stream.state = StreamState::kClosing;
  stream.abandoned = false;
  peers_[peer].closed_for = reason;
  if (reason == LossReason::kEvicted) count_eviction(peer);
  if (stream.window.backlog() || tail(peer).count != 0) {
    backlog_.add(peer);
  } else {
    settle(peer);
  }
}

StreamLifecycle::Gap StreamLifecycle::tail(size_t peer) const {
  const Peer& mine = peers_[peer];
  const uint64_t end = streams_[peer].window.end();
  if (mine.closed_for != LossReason::kSenderGone || mine.last_sent < end) return {};
  return {end, mine.last_sent - end + 1, mine.closed_for};
}

void StreamLifecycle::end(size_t peer, const Gap& tail) {
  count_loss(peer, peers_[peer].closed_for, tail.count);
  settle(peer);
}

void StreamLifecycle::settle(size_t peer) {
  PeerStream& stream = streams_[peer];
  Peer& mine = peers_[peer];
  mine.resumes = !mine.restarts && (stream.state == StreamState::kClosing || mine.resumes);
  if (stream.state == StreamState::kClosing)
    mine.resume_at = stream.window.end() + tail(peer).count;
  if (mine.restarts) {
    stream.name.incarnation = mine.next_incarnation;
    stream.heard_timestamp_ns = 0;
    stream.left = false;
    mine.restarts = false;
    mine.oldest_retained = 0;
    mine.last_sent = 0;
    mine.verdicts_from_ns = 0;
    statuses_.restart(peer);
  }
  stream.state = StreamState::kJoining;
  statuses_.urge();
}

// --- places that are used again ------------------------------------------------------------------

bool StreamLifecycle::settled(size_t peer) const {
  const PeerStream& stream = streams_[peer];
  const Peer& mine = peers_[peer];
  if (leaving_ || mine.restarts || mine.welcomed) return false;
  switch (stream.state) {
    case StreamState::kUnheard:
      return true;
    case StreamState::kJoining:
      return !owes_the_rest(peer);
    case StreamState::kOpen:
      return stream.window.complete() && !stream.window.backlog() &&
             mine.last_sent < stream.window.end();
    case StreamState::kClosing:
      break;
  }
  return false;
}

void StreamLifecycle::conclude(size_t peer) {
  if (!leaving_ && !peers_[peer].welcomed && owes_the_rest(peer)) tell_the_rest(peer);
}

void StreamLifecycle::succeed(size_t peer, const wire::Gid& gid, uint32_t qpn) {
  PeerStream& stream = streams_[peer];
  streams_.introduce(peer, gid, qpn);
  stream.state = StreamState::kUnheard;
  stream.heard_timestamp_ns = 0;
  stream.left = false;
  stream.limit = ~uint64_t{0};
  peers_[peer] = Peer{};
  totals_[peer].refused_path_mtu = 0;
  nacks_.succeed(peer);
  statuses_.restart(peer);
}

// --- what is given up ----------------------------------------------------------------------------

void StreamLifecycle::declare_before(size_t peer, uint64_t position, LossReason reason) {
  if (leaving_) return;
  PeerStream& stream = streams_[peer];
  if (stream.state != StreamState::kOpen && stream.state != StreamState::kClosing) return;
  const uint64_t end = std::min(position, stream.window.end());
  if (end <= stream.window.next()) return;
  uint64_t lost = 0;
  stream.window.for_each_missing(stream.window.next(), [&](uint64_t at) {
    if (at >= end) return false;
    ++lost;
    nacks_.lost(peer, at, stream.heard_ns);
    return true;
  });
  if (lost == 0) return;
  count_loss(peer, reason, lost);
  stream.window.declare_lost_before(end, reason);
  streams_.note_progress(stream);
  note_backlog(peer);
}

// Declares lost what the sender does not have for us any more.
void StreamLifecycle::declare_gone(size_t peer) {
  const Peer& mine = peers_[peer];
  if (std::max(mine.readmitted_at, mine.oldest_retained) <= streams_[peer].window.next()) return;
  declare_before(peer, mine.readmitted_at, LossReason::kEvicted);
  declare_before(peer, mine.oldest_retained, LossReason::kOutsideRetention);
}

void StreamLifecycle::give_up_late(size_t peer, uint64_t now_ns) {
  PeerStream& stream = streams_[peer];
  bool any = false;
  stream.window.for_each_missing(stream.window.next(), [&](uint64_t at) {
    const uint64_t revealed_ns = nacks_.losses(peer).revealed_uptime_ns(at);
    if (streams_.uptime_ns() - revealed_ns < repair_deadline_ns_) return true;
    any = true;
    count_loss(peer, LossReason::kDeadline, 1);
    nacks_.lost(peer, at, now_ns);
    stream.window.declare_one_lost(at, LossReason::kDeadline);
    return true;
  });
  if (!any) return;
  streams_.note_progress(stream);
  note_backlog(peer);
}

void StreamLifecycle::lose_skipped(size_t peer, uint64_t through) {
  PeerStream& stream = streams_[peer];
  if (stream.state != StreamState::kOpen || !nacks_.skips_any(peer)) return;
  stream.window.for_each_missing(stream.window.next(), [&](uint64_t at) {
    if (at > through) return false;
    if (!nacks_.losses(peer).skips(at)) return true;
    stream.abandoned = true;
    count_loss(peer, LossReason::kSenderGone, 1);
    nacks_.forget(peer, at);
    stream.window.declare_one_lost(at, LossReason::kSenderGone);
    return true;
  });
  note_backlog(peer);
}

// --- membership ----------------------------------------------------------------------------------

void StreamLifecycle::expel(size_t peer) {
  PeerStream& stream = streams_[peer];
  if (!stream.member) return;  // another incarnation was
  stream.member = false;
  stream.limit = ~uint64_t{0};
  close(peer, LossReason::kSenderGone);
}

// --- control -------------------------------------------------------------------------------------

void StreamLifecycle::take_heartbeat(size_t peer, const uint8_t* payload,
                                     const wire::ControlHeader& header, uint64_t now_ns) {
  PeerStream& stream = streams_[peer];
  Peer& mine = peers_[peer];
  const wire::Heartbeat heartbeat = wire::load_heartbeat(payload);
  mine.oldest_retained = std::max(mine.oldest_retained, heartbeat.oldest_retained);
  mine.last_sent = std::max(mine.last_sent, heartbeat.last_sent);
  totals_[peer].lost_by_all = heartbeat.lost_by_all;
  // A heartbeat that comes twice or late says nothing new about us.
  for (size_t i = 0; i < header.entries && header.timestamp_ns >= mine.verdicts_from_ns; ++i) {
    const wire::VerdictEntry entry = wire::load_verdict(payload, i);
    if (entry.receiver != self_) continue;
    mine.verdicts_from_ns = header.timestamp_ns + 1;
    take_verdict(peer, entry, now_ns);
  }
  if (stream.state == StreamState::kOpen) {
    if (heartbeat.last_sent >= stream.window.end()) reveal(peer, heartbeat.last_sent, now_ns);
    declare_gone(peer);
  } else {
    note_sent(peer, heartbeat.last_sent);
  }
  if ((header.flags & wire::kHeartbeatReport) != 0) statuses_.urge();
  if ((header.flags & wire::kHeartbeatEnd) != 0 && !stream.member) stream.left = true;
}

void StreamLifecycle::take_verdict(size_t peer, const wire::VerdictEntry& entry, uint64_t now_ns) {
  if (leaving_) return;
  const PeerStream& stream = streams_[peer];
  Peer& mine = peers_[peer];
  if (entry.verdict != wire::Verdict::kWelcome) {
    if (stream.member) {
      if (entry.verdict == wire::Verdict::kRefused) note_refusal(peer, entry.path_mtu);
      // The view admits us to its stream. The sender has nothing any more of what it gave up
      // before.
      mine.readmitted_at = std::max(mine.readmitted_at, entry.open_at);
      return;
    }
    mine.welcomed = false;  // that welcome is over
    const bool refused = entry.verdict == wire::Verdict::kRefused;
    if (refused) note_refusal(peer, entry.path_mtu);
    close(peer, refused ? LossReason::kRefused : LossReason::kEvicted);
    return;
  }
  if (stream.state == StreamState::kOpen && entry.open_at > stream.window.next() &&
      entry.open_at > mine.readmitted_at) {
    // Evicted and admitted anew, on a status from before, and we heard of neither.
    mine.readmitted_at = entry.open_at;
    count_eviction(peer);
  }
  if (stream.state != StreamState::kJoining) return;
  mine.welcomed = true;
  mine.welcome_at = entry.open_at;
  if (skipped_by_welcome(peer).count != 0) {
    backlog_.add(peer);  // drain() tells of the gap and begins
  } else {
    begin(peer, {}, now_ns);
  }
}

void StreamLifecycle::note_refusal(size_t peer, uint16_t path_mtu) {
  if (totals_[peer].refused_path_mtu == 0) ++refusals_;
  totals_[peer].refused_path_mtu = path_mtu;
}

void StreamLifecycle::tick(uint64_t now_ns) {
  for (const uint16_t peer : streams_.known()) {
    const PeerStream& stream = streams_[peer];
    note_silence(peer);
    if (stream.state != StreamState::kOpen) continue;
    if (peers_[peer].last_sent >= stream.window.end()) reveal(peer, peers_[peer].last_sent, now_ns);
    if (stream.window.complete()) continue;
    declare_gone(peer);
    if (stream.member) continue;
    give_up_late(peer, now_ns);
    if (!stream.window.complete() && streams_.silent(stream)) close(peer, LossReason::kSenderGone);
  }
}

void StreamLifecycle::note_silence(size_t peer) {
  const PeerStream& stream = streams_[peer];
  const bool silent =
      stream.state != StreamState::kUnheard && !stream.left && streams_.silent(stream);
  if (silent && !peers_[peer].silent) ++totals_[peer].silences;
  peers_[peer].silent = silent;
}

void StreamLifecycle::report(size_t peer, ReceiverReport& report) const {
  const PeerStream& stream = streams_[peer];
  report = totals_[peer];
  report.known = stream.listed;
  report.open = stream.state == StreamState::kOpen;
  report.left = stream.left;
  report.contiguous = stream.window.next() == 0 ? 0 : stream.window.next() - 1;
  stream.window.for_each_missing(stream.window.next(), [&](uint64_t) {
    ++report.missing;
    return true;
  });
  report.kept = stream.window.kept();
  report.room = stream.window.room();
}

}  // namespace lambdacast::reliability
