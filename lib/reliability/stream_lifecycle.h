// SPDX-License-Identifier: BSD-3-Clause
// The life of each peer's stream: joined and opened by the sender's welcome, closed by an eviction,
// by silence or by another incarnation of the sender; and which missing positions are given up.
//
//   unheard --any frame--> joining --welcome--> open --evicted, silent, restarted--> closing
//                             ^                                                        |
//                             '----------- all that was complete handed on ------------'
//
// It decides; StreamReceiver moves the packets, and ends and begins a stream once everything before
// was handed on. Times in nanoseconds of the endpoint's clock. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reliability/backlog.h"
#include "reliability/nack_scheduler.h"
#include "reliability/peer_streams.h"
#include "reliability/receiver_report.h"
#include "reliability/reliability_config.h"
#include "reliability/status_reporter.h"
#include "wire/control/control.h"

namespace lambdacast::reliability {

class StreamLifecycle {
 public:
  StreamLifecycle(const ReliabilityConfig& config, PeerStreams& streams, Backlog& backlog,
                  NackScheduler& nacks, StatusReporter& statuses);

  // --- what is heard of the sender ---------------------------------------------------------------
  enum class Heard : uint8_t {
    kNow,    // the incarnation whose stream we have
    kNext,   // the one behind it, or never that one because we leave
    kStale,  // an earlier one while that is heard, or one that the view does not admit
  };
  // A frame of that incarnation came.
  [[nodiscard]] Heard hear(size_t peer, uint32_t incarnation, uint64_t timestamp_ns,
                           uint64_t now_ns) {
    PeerStream& stream = streams_[peer];
    if (incarnation != stream.name.incarnation || stream.state == StreamState::kUnheard)
        [[unlikely]] {
      if (!hear_incarnation(peer, incarnation)) return Heard::kStale;
      // The stream before it has not ended here yet, or never will because we leave.
      if (incarnation != stream.name.incarnation) return Heard::kNext;
    }
    streams_.note_heard(stream, timestamp_ns, now_ns);
    return Heard::kNow;
  }
  // Is that the incarnation that is heard, which came back with an older number, or whose number is
  // older than that of packets that were refused as another's, of which none has come for long? (A
  // member's packets are relayed long after its next life has been heard.)
  [[nodiscard]] bool came_back(size_t peer, uint32_t incarnation) const {
    const Peer& mine = peers_[peer];
    const PeerStream& stream = streams_[peer];
    const bool alone = !stream.member && mine.another_uptime_ns != ~uint64_t{0} &&
                       streams_.long_ago(mine.another_uptime_ns);
    return (mine.came_back || alone) && stream.name.incarnation == incarnation;
  }
  // Would a frame of that incarnation be the first that is heard of another stream of the peer?
  [[nodiscard]] bool is_another(size_t peer, uint32_t incarnation) const {
    const PeerStream& stream = streams_[peer];
    const bool awaited = peers_[peer].restarts && peers_[peer].next_incarnation == incarnation;
    return stream.state != StreamState::kUnheard && stream.name.incarnation != incarnation &&
           !awaited;
  }
  void refuse_another(size_t peer) { peers_[peer].another_uptime_ns = streams_.uptime_ns(); }
  // The sender of a stream that is not open has sent as far as that, whatever becomes of the frame
  // that says so. It hurries nobody: a join that stays unanswered is said at doubling distances,
  // however much the sender sends (StatusReporter), for it may not hear us at all.
  void note_sent(size_t peer, uint64_t position);
  // The sender of an open stream has sent as far as that: what is missing is asked for.
  void reveal(size_t peer, uint64_t position, uint64_t now_ns);
  // Positions [from, to) of the window are missing.
  void note_missing(size_t peer, uint64_t from, uint64_t to, uint64_t now_ns) {
    nacks_.reveal(peer, from, to, now_ns);
    statuses_.note_loss(peer, from, to - from);
  }
  // A heartbeat of the incarnation that we have.
  void take_heartbeat(size_t peer, const uint8_t* payload, const wire::ControlHeader& header,
                      uint64_t now_ns);
  // Deadlines and silence.
  void tick(uint64_t now_ns);

