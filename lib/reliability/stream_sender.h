// SPDX-License-Identifier: BSD-3-Clause
// The sending half of reliable multicast: retains packets until every admitted receiver has them,
// sends again what is asked for, and says in heartbeats how far it has come. Admissions decides
// which receivers it waits for. One stream serves all groups.
//
// The caller numbers and sends: allowance() says how many recoverable packets may go, sent() hands
// a packet over to be retained, next_repair() names one to be sent again. Packets come back through
// `release`. Not thread-safe: the lcore of the rate_control stage owns it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/node_set.h"
#include "base/uptime_clock.h"
#include "counters/drop_reason.h"
#include "reliability/admissions.h"
#include "reliability/heartbeat_schedule.h"
#include "reliability/inflight_limit.h"
#include "reliability/receivers.h"
#include "reliability/reliability_config.h"
#include "reliability/repair_queue.h"
#include "reliability/repair_trace.h"
#include "reliability/transmit_window.h"
#include "wire/control/control.h"

namespace lambdacast::reliability {

using base::PacketHandle;
using base::UptimeClock;

struct SenderCounters : AdmissionCounters {
  uint64_t nacks = 0;      // frames
  uint64_t requested = 0;  // positions they named
  uint64_t repairs = 0;    // sent
  uint64_t held_off = 0;   // requests while a repair was under way
  uint64_t joined = 0;     // requests for what was in the queue already
  uint64_t too_late = 0;   // requests for what is not retained any more
  uint64_t heartbeats = 0;
  uint64_t lost_by_all = 0;  // positions that every receiver missed: lost at this transmitter
  uint64_t lost_by_some = 0;
  uint64_t expired = 0;        // released unstable, after retain
  uint64_t window_closed = 0;  // times that a receiver's window or the retention held data back
};

class StreamSender {
 public:
  explicit StreamSender(const ReliabilityConfig& config);
  StreamSender(const StreamSender&) = delete;
  StreamSender& operator=(const StreamSender&) = delete;

  // Recoverable packets that may go now.
  [[nodiscard]] uint64_t allowance() const {
    const uint64_t last = window_.last();
    const uint64_t by_peers = receivers_.limit() > last ? receivers_.limit() - last : 0;
    const uint64_t unstable = last - std::min(last, receivers_.stable(last));
    const uint64_t room =
        window_.capacity_pkts() > unstable ? window_.capacity_pkts() - unstable : 0;
    const uint64_t by_bytes = window_.bytes_used_up() && unstable != 0 ? 0 : room;
    return std::min(by_peers, by_bytes);
  }
  // Data waits, and allowance() is 0.
  void note_closed() { ++counters_.window_closed; }

  // A recoverable packet goes out for the first time; the next position is its own. `release` as in
  // release(): stable ones, if there is no room.
  template <typename Release>
  uint64_t sent(PacketHandle packet, uint32_t frame_bytes, uint64_t now_ns, Release&& release) {
    if (window_.size() == window_.capacity_pkts()) {
      release_before(std::max(window_.oldest() + 1, oldest_wanted()), release);
    } else if (window_.bytes_used_up()) {
      release_before(oldest_wanted(), release);
    }
    admissions_.note_length(frame_bytes, now_ns);
    const uint64_t position = window_.retain(packet, frame_bytes, now_ns, clock_.uptime_ns());
    heartbeats_.packet_sent(now_ns, rtt_ns());
    return position;
  }
  void sent_data(uint64_t frames) {
    repairs_.sent_data(frames);
    trial_frames_.earn(frames);
  }
  // The port had not taken the frame of that position until now, be it the first one or a repair:
  // how far a receiver lags, and whether a repair is under way, counts from here on.
  void delayed(uint64_t position, uint64_t now_ns) {
    if (!window_.retains(position)) return;
    TransmitWindow::Slot& slot = window_.at(position);
    if (slot.repaired_ns != 0) {
      slot.repaired_ns = now_ns;
    } else {
      slot.sent_ns = now_ns;
      slot.sent_uptime_ns = clock_.uptime_ns();
    }
  }

