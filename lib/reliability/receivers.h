// SPDX-License-Identifier: BSD-3-Clause
// The receivers that a sender waits for. A receiver is admitted when it asks to join and keeps its
// place by live statuses; a position that all admitted ones have is stable. One that falls behind
// is waited for (pace) or evicted (evict), by policy. One that is silent for suspect_after is
// evicted in any case and hears so when it speaks again (doc/decisions/0008-slow-receivers.md). One
// that soon lags again is on trial: it is not admitted, and hears the stream all the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/node_set.h"
#include "reliability/reliability_config.h"
#include "reliability/round_trip.h"
#include "reliability/trial.h"
#include "wire/control/control.h"

namespace lambdacast::reliability {

// What a sender knows of one receiver of its stream.
struct ReceiverState {
  bool admitted = false;
  bool known = false;        // an incarnation of it has spoken
  bool left = false;         // that incarnation left in order: frames of it that still come are old
  bool ended = false;        // that incarnation said its end as a member, and leaves after the view
  bool member = false;       // of the view: only the next view removes it
  bool verdict_due = false;  // it waits for a heartbeat that tells it `verdict`
  wire::Verdict verdict = wire::Verdict::kWelcome;
  wire::StreamName name;
  // Positions, as it said last.
  uint64_t contiguous = 0;           // it has everything up to here
  uint64_t room = 0;                 // packets beyond `contiguous` that it can take
  uint16_t path_mtu = 0;             // the longest RoCE payload that it takes; 0: not said
  uint64_t heard_of = ~uint64_t{0};  // the highest that it knows of; all ones: not said
  uint64_t admitted_uptime_ns = 0;
  uint64_t heard_uptime_ns = 0;
  uint64_t first_losses = 0;
  uint64_t nacks = 0;              // NACKs heard from it
  uint64_t nack_timestamp_ns = 0;  // of its newest NACK, by its clock
  uint64_t repairs = 0;            // repairs that it was the first to ask for
  uint64_t missed_alone = 0;       // positions that it missed and others did not
  uint64_t evictions = 0;
  RoundTrip round_trip;
  Trial trial;

  // Another incarnation of it has spoken.
  void begin_life() {
    verdict_due = left = ended = false;
    verdict = wire::Verdict::kWelcome;
    trial = {};
    nack_timestamp_ns = 0;
    path_mtu = 0;
  }
  // Evicted, and has not asked to join since.
  [[nodiscard]] bool cut_off() const { return !admitted && verdict != wire::Verdict::kWelcome; }
};

class Receivers {
 public:
  static constexpr uint64_t kUnlimited = ~uint64_t{0};

  // in_flight: how far a sender may be ahead of what its receivers have heard of, in packets
  // (reliability/inflight_limit.h).
  Receivers(size_t max_peers, uint64_t initial_rtt_ns, uint64_t in_flight = kUnlimited)
      : all_(max_peers), in_flight_(in_flight), slowest_(max_peers) {
    for (ReceiverState& each : all_) each.round_trip = RoundTrip(initial_rtt_ns);
    order_.reserve(max_peers);
  }

  [[nodiscard]] ReceiverState& at(size_t peer) { return all_[peer]; }
  [[nodiscard]] const ReceiverState& at(size_t peer) const { return all_[peer]; }
  [[nodiscard]] size_t max_peers() const { return all_.size(); }
  [[nodiscard]] size_t admitted() const { return order_.size(); }
  [[nodiscard]] size_t admitted_peer(size_t i) const { return order_[i]; }

  // It holds everything up to `contiguous`, and has room for `room` more until it says otherwise.
  void admit(size_t peer, uint64_t contiguous, uint64_t room);
  void remove(size_t peer);
  void progress(size_t peer, uint64_t contiguous, uint64_t room, uint64_t heard_of = kUnlimited);

  void set_in_flight(uint64_t packets) {
    if (packets == in_flight_) return;
    in_flight_ = packets;
    recompute();
  }

  // All admitted hold everything up to here; `last_sent` if there is none.
  [[nodiscard]] uint64_t stable(uint64_t last_sent) const {
    return order_.empty() ? last_sent : stable_;
  }
  // All admitted have heard of everything up to here; kUnlimited if none has said so.
  [[nodiscard]] uint64_t heard_of() const { return heard_of_; }
  // Nothing beyond may be sent.
  [[nodiscard]] uint64_t limit() const { return order_.empty() ? ~uint64_t{0} : limit_; }
  // The peer that holds the window back, the first one with the least limit; max_peers(): none.
  [[nodiscard]] size_t slowest() const { return slowest_; }
  // The longest smoothed round trip of those admitted.
  [[nodiscard]] uint64_t rtt_ns() const { return rtt_ns_; }
  // The longest one of those that each had with nothing in its way.
  [[nodiscard]] uint64_t least_rtt_ns() const { return least_rtt_ns_; }
  // The admitted peers below NodeSet::kCapacity. The losses of peers beyond are not placed.
  [[nodiscard]] const base::NodeSet& admitted_set() const { return admitted_set_; }

 private:
  void recompute();

  std::vector<ReceiverState> all_;  // by peer index
  std::vector<uint16_t> order_;     // those admitted
  uint64_t in_flight_;
  uint64_t stable_ = 0;
  uint64_t limit_ = 0;
  uint64_t heard_of_ = kUnlimited;
  uint64_t rtt_ns_ = 0;
  uint64_t least_rtt_ns_ = 0;
  base::NodeSet admitted_set_;
  size_t slowest_;
};

}  // namespace lambdacast::reliability
