// SPDX-License-Identifier: BSD-3-Clause
// Which receivers a sender waits for, and what it tells each of them: joins, trials, refusals,
// those that are cut off for their silence or their lag, and those that membership enlists and
// expels (doc/decisions/0008-slow-receivers.md, 0020-a-receiver-on-trial.md,
// 0021-refused-for-the-path-mtu.md). It reads the window and the clock of its sender. Owner: the
// rate_control lcore.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/node_set.h"
#include "base/uptime_clock.h"
#include "reliability/heartbeat_schedule.h"
#include "reliability/receiver_events.h"
#include "reliability/receivers.h"
#include "reliability/reliability_config.h"
#include "reliability/transmit_window.h"
#include "reliability/verdict_queue.h"
#include "wire/control/control.h"

namespace lambdacast::reliability {

struct AdmissionCounters {
  uint64_t admissions = 0;
  uint64_t evicted_lag = 0;
  uint64_t evicted_silent = 0;
  uint64_t refused = 0;  // receivers that cannot take packets as long as the stream's
  uint64_t trials = 0;   // times that a receiver was put on trial
  uint64_t left = 0;     // receivers, in order
};

class Admissions {
 public:
  // All of them outlive it. A verdict that is owed brings the next heartbeat forward.
  Admissions(const ReliabilityConfig& config, const base::UptimeClock& clock,
             const TransmitWindow& window, HeartbeatSchedule& heartbeats);

  // The incarnation `name` of a peer has spoken, or another peer that has its place now. False: it
  // is over, and what it says is old.
  [[nodiscard]] bool hear(size_t peer, const wire::StreamName& name, uint64_t now_ns);
  // It says that it leaves.
  void hear_end(size_t peer, uint64_t now_ns);
  // What its status means for its place. True: it is admitted, and its progress counts.
  [[nodiscard]] bool hear_status(size_t peer, const wire::StatusEntry& entry, uint64_t now_ns);
  // The sender sends a recoverable frame as long as this.
  void note_length(uint32_t frame_bytes, uint64_t now_ns) {
    if (frame_bytes > longest_frame_) [[unlikely]]
      lengthen(frame_bytes, now_ns);
  }
  // Leases and lags.
  void check(uint64_t now_ns);

  // As StreamSender has them.
  void enlist(size_t peer, const wire::StreamName& name, uint64_t held, uint64_t now_ns);
  void discharge(size_t peer, uint64_t now_ns);
  void expel(size_t peer, const wire::StreamName& name, uint64_t now_ns);
  void cut_off_silent(uint64_t now_ns);
  template <typename Visitor>
  void proposals(Visitor&& visit) {
    std::exchange(proposed_, {}).for_each(visit);
  }

  // Appends the verdicts that are due to a heartbeat (VerdictQueue::write).
  [[nodiscard]] size_t write_verdicts(uint8_t* payload, size_t room, wire::ControlHeader& header,
                                      uint64_t& oldest) {
    return verdicts_.write(receivers_, config_.path_mtu, payload, room, header, oldest,
                           [&](const ReceiverState& receiver) { return opening(receiver); });
  }
  [[nodiscard]] bool verdicts_left() const { return verdicts_.some_left(); }

  [[nodiscard]] bool has_event() const { return events_.any(); }
  [[nodiscard]] std::optional<ReceiverEvent> take_event() { return events_.take(); }

  [[nodiscard]] Receivers& receivers() { return receivers_; }
  [[nodiscard]] const Receivers& receivers() const { return receivers_; }
  [[nodiscard]] const AdmissionCounters& counters() const { return counters_; }

 private:
  [[nodiscard]] uint64_t opening(const ReceiverState& receiver) const;
  [[nodiscard]] bool takes_all(const ReceiverState& receiver) const;
  [[nodiscard]] bool silent(const ReceiverState& receiver) const {
    return clock_.uptime_ns() - receiver.heard_uptime_ns > config_.suspect_after_ns;
  }
  void lengthen(uint32_t frame_bytes, uint64_t now_ns);
  void welcome(size_t peer, uint64_t now_ns);
  void admit(size_t peer, uint64_t contiguous, uint64_t room, uint64_t now_ns);
  void judge_trial(size_t peer, const wire::StatusEntry& entry, uint64_t now_ns);
  void check_trials();
  void refuse(size_t peer, uint64_t now_ns);
  void succeed(size_t peer, uint64_t now_ns);
  void evict(size_t peer, wire::Verdict verdict, uint64_t now_ns);
  void accuse(size_t peer);
  void leave(size_t peer, uint64_t now_ns);
  void owe_verdict(ReceiverState& receiver);
  void tell(ReceiverEvent::What what, size_t peer, uint64_t position, uint64_t now_ns);

  const ReliabilityConfig& config_;
  const base::UptimeClock& clock_;
  const TransmitWindow& window_;
  HeartbeatSchedule& heartbeats_;
  Receivers receivers_;
  uint32_t longest_frame_ = 0;  // of those sent
  base::NodeSet proposed_;      // members to be named by proposals()
  VerdictQueue verdicts_;
  AdmissionCounters counters_;
  ReceiverEvents events_;
};

}  // namespace lambdacast::reliability
