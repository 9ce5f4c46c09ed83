// SPDX-License-Identifier: BSD-3-Clause
// Says statuses: how far each peer's stream has come, when its newest frame came, and what was lost
// of it at first. A round of statuses names every peer once, in as many frames as that takes.
//
// The pace: urgent matters go after a status interval, progress that a sender may wait for too,
// other progress after a while, and where nothing is new rounds come at doubling distances.
//
// Times in nanoseconds of the endpoint's clock. Not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "reliability/gap_timers.h"
#include "reliability/loss_runs.h"
#include "reliability/peer_streams.h"
#include "reliability/receiver_report.h"
#include "reliability/reliability_config.h"
#include "wire/control/control.h"

namespace lambdacast::reliability {

class StatusReporter {
 public:
  StatusReporter(const ReliabilityConfig& config, PeerStreams& streams);

  // Positions of the peer's stream were missed at first.
  void note_loss(size_t peer, uint64_t first, uint64_t count) {
    peers_[peer].loss_runs.add(first, count);
  }
  // The next round goes as soon as it may.
  void urge() { urgent_ = true; }
  // Another incarnation of the peer begins; what the one before lost stays counted.
  void restart(size_t peer);

  // Writes the next status payload that is due, of at most `room` bytes, or returns 0. hold_share:
  // the packets out of order that each stream may have.
  [[nodiscard]] size_t next_status(uint8_t* payload, size_t room, uint64_t now_ns,
                                   uint32_t hold_share);
  // Where losses are so dense that a NACK went to the same sender just before, at previous_ns, the
  // next one takes along the round that would go soon, if the whole of it fits: one frame costs
  // everybody less than two. A loss now and then is asked for without. Returns the entries written
  // from `bytes` on.
  [[nodiscard]] uint16_t append_round(uint8_t* payload, size_t& bytes, size_t room, uint64_t now_ns,
                                      uint64_t previous_ns, uint32_t hold_share);

  // The time before which next_status() has nothing, unless something changes. What it has then
  // does not depend on how often it was asked before.
  [[nodiscard]] uint64_t next_speech_ns() const {
    if (statuses_left_ != 0) return 0;
    if (streams_.known().empty()) return GapTimers::kNever;
    if (urgent_) return last_status_ns_ + interval_ns();
    return streams_.news() ? std::min(quiet_due_ns_, next_look_ns_) : quiet_due_ns_;
  }

  // Fills in what is counted here.
  void report(size_t peer, ReceiverReport& report) const {
    report.first_losses = peers_[peer].earlier_losses + peers_[peer].loss_runs.losses();
  }
  [[nodiscard]] uint64_t statuses_sent() const { return statuses_sent_; }

 private:
  struct Peer {
    LossRuns loss_runs;
    uint64_t earlier_losses = 0;  // of earlier incarnations
    uint64_t progress_told = 0;   // progress_of() at the last status
    uint64_t progress_worth = 0;  // telling before it is due: three a packet
    uint64_t heard_told = 0;      // window.end() at the last status
  };
  // How far a stream has come, as a sender that waits sees it: three a packet in order.
  [[nodiscard]] static uint64_t progress_of(const PeerStream& stream) {
    return stream.window.deliver() + stream.window.next() + stream.window.end();
  }
  [[nodiscard]] uint64_t interval_ns() const {
    return status_interval_ns(status_ns_, streams_.known().size());
  }
  [[nodiscard]] uint64_t due_ns() const;
  [[nodiscard]] wire::StatusEntry entry_of(const PeerStream& stream, LossRuns& loss_runs,
                                           uint64_t now_ns, uint32_t hold_share);
  void begin_round(uint64_t now_ns);
  size_t store_entries(uint8_t* payload, size_t& bytes, size_t room, uint64_t now_ns,
                       uint32_t hold_share);
  [[nodiscard]] size_t write(uint8_t* payload, size_t room, uint64_t now_ns, uint32_t hold_share);

  const wire::StreamName self_;
  const uint64_t status_ns_;
  const uint64_t status_max_ns_;
  const uint16_t path_mtu_;
  const uint64_t progress_ns_;    // after this any progress is told,
  const uint64_t progress_pkts_;  // and after so many packets at the next opportunity
  PeerStreams& streams_;          // only what note_progress() has set is cleared here
  std::vector<Peer> peers_;
  uint64_t last_status_ns_ = 0;
  // A status that is not urgent is due at quiet_due_ns_ as of the last look at the streams. News
  // may make it earlier, and a look takes a step a peer: there is one an interval at most.
  uint64_t quiet_due_ns_ = 0;
  uint64_t next_look_ns_ = 0;
  uint64_t quiet_status_ns_;  // between rounds that say nothing new: doubles
  size_t next_peer_ = 0;
  size_t statuses_left_ = 0;  // peers that the round begun has still to name
  bool urgent_ = false;
  uint64_t statuses_sent_ = 0;
};

}  // namespace lambdacast::reliability
