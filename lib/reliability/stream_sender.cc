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
      heartbeats_(config.heartbeat_max_ns, config.status_ns),
      events_(kEvents) {}

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
    receiver.verdict_due = false;
    receiver.verdict = wire::Verdict::kWelcome;
    receiver.left = receiver.ended = false;
    receiver.nack_timestamp_ns = 0;
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

// The first position that the receiver is to have; of an admitted one, the next that it needs.
uint64_t StreamSender::opening(const ReceiverState& receiver) const {
  if (receiver.admitted) return receiver.contiguous + 1;
  return config_.late_join == LateJoin::kNow ? window_.end() : window_.oldest();
}

void StreamSender::take_status(size_t peer, const wire::StatusEntry& entry, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  receiver.round_trip.sample_echo(entry, now_ns);
  if ((entry.flags & wire::kStatusJoining) != 0) {
    if (!receiver.admitted) {
      ++counters_.admissions;
      receivers_.admit(peer, opening(receiver) - 1, config_.receive_window_pkts / 2);
      receiver.admitted_uptime_ns = clock_.uptime_ns();
      tell(ReceiverEvent::What::kJoined, peer, receiver.contiguous + 1, now_ns);
    }
    receiver.verdict = wire::Verdict::kWelcome;
    owe_verdict(receiver);
    return;
  }
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
  if (gone) heartbeats_.hurry();  // it says what is retained
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
  if (slot.repaired_ns != 0 &&
      now_ns - slot.repaired_ns <= round_trip.smoothed_ns() + round_trip.variation_ns()) {
    ++counters_.held_off;
    trace_.add(RepairStep::kHeldOff, now_ns, static_cast<uint16_t>(peer), position);
    return;
  }
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
  receivers_.remove(peer);
  owe_verdict(receiver);
}

void StreamSender::enlist(size_t peer, const wire::StreamName& name, uint64_t held,
                          uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  if (receiver.known && receiver.name != name) return;  // that incarnation is over
  receiver.member = true;
  if (receiver.admitted || !receiver.known || receiver.left) return;
  ++counters_.admissions;
  receivers_.admit(peer, std::max(held, window_.oldest() - 1), config_.receive_window_pkts / 2);
  receiver.admitted_uptime_ns = receiver.heard_uptime_ns = clock_.uptime_ns();
  receiver.verdict = wire::Verdict::kWelcome;
  receiver.verdict_due = false;
  tell(ReceiverEvent::What::kJoined, peer, receiver.contiguous + 1, now_ns);
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

// Its place is free, and nobody accuses it of silence.
void StreamSender::leave(size_t peer, uint64_t now_ns) {
  ReceiverState& receiver = receivers_.at(peer);
  receiver.left = true;
  receiver.verdict_due = false;
  receiver.verdict = wire::Verdict::kWelcome;
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
}

void StreamSender::owe_verdict(ReceiverState& receiver) {
  receiver.verdict_due = verdicts_owed_ = true;
  heartbeats_.hurry();
}

// An evicted receiver is named in every heartbeat until it asks to join: whichever one it hears
// first when it wakes, it learns why it misses packets that are gone. Verdicts that do not fit come
// first in the next heartbeat.
size_t StreamSender::write_verdicts(uint8_t* payload, size_t room, wire::ControlHeader& header,
                                    uint64_t& oldest) {
  size_t bytes = wire::kHeartbeatBytes;
  if (!verdicts_owed_) return bytes;
  const size_t first = next_verdict_;
  bool fits = true;
  verdicts_left_ = verdicts_owed_ = false;
  for (size_t i = 0; i < receivers_.max_peers(); ++i) {
    const size_t peer = (first + i) % receivers_.max_peers();
    ReceiverState& receiver = receivers_.at(peer);
    if (!receiver.verdict_due && !receiver.cut_off()) continue;
    if (bytes + wire::kVerdictBytes > room) {
      if (fits) next_verdict_ = peer;
      fits = false;
      verdicts_owed_ = true;
      verdicts_left_ = verdicts_left_ || receiver.verdict_due;
      // A receiver that is not named must not find its packets gone without a reason.
      if (receiver.cut_off()) oldest = std::min(oldest, receiver.contiguous + 1);
      continue;
    }
    wire::store_verdict({receiver.name, opening(receiver), receiver.verdict}, payload + bytes);
    receiver.verdict_due = false;
    verdicts_owed_ = verdicts_owed_ || receiver.cut_off();
    bytes += wire::kVerdictBytes;
    ++header.entries;
  }
  return bytes;
}

size_t StreamSender::next_control(uint8_t* payload, size_t room, uint64_t next_frame_seq,
                                  uint64_t now_ns) {
  if (!heartbeats_.due(now_ns)) return 0;
  wire::ControlHeader header = control_header(config_.self, wire::ControlKind::kHeartbeat, 0);
  if (finished_) header.flags |= wire::kHeartbeatEnd;
  if (presses()) header.flags |= wire::kHeartbeatReport;
  uint64_t oldest = window_.oldest();
  const size_t bytes = write_verdicts(payload, room, header, oldest);
  wire::store_control_header(header, payload);
  wire::store_heartbeat({oldest, window_.last(), next_frame_seq, counters_.lost_by_all}, payload);
  heartbeats_.said(now_ns);
  if (finished_ && !said_the_end()) ++ends_said_;
  if (verdicts_left_ || (finished_ && !said_the_end())) heartbeats_.hurry();
  ++counters_.heartbeats;
  return bytes;
}

void StreamSender::tell(ReceiverEvent::What what, size_t peer, uint64_t position, uint64_t now_ns) {
  if (events_told_ - events_taken_ == kEvents) ++events_taken_;
  events_[events_told_++ % kEvents] = {what, static_cast<uint16_t>(peer),
                                       receivers_.at(peer).name.incarnation, position, now_ns};
}

std::optional<ReceiverEvent> StreamSender::take_event() {
  if (events_taken_ == events_told_) return std::nullopt;
  return events_[events_taken_++ % kEvents];
}

}  // namespace lambdacast::reliability
