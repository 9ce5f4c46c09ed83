// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/stream_sender.h"

#include <algorithm>

#include "reliability/control_header.h"

namespace lambdacast::reliability {

StreamSender::StreamSender(const ReliabilityConfig& config)
    : config_(config),
      clock_(config.heartbeat_max_ns),
      window_(config.transmit_window_pkts, config.transmit_window_bytes, config.first_rel_seq),
      receivers_(config.max_peers, config.initial_rtt_ns, config.in_flight_pkts),
      inflight_limit_(config.in_flight_pkts),
      repairs_(config.transmit_window_pkts, config.repair_share_percent),
      heartbeats_(config.heartbeat_max_ns, config.status_ns) {}

void StreamSender::accept_control(size_t peer, const uint8_t* payload,
                                  const wire::ControlHeader& header, uint64_t now_ns,
                                  const wire::Gid& gid) {
  ReceiverState& receiver = receivers_.at(peer);
  const wire::StreamName name{gid, header.data_qpn, header.incarnation};
  if (receiver.known && receiver.name != name) {
    // Another incarnation of the receiver: the old one wants nothing any more. An older number is a
    // frame that comes late, or, behind a silence, one whose clock was set back.
    const bool silent = clock_.uptime_ns() - receiver.heard_uptime_ns > config_.suspect_after_ns;
    if (static_cast<int32_t>(header.incarnation - receiver.name.incarnation) < 0 && !silent) return;
    if (receiver.member) return;  // the view has to end first
    if (receiver.admitted) {
      tell(ReceiverEvent::What::kRestarted, peer, receiver.contiguous, now_ns);
      receivers_.remove(peer);
    }
    receiver.begin_life();
  }
  if (receiver.left) return;
  receiver.known = true;
  receiver.name = name;
  receiver.heard_uptime_ns = clock_.uptime_ns();
  if (header.kind == wire::ControlKind::kHeartbeat) {
    if ((header.flags & wire::kHeartbeatEnd) == 0) return;
    receiver.ended = true;
    if (!receiver.member) leave(peer, now_ns);
    return;
  }
  if (header.kind == wire::ControlKind::kNack && wire::load_nack_stream(payload) == config_.self) {
    take_nack(peer, payload, header, now_ns);
  }
  size_t at = wire::find_status_entry(payload, header, config_.self);
  if (at != 0) take_status(peer, wire::load_status_entry(payload, at), now_ns);
}

// The first position that the receiver is to have; of one that hears the stream, the next that it
// needs.
uint64_t StreamSender::opening(const ReceiverState& receiver) const {
  if (receiver.admitted || receiver.trial.on()) return receiver.contiguous + 1;
  return config_.late_join == LateJoin::kNow ? window_.end() : window_.oldest();
}

void StreamSender::take_status(size_t peer, const wire::StatusEntry& entry, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  receiver.round_trip.sample_echo(entry, now_ns);
  if (entry.path_mtu != 0) receiver.path_mtu = entry.path_mtu;
  if (!takes_all(receiver)) return refuse(peer, now_ns);
  if ((entry.flags & wire::kStatusJoining) != 0) {
    if (!receiver.admitted && !receiver.trial.on()) welcome(peer, now_ns);
    receiver.verdict = wire::Verdict::kWelcome;
    owe_verdict(receiver);
    return;
  }
  if (receiver.trial.on()) return judge_trial(peer, entry, now_ns);
  if (!receiver.admitted) {
    if (receiver.verdict == wire::Verdict::kWelcome)
      receiver.verdict = wire::Verdict::kEvictedSilent;
    owe_verdict(receiver);
    return;
  }
  if (entry.contiguous > window_.last()) return;  // of what was never sent: nonsense
  receiver.first_losses = entry.first_losses;
  for (size_t i = 0; i < entry.runs; ++i) {
    const uint64_t end = std::min(entry.run[i].first + entry.run[i].count, window_.end());
    for (uint64_t at = std::max(entry.run[i].first, window_.oldest()); at < end; ++at) {
      window_.note_missed(at, peer);
    }
  }
  const uint64_t left = allowance();
  receivers_.progress(peer, entry.contiguous, entry.room, entry.heard_of);
  adjust_flight(left, now_ns);
}

bool StreamSender::takes_all(const ReceiverState& receiver) const {
  return receiver.path_mtu == 0 ||
         longest_frame_ <= receiver.path_mtu + config_.frame_overhead_bytes;
}

// One that cannot take packets as long as these would ask for them for ever. A member is accused,
// and its view ends.
void StreamSender::refuse(size_t peer, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  if (receiver.verdict != wire::Verdict::kRefused) {
    ++counters_.refused;
    tell(ReceiverEvent::What::kRefused, peer, receiver.contiguous, now_ns);
  }
  receiver.verdict = wire::Verdict::kRefused;
  receiver.trial.end();
  owe_verdict(receiver);
  if (receiver.member) {
    if (peer < base::NodeSet::kCapacity) proposed_.add(peer);
  } else if (receiver.admitted) {
    receivers_.remove(peer);
  }
}

void StreamSender::refuse_shorter(uint64_t now_ns) {
  for (size_t peer = 0; peer < receivers_.max_peers(); ++peer) {
    const ReceiverState& receiver = receivers_.at(peer);
    if ((receiver.admitted || receiver.trial.on()) && !takes_all(receiver)) refuse(peer, now_ns);
  }
}

void StreamSender::welcome(size_t peer, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  if (!receiver.trial.due())
    return admit(peer, opening(receiver) - 1, config_.receive_window_pkts / 2, now_ns);
  receiver.contiguous = window_.last();
  receiver.trial.begin();
  ++counters_.trials;
  tell(ReceiverEvent::What::kOnTrial, peer, receiver.contiguous + 1, now_ns);
}

void StreamSender::admit(size_t peer, uint64_t contiguous, uint64_t room, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  ++counters_.admissions;
  receiver.trial.end();
  receivers_.admit(peer, contiguous, room);
  receiver.admitted_uptime_ns = clock_.uptime_ns();
  tell(ReceiverEvent::What::kJoined, peer, receiver.contiguous + 1, now_ns);
}

// What it missed while nobody waited for it may be gone: it is owed what is still retained.
void StreamSender::judge_trial(size_t peer, const wire::StatusEntry& entry, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  if (entry.contiguous < receiver.contiguous || entry.contiguous > window_.last()) return;
  receiver.contiguous = entry.contiguous;
  receiver.first_losses = entry.first_losses;
  const Trial::Status status{entry.contiguous, entry.room, entry.first_losses, window_.last()};
  if (!receiver.trial.passes(status, clock_.uptime_ns(), config_.evict_lag_ns,
                             config_.suspect_after_ns)) {
    return;
  }
  const uint64_t held = std::max(entry.contiguous, window_.oldest() - 1);
  const uint64_t end = entry.contiguous + entry.room;
  admit(peer, held, end - std::min(end, held), now_ns);
}

void StreamSender::adjust_flight(uint64_t left, uint64_t now_ns) {
  if (receivers_.heard_of() == Receivers::kUnlimited) return;
  const uint64_t turn_ns =
      status_interval_ns(config_.status_ns, receivers_.admitted()) + receivers_.least_rtt_ns();
  inflight_limit_.heard(receivers_.heard_of(), left, turn_ns, now_ns);
  receivers_.set_in_flight(inflight_limit_.packets());
}

void StreamSender::take_nack(size_t peer, const uint8_t* payload, const wire::ControlHeader& header,
                             uint64_t now_ns) {
  ++counters_.nacks;
  ReceiverState& receiver = receivers_.at(peer);
  ++receiver.nacks;
  // One that the network gives twice, or late, asks for nothing new.
  if (header.timestamp_ns <= receiver.nack_timestamp_ns) return;
  receiver.nack_timestamp_ns = header.timestamp_ns;
  bool gone = false;
  wire::for_each_nack_run(payload, header, [&](uint64_t first, uint64_t count) {
    counters_.requested += count;
    if (first < window_.oldest()) {
      const uint64_t late = std::min(count, window_.oldest() - first);
      counters_.too_late += late;
      gone = true;
    }
    const uint64_t end = std::min(first + count, window_.end());
    for (uint64_t at = std::max(first, window_.oldest()); at < end; ++at) request(peer, at, now_ns);
  });
  if (gone && pays_for(receiver)) heartbeats_.hurry();  // it says what is retained
}

// Repairs and heartbeats for a receiver on trial take a small part of the stream at most.
bool StreamSender::pays_for(const ReceiverState& receiver) {
  return !receiver.trial.on() || trial_frames_.spend();
}

void StreamSender::request(size_t peer, uint64_t position, uint64_t now_ns) {
  TransmitWindow::Slot& slot = window_.at(position);
  if (!slot.queued && slot.repaired_ns == 0)
    trace_.add(RepairStep::kSent, slot.sent_ns, 0, position);
  window_.note_missed(position, peer);
  trace_.add(RepairStep::kNackTaken, now_ns, static_cast<uint16_t>(peer), position);
  if (slot.queued) {
    ++counters_.joined;
    return;
  }
  // The repair under way had to reach the asker, and this NACK us. One that left at the very moment
  // when the repair came did not know of it.
  const RoundTrip& round_trip = receivers_.at(peer).round_trip;
  const uint64_t once_ns = round_trip.smoothed_ns() + round_trip.variation_ns();
  if (slot.repaired_ns != 0 &&
      now_ns - slot.repaired_ns <=
          hold_off_ns(slot.repairs, once_ns, config_.suspect_after_ns / 4)) {
    ++counters_.held_off;
    trace_.add(RepairStep::kHeldOff, now_ns, static_cast<uint16_t>(peer), position);
    return;
  }
  if (!pays_for(receivers_.at(peer))) return;
  slot.queued = true;
  slot.asker = static_cast<uint16_t>(peer);
  repairs_.push(position);
}

uint64_t StreamSender::retained_bytes(size_t peer) const {
  const ReceiverState& receiver = receivers_.at(peer);
  if (!receiver.admitted) return 0;
  uint64_t bytes = 0;
  for (uint64_t at = std::max(receiver.contiguous + 1, window_.oldest()); at < window_.end();
       ++at) {
    bytes += window_.at(at).frame_bytes;
  }
  return bytes;
}

std::optional<StreamSender::Repair> StreamSender::next_repair(bool data_waits) {
  while (!repairs_.empty() && repairs_.may_send(data_waits)) {
    const uint64_t position = repairs_.front();
    repairs_.pop();
    if (!window_.retains(position)) continue;  // stable meanwhile
    TransmitWindow::Slot& slot = window_.at(position);
    if (!slot.queued) continue;
    slot.queued = false;
    return Repair{position, slot.packet};
  }
  return std::nullopt;
}

void StreamSender::repaired(uint64_t position, uint64_t now_ns) {
  TransmitWindow::Slot& slot = window_.at(position);
  slot.repaired_ns = now_ns;
  if (slot.repairs != ~uint8_t{0}) ++slot.repairs;
  ++receivers_.at(slot.asker).repairs;
  repairs_.sent_repair();
  ++counters_.repairs;
  trace_.add(RepairStep::kRepaired, now_ns, 0, position);
}

void StreamSender::postpone(uint64_t position) {
  window_.at(position).queued = true;
  repairs_.push(position);
}

void StreamSender::place_loss(const base::NodeSet& missed_by) {
  const base::NodeSet& all = receivers_.admitted_set();
  if (all.count() > 1 && all.within(missed_by)) {
    ++counters_.lost_by_all;
    return;
  }
  ++counters_.lost_by_some;
  (missed_by & all).for_each([&](size_t peer) { ++receivers_.at(peer).missed_alone; });
}

void StreamSender::evict(size_t peer, wire::Verdict verdict, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  if (receiver.member) {  // whether it is silent is membership's to say
    const bool has_place = peer < base::NodeSet::kCapacity;
    if (verdict == wire::Verdict::kEvictedLag && has_place) proposed_.add(peer);
    return;
  }
  const bool silent = verdict == wire::Verdict::kEvictedSilent;
  ++(silent ? counters_.evicted_silent : counters_.evicted_lag);
  ++receiver.evictions;
  tell(silent ? ReceiverEvent::What::kEvictedSilent : ReceiverEvent::What::kEvictedLag, peer,
       receiver.contiguous, now_ns);
  receiver.verdict = verdict;
  if (!silent) {
    const uint64_t stayed_ns = clock_.uptime_ns() - receiver.admitted_uptime_ns;
    receiver.trial.note_cut_off(stayed_ns, 2 * config_.suspect_after_ns);
  }
  receivers_.remove(peer);
  owe_verdict(receiver);
}

void StreamSender::enlist(size_t peer, const wire::StreamName& name, uint64_t held,
                          uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  if (receiver.known && receiver.name != name) return;  // that incarnation is over
  receiver.member = true;
  if (receiver.admitted || !receiver.known || receiver.left) return;
  receiver.heard_uptime_ns = clock_.uptime_ns();
  receiver.verdict = wire::Verdict::kWelcome;
  receiver.verdict_due = false;
  admit(peer, std::max(held, window_.oldest() - 1), config_.receive_window_pkts / 2, now_ns);
}

void StreamSender::discharge(size_t peer, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  receiver.member = false;
  if (receiver.ended) leave(peer, now_ns);
}

void StreamSender::expel(size_t peer, const wire::StreamName& name, uint64_t now_ns) {
  discharge(peer, now_ns);
  const ReceiverState& receiver = receivers_.at(peer);
  if (receiver.admitted && receiver.name == name)
    evict(peer, wire::Verdict::kEvictedSilent, now_ns);
}

void StreamSender::cut_off_silent(uint64_t now_ns) {
  for (size_t i = receivers_.admitted(); i-- > 0;) {
    const size_t peer = receivers_.admitted_peer(i);
    ReceiverState& receiver = receivers_.at(peer);
    if (clock_.uptime_ns() - receiver.heard_uptime_ns <= config_.suspect_after_ns) continue;
    receiver.member = false;
    evict(peer, wire::Verdict::kEvictedSilent, now_ns);
  }
}

// Its place is free, and nobody accuses it of silence.
void StreamSender::leave(size_t peer, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  receiver.left = true;
  receiver.verdict_due = false;
  receiver.verdict = wire::Verdict::kWelcome;
  receiver.trial.end();
  if (!receiver.admitted) return;
  ++counters_.left;
  tell(ReceiverEvent::What::kLeft, peer, receiver.contiguous, now_ns);
  receivers_.remove(peer);
}

void StreamSender::pass_time(uint64_t now_ns, bool listening) {
  listening_ = listening;
  if (listening)
    clock_.advance(now_ns);
  else
    clock_.skip(now_ns);
}

void StreamSender::check_receivers(uint64_t now_ns) {
  if (!listening_ || now_ns < next_tick_ns_) return;
  next_tick_ns_ = now_ns + config_.heartbeat_max_ns / 4;
  for (size_t i = receivers_.admitted(); i-- > 0;) {
    const size_t peer = receivers_.admitted_peer(i);
    const ReceiverState& receiver = receivers_.at(peer);
    if (clock_.uptime_ns() - receiver.heard_uptime_ns > config_.suspect_after_ns) {
      evict(peer, wire::Verdict::kEvictedSilent, now_ns);
      continue;
    }
    // Packets that have expired meanwhile are no excuse: it lacks retained ones as well.
    const uint64_t lacks = std::max(receiver.contiguous + 1, window_.oldest());
    if (config_.slow_receiver != SlowReceiver::kEvict || !window_.retains(lacks)) continue;
    const uint64_t since_ns =
        std::max(window_.at(lacks).sent_uptime_ns, receiver.admitted_uptime_ns);
    if (clock_.uptime_ns() - since_ns > config_.evict_lag_ns)
      evict(peer, wire::Verdict::kEvictedLag, now_ns);
  }
  check_trials();
}

// One that is silent has to ask to join again, as any other.
void StreamSender::check_trials() {
  if (counters_.trials == 0) return;
  for (size_t peer = 0; peer < receivers_.max_peers(); ++peer) {
    ReceiverState& receiver = receivers_.at(peer);
    if (!receiver.trial.on()) continue;
    if (clock_.uptime_ns() - receiver.heard_uptime_ns <= config_.suspect_after_ns) continue;
    receiver.trial.end();
    receiver.verdict = wire::Verdict::kEvictedSilent;
    owe_verdict(receiver);
  }
}

void StreamSender::owe_verdict(ReceiverState& receiver) {
  verdicts_.owe(receiver);
  heartbeats_.hurry();
}

size_t StreamSender::next_control(uint8_t* payload, size_t room, uint64_t next_frame_seq,
                                  uint64_t now_ns) {
  if (!heartbeats_.due(now_ns)) return 0;
  wire::ControlHeader header = control_header(config_.self, wire::ControlKind::kHeartbeat, 0);
  if (finished_) header.flags |= wire::kHeartbeatEnd;
  if (presses()) header.flags |= wire::kHeartbeatReport;
  uint64_t oldest = window_.oldest();
  const size_t bytes =
      verdicts_.write(receivers_, config_.path_mtu, payload, room, header, oldest,
                      [&](const ReceiverState& receiver) { return opening(receiver); });
  wire::store_control_header(header, payload);
  wire::store_heartbeat({oldest, window_.last(), next_frame_seq, counters_.lost_by_all}, payload);
  heartbeats_.said(now_ns);
  if (finished_ && !said_the_end()) ++ends_said_;
  if (verdicts_.some_left() || (finished_ && !said_the_end())) heartbeats_.hurry();
  ++counters_.heartbeats;
  return bytes;
}

void StreamSender::tell(ReceiverEvent::What what, size_t peer, uint64_t position, uint64_t now_ns) {
  events_.add(
      {what, static_cast<uint16_t>(peer), receivers_.at(peer).name.incarnation, position, now_ns});
}

}  // namespace lambdacast::reliability
