// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/stream_sender.h"

#include <algorithm>
#include <limits>

#include "reliability/control_header.h"

namespace lambdacast::reliability {

StreamSender::StreamSender(const ReliabilityConfig& config)
    : config_(config),
      clock_(config.heartbeat_max_ns),
      window_(config.transmit_window_pkts, config.transmit_window_bytes, config.first_rel_seq),
      heartbeats_(config.heartbeat_max_ns, config.status_ns),
      admissions_(config_, clock_, window_, heartbeats_),
      receivers_(admissions_.receivers()),
      inflight_limit_(config.in_flight_pkts),
      repairs_(config.transmit_window_pkts, config.repair_share_percent) {}

void StreamSender::accept_control(size_t peer, const uint8_t* payload,
                                  const wire::ControlHeader& header, uint64_t now_ns,
                                  const wire::Gid& gid) {
  if (!admissions_.hear(peer, {gid, header.data_qpn, header.incarnation}, now_ns)) return;
  if (header.kind == wire::ControlKind::kHeartbeat) {
    if ((header.flags & wire::kHeartbeatEnd) != 0) admissions_.hear_end(peer, now_ns);
    return;
  }
  if (header.kind == wire::ControlKind::kNack && wire::load_nack_stream(payload) == config_.self) {
    take_nack(peer, payload, header, now_ns);
  }
  size_t at = wire::find_status_entry(payload, header, config_.self);
  if (at != 0) take_status(peer, wire::load_status_entry(payload, at), now_ns);
}

void StreamSender::take_status(size_t peer, const wire::StatusEntry& entry, uint64_t now_ns) {
  if (!admissions_.hear_status(peer, entry, now_ns)) return;
  if (entry.contiguous > window_.last()) return;  // of what was never sent: nonsense
  receivers_.at(peer).first_losses = entry.first_losses;
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
  const uint64_t turn_ns = status_interval_ns() + receivers_.least_rtt_ns();
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
  if (slot.repairs != std::numeric_limits<uint8_t>::max()) ++slot.repairs;
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
  admissions_.check(now_ns);
}

size_t StreamSender::next_control(uint8_t* payload, size_t room, uint64_t next_frame_seq,
                                  uint64_t now_ns) {
  if (!heartbeats_.due(now_ns)) return 0;
  wire::ControlHeader header = control_header(config_.self, wire::ControlKind::kHeartbeat, 0);
  if (finished_) header.flags |= wire::kHeartbeatEnd;
  if (presses()) header.flags |= wire::kHeartbeatReport;
  uint64_t oldest = window_.oldest();
  const size_t bytes = admissions_.write_verdicts(payload, room, header, oldest);
  wire::store_control_header(header, payload);
  wire::store_heartbeat({oldest, window_.last(), next_frame_seq, counters_.lost_by_all}, payload);
  heartbeats_.said(now_ns);
  if (finished_ && !said_the_end()) ++ends_said_;
  if (admissions_.verdicts_left() || (finished_ && !said_the_end())) heartbeats_.hurry();
  ++counters_.heartbeats;
  return bytes;
}

}  // namespace lambdacast::reliability