  // Gives back what is stable: release(PacketHandle).
  template <typename Release>
  void release(Release&& release) {
    const uint64_t stable = receivers_.stable(window_.last());
    uint64_t before = std::max(oldest_wanted(), window_.oldest());
    for (; window_.retains(before) && expired(before); ++before) {
      counters_.expired += before > stable ? 1 : 0;
    }
    release_before(before, release);
  }
  // Releases everything, at the end of a run.
  template <typename Release>
  void clear(Release&& release) {
    window_.release_before(
        window_.end(), [&](uint64_t, const TransmitWindow::Slot& slot) { release(slot.packet); });
  }

  // A control payload that StreamReceiver::accept_control said is for the sender.
  void accept_control(size_t peer, const uint8_t* payload, const wire::ControlHeader& header,
                      uint64_t now_ns, const wire::Gid& gid);

  // The next packet to send again, if it may go; then repaired() it, or postpone() it (its buffer
  // is still with the port, say).
  struct Repair {
    uint64_t position;
    PacketHandle packet;
  };
  [[nodiscard]] std::optional<Repair> next_repair(bool data_waits);
  void repaired(uint64_t position, uint64_t now_ns);
  void postpone(uint64_t position);
  [[nodiscard]] bool repairs_wait() const { return !repairs_.empty(); }
  [[nodiscard]] uint64_t repairs_waiting() const { return repairs_.size(); }

  // Time passes; at least once a heartbeat_max. `listening`: as StreamReceiver's.
  void pass_time(uint64_t now_ns, bool listening);
  // Leases and lags, up to the time that has passed: behind whatever was heard by then.
  void check_receivers(uint64_t now_ns);
  void tick(uint64_t now_ns, bool listening = true) {
    pass_time(now_ns, listening);
    check_receivers(now_ns);
  }
  // Writes a heartbeat if one is due; 0: none is. `room` at least 256.
  [[nodiscard]] size_t next_control(uint8_t* payload, size_t room, uint64_t next_frame_seq,
                                    uint64_t now_ns);
  // The time before which next_control() has nothing of use. `data_waits`: recoverable data that
  // the sender's rate alone holds back; it says what a heartbeat would when it goes.
  [[nodiscard]] uint64_t next_speech_ns(bool data_waits = false) const {
    return heartbeats_.next_ns(data_waits);
  }
  [[nodiscard]] uint64_t next_deadline_ns(bool data_waits = false) const {
    return std::min(heartbeats_.next_ns(data_waits), next_tick_ns_);
  }

  // The endpoint leaves: nothing will be sent but repairs, and nothing wanted. Heartbeats say so,
  // several times, for nobody answers.
  void finish() {
    finished_ = true;
    heartbeats_.hurry();
  }
  [[nodiscard]] bool said_the_end() const { return ends_said_ == kTimesEndIsSaid; }
  // More than a quarter of what may be unstable is: statuses are wanted before they are due.
  [[nodiscard]] bool presses() const {
    return allowance() < 3 * (window_.last() - std::min(window_.last(), stable()));
  }
  // --- membership: the view decides who is gone -------------------------------------------------
  // A member is not cut off or put on trial, whatever its lag or silence: proposals() names it
  // while it lags. Every member holds the stream through `held` when its view begins: who was cut
  // off before that is admitted there.
  void enlist(size_t peer, const wire::StreamName& name, uint64_t held, uint64_t now_ns) {
    admissions_.enlist(peer, name, held, now_ns);
  }
  // This endpoint is in no view with that peer any more.
  void discharge(size_t peer, uint64_t now_ns) { admissions_.discharge(peer, now_ns); }
  // The peer is not in the view any more, and will not be waited for.
  void expel(size_t peer, const wire::StreamName& name, uint64_t now_ns) {
    admissions_.expel(peer, name, now_ns);
  }
  // The view does not go on for now: members that have been silent for suspect_after are waited for
  // no more, as whoever is in no view with this endpoint. The next view admits them again.
  void cut_off_silent(uint64_t now_ns) { admissions_.cut_off_silent(now_ns); }
  // Calls visit(peer) for every member that it would have evicted since the last call.
  template <typename Visitor>
  void proposals(Visitor&& visit) {
    admissions_.proposals(visit);
  }

