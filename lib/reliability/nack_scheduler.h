// SPDX-License-Identifier: BSD-3-Clause
// Asks all peers for what is missing of their streams: one LossDetector a stream, NACK frames, and
// the account of each gap from when it was revealed until its packet was handed on.
//
// Times in nanoseconds of the endpoint's clock. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/histogram.h"
#include "reliability/loss_detector.h"
#include "reliability/nack_delay.h"
#include "reliability/peer_streams.h"
#include "reliability/receiver_report.h"
#include "reliability/reliability_config.h"
#include "reliability/repair_trace.h"
#include "reliability/round_trip.h"
#include "wire/control/control.h"

namespace lambdacast::reliability {

class NackScheduler {
 public:
  NackScheduler(const ReliabilityConfig& config, const PeerStreams& streams);

  // --- what becomes of a gap -------------------------------------------------------------------
  // Positions [from, to) of the peer's stream are missing.
  void reveal(size_t peer, uint64_t from, uint64_t to, uint64_t now_ns);
  // One that was missing came,
  void came(size_t peer, uint64_t position, uint64_t now_ns) {
    ++peers_[peer].repaired;
    trace_.add(RepairStep::kCame, now_ns, static_cast<uint16_t>(peer), position);
  }
  // and was handed on: for positions that losses(peer).was_missing() only.
  void handed_on(size_t peer, uint64_t position, uint64_t now_ns);
  void lost(size_t peer, uint64_t position, uint64_t now_ns) {
    peers_[peer].losses.forget(position);
    trace_.add(RepairStep::kLost, now_ns, static_cast<uint16_t>(peer), position);
  }
  [[nodiscard]] const LossDetector& losses(size_t peer) const { return peers_[peer].losses; }
  // The stream was opened: nothing is missing.
  void reset(size_t peer) { peers_[peer].losses.reset(); }
  // Another peer has the place: it is as far away as any. What was counted stays.
  void succeed(size_t peer) {
    peers_[peer].losses.reset();
    peers_[peer].round_trip = RoundTrip(initial_rtt_ns_);
  }

  // --- of members that depart ------------------------------------------------------------------
  void skip(size_t peer, uint64_t first, uint64_t count);
  [[nodiscard]] bool skips_any(size_t peer) const { return peers_[peer].losses.skips_any(); }
  // A skipped position was declared lost.
  void forget(size_t peer, uint64_t position) { peers_[peer].losses.forget(position); }
  void reclaim_skipped(size_t peer);
  // Everything of an open stream up to the result is here or skipped; nothing: it is not open.
  [[nodiscard]] std::optional<uint64_t> here_through(size_t peer) const;

  // --- control -----------------------------------------------------------------------------------
  // A peer's NACK about another peer's stream, of that name.
  void take_nack(size_t asker, const wire::StreamName& about, const uint8_t* payload,
                 const wire::ControlHeader& header, uint64_t now_ns);
  // A peer's status about our stream: its echo.
  void take_status(size_t peer, const wire::StatusEntry& entry, uint64_t now_ns) {
    if (const auto rtt_ns = peers_[peer].round_trip.sample_echo(entry, now_ns))
      round_trips_ns_.record(*rtt_ns);
  }
  // Peers may have come or gone.
  void choose_anew() { delay_.choose_anew(); }

  struct Nack {
    wire::ControlHeader header;  // as written
    size_t bytes = 0;
    uint64_t previous_ns = 0;  // the NACK before it to the same sender; 0: none
  };
  // Writes the next NACK that is due, of at most `room` bytes (at least 256). hold_full: nothing
  // more is taken but what unlocks the hold.
  [[nodiscard]] std::optional<Nack> next_nack(uint8_t* payload, size_t room, uint64_t now_ns,
                                              bool hold_full) {
    if (now_ns < next_ns_) return std::nullopt;
    return look(payload, room, now_ns, hold_full);
  }
  // The time before which next_nack() has nothing.
  [[nodiscard]] uint64_t next_ns() const { return next_ns_; }

  // Fills in what is counted here.
  void report(size_t peer, ReceiverReport& report) const;
  [[nodiscard]] uint64_t nacks_sent() const { return nacks_sent_; }
  [[nodiscard]] const base::Histogram& repair_ns() const { return repair_ns_; }
  [[nodiscard]] const base::Histogram& round_trips_ns() const { return round_trips_ns_; }
  [[nodiscard]] const RepairTrace& trace() const { return trace_; }

 private:
  struct Peer {
    LossDetector losses;
    RoundTrip round_trip;
    uint64_t repaired = 0;
    uint64_t nacks_sent = 0;
    uint64_t nacks_heard = 0;
    uint64_t nacks_suppressed = 0;
  };
  [[nodiscard]] std::optional<Nack> look(uint8_t* payload, size_t room, uint64_t now_ns,
                                         bool hold_full);
  [[nodiscard]] std::optional<Nack> write(size_t peer, uint8_t* payload, size_t room,
                                          uint64_t now_ns, bool hold_full);

  const wire::StreamName self_;
  const PeerStreams& streams_;
  const uint64_t initial_rtt_ns_;
  NackDelay delay_;
  std::vector<Peer> peers_;
  uint64_t next_ns_ = LossDetector::kNever;  // not after the first NACK due
  uint64_t nacks_sent_ = 0;
  base::Histogram repair_ns_;
  base::Histogram round_trips_ns_;
  RepairTrace trace_;
};

}  // namespace lambdacast::reliability