  // --- with everything in the window handed on ---------------------------------------------------
  struct Gap {
    uint64_t first = 0;
    uint64_t count = 0;  // 0: no gap
    LossReason reason = LossReason::kNone;
  };
  // Positions behind the window of a closing stream that were sent and will not come. (A sender
  // that evicts us says in its next welcome how far we are behind.)
  [[nodiscard]] Gap tail(size_t peer) const;
  // The closing stream is over.
  void end(size_t peer, const Gap& tail);
  [[nodiscard]] bool welcomed(size_t peer) const { return peers_[peer].welcomed; }
  // Positions between the stream's end and its welcome, if it was joined anew.
  [[nodiscard]] Gap skipped_by_welcome(size_t peer) const;
  // The stream that was welcomed is open.
  void begin(size_t peer, const Gap& skipped, uint64_t now_ns);

  // --- places that are used again ---------------------------------------------------------------
  // The peer has left or been silent for long, and the application has been told of all that it was
  // owed. Of one that is gone and still owes, the rest is told first.
  [[nodiscard]] bool gone(size_t peer) const {
    return streams_.gone(streams_[peer]) && settled(peer);
  }
  void conclude(size_t peer);
  // Another peer has the place of one that was gone.
  void succeed(size_t peer, const wire::Gid& gid, uint32_t qpn);

  // --- membership: as StreamReceiver's -----------------------------------------------------------
  void expel(size_t peer);
  void lose_skipped(size_t peer, uint64_t through);
  void leave() { leaving_ = true; }
  [[nodiscard]] bool leaving() const { return leaving_; }

  // Fills in what is counted here, and what the window has.
  void report(size_t peer, ReceiverReport& report) const;
  [[nodiscard]] uint64_t evictions() const { return evictions_; }
  [[nodiscard]] uint64_t refusals() const { return refusals_; }

 private:
  struct Peer {                    // a cache line
    uint64_t oldest_retained = 0;  // by the sender
    uint64_t last_sent = 0;        // as announced, or by a frame that could not be taken
    uint64_t welcome_at = 0;       // with `welcomed`: where to open once the backlog is gone
    uint64_t resume_at = 0;        // with `resumes`: positions before this were dealt with
    uint64_t readmitted_at = 0;    // open: positions before this are lost to an eviction unheard of
    uint64_t verdicts_from_ns = 0;  // by the sender's clock: older ones are known
    uint32_t next_incarnation = 0;  // with `restarts`
    LossReason closed_for = LossReason::kNone;
    bool restarts = false;  // closing, and another incarnation comes behind
    bool welcomed = false;
    bool resumes = false;    // joining anew
    bool silent = false;     // for suspect_after, and it has not left
    bool came_back = false;  // the newest incarnation heard has an older number than the one before
    uint64_t another_uptime_ns = ~uint64_t{0};  // of the last packet refused as another's; or none
  };

  // False: it is a stale one.
  [[nodiscard]] bool hear_incarnation(size_t peer, uint32_t incarnation);
  void take_verdict(size_t peer, const wire::VerdictEntry& entry, uint64_t now_ns);
  void note_refusal(size_t peer, uint16_t path_mtu);
  void close(size_t peer, LossReason reason);
  void settle(size_t peer);
  [[nodiscard]] bool owes_the_rest(size_t peer) const;
  void tell_the_rest(size_t peer);
  [[nodiscard]] bool settled(size_t peer) const;

  void note_silence(size_t peer);
  void declare_before(size_t peer, uint64_t position, LossReason reason);
  void declare_gone(size_t peer);
  void give_up_late(size_t peer, uint64_t now_ns);
  void count_loss(size_t peer, LossReason reason, uint64_t positions) {
    totals_[peer].lost[static_cast<size_t>(reason)] += positions;
  }
  void count_eviction(size_t peer) {
    ++totals_[peer].evictions;
    ++evictions_;
  }
  void note_backlog(size_t peer) {
    if (streams_[peer].window.backlog()) backlog_.add(peer);
  }

  PeerStreams& streams_;
  Backlog& backlog_;
  NackScheduler& nacks_;
  StatusReporter& statuses_;
  const wire::StreamName self_;
  const uint64_t repair_deadline_ns_;
  std::vector<Peer> peers_;             // by peer
  std::vector<ReceiverReport> totals_;  // by peer: what is counted here
  uint64_t evictions_ = 0;              // by senders, of their streams
  uint64_t refusals_ = 0;               // by senders whose packets are too long here
  bool leaving_ = false;
};

}  // namespace lambdacast::reliability