  // Every admitted receiver has everything.
  [[nodiscard]] bool flushed() const { return receivers_.stable(window_.last()) >= window_.last(); }

  [[nodiscard]] bool has_event() const { return admissions_.has_event(); }
  // The oldest event not taken yet.
  [[nodiscard]] std::optional<ReceiverEvent> take_event() { return admissions_.take_event(); }

  [[nodiscard]] const Receivers& receivers() const { return receivers_; }
  // The bytes of frames that this admitted receiver is not known to have; takes a step a frame.
  [[nodiscard]] uint64_t retained_bytes(size_t peer) const;
  // In which a receiver says how far it has come, as long as it hears of more.
  [[nodiscard]] uint64_t status_interval_ns() const {
    return reliability::status_interval_ns(config_.status_ns, receivers_.admitted());
  }
  // In which a receiver with the settings of this endpoint tells of any progress (R10.4).
  [[nodiscard]] uint64_t progress_told_ns() const {
    const uint64_t told_ns = std::min(config_.status_max_ns, config_.evict_lag_ns) / 4;
    return std::max(told_ns, status_interval_ns());
  }
  // How many packets it may be ahead of what all have heard of, at present.
  [[nodiscard]] uint64_t in_flight() const { return inflight_limit_.packets(); }
  [[nodiscard]] const TransmitWindow& window() const { return window_; }
  [[nodiscard]] SenderCounters counters() const {
    SenderCounters counters = counters_;
    static_cast<AdmissionCounters&>(counters) = admissions_.counters();
    return counters;
  }
  [[nodiscard]] const RepairTrace& trace() const { return trace_; }
  [[nodiscard]] uint64_t stable() const { return receivers_.stable(window_.last()); }
  [[nodiscard]] uint64_t rtt_ns() const {
    return receivers_.admitted() == 0 ? config_.initial_rtt_ns : receivers_.rtt_ns();
  }

 private:
  // Packets before this one are of no use to anybody.
  [[nodiscard]] uint64_t oldest_wanted() const {
    const uint64_t stable = receivers_.stable(window_.last());
    if (config_.late_join == LateJoin::kNow) return stable + 1;
    // Newcomers want all there is: make room only for what is to be sent.
    const uint64_t spare = window_.capacity_pkts() / 2;
    const uint64_t least = window_.end() > spare ? window_.end() - spare : 0;
    return std::min(stable + 1, window_.bytes_used_up() ? stable + 1 : least);
  }
  [[nodiscard]] bool expired(uint64_t position) const {
    return clock_.uptime_ns() - window_.at(position).sent_uptime_ns > config_.retain_ns;
  }
  template <typename Release>
  void release_before(uint64_t position, Release&& release) {
    window_.release_before(position, [&](uint64_t at, const TransmitWindow::Slot& slot) {
      if (slot.missed) place_loss(window_.missed_by(at));
      release(slot.packet);
    });
  }
  void place_loss(const base::NodeSet& missed_by);
  void take_status(size_t peer, const wire::StatusEntry& entry, uint64_t now_ns);
  [[nodiscard]] bool pays_for(const ReceiverState& receiver);
  void take_nack(size_t peer, const uint8_t* payload, const wire::ControlHeader& header,
                 uint64_t now_ns);
  void adjust_flight(uint64_t left, uint64_t now_ns);
  void request(size_t peer, uint64_t position, uint64_t now_ns);

  const ReliabilityConfig config_;
  UptimeClock clock_;
  TransmitWindow window_;
  HeartbeatSchedule heartbeats_;
  Admissions admissions_;
  Receivers& receivers_;  // of the admissions
  InflightLimit inflight_limit_;
  RepairQueue repairs_;
  uint64_t next_tick_ns_ = 0;
  bool listening_ = true;
  bool finished_ = false;
  static constexpr uint8_t kTimesEndIsSaid = 3;
  uint8_t ends_said_ = 0;
  TrialFrames trial_frames_;
  SenderCounters counters_;
  RepairTrace trace_;
};

}  // namespace lambdacast::reliability
