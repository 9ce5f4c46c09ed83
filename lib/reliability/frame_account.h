// SPDX-License-Identifier: BSD-3-Clause
// The reliability stage of *unreliable* QoS: it forwards every new frame, refuses duplicates and
// accounts for each sequence of each peer exactly. It repairs nothing and asks nobody.
//
// - One tracker per peer serves all groups: one transmitter, one sequence (QSM 2008, section 3; on
//   an ODBSS free of charge).
// - frame_seq of the transport header is the truth. BTH.PSN is cross-checked against its low 24
//   bits and extended by wire::extend_psn, which counts the wraps as they were on the wire. After a
//   gap of 2^23 or more the extension is undecidable; it is counted and anchored anew at frame_seq.
// - A stream's key is (source GID, source QPN, incarnation). An incarnation serially newer (RFC
//   1982, 32 bits: ahead by less than 2^31) closes the old stream and opens a new one; anything
//   else is stale and refused, unless follow() says that it has come back with its clock set back.
//   The first one heard is taken as it is.
//
// Not thread-safe: the lcore that runs the stage owns it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "counters/drop_reason.h"
#include "reliability/sequence_tracker.h"
#include "wire/roce/psn.h"

namespace lambdacast::reliability {

struct FrameAccountConfig {
  size_t max_peers = 0;  // peer indices are below this
};

// What is known of one peer's stream; a copy.
struct StreamReport {
  bool started = false;
  uint32_t incarnation = 0;
  uint64_t first_frame_seq = 0;    // of this incarnation, valid if started
  uint64_t highest_frame_seq = 0;  // of this incarnation, valid if started
  SequenceCounters current;        // this incarnation
  SequenceCounters total;          // with all earlier incarnations (whose tails are unknown)
  // What others had counted of these when the peer took their place (PeerTable).
  SequenceCounters of_others;
  uint64_t stale_of_others = 0;
  uint64_t psn_wraps = 0;        // all incarnations: BTH.PSN went from 0xffffff to 0
  uint64_t psn_mismatches = 0;   // BTH.PSN was not frame_seq's low 24 bits
  uint64_t psn_undecidable = 0;  // gaps too long for the 24-bit extension
  uint64_t incarnation_changes = 0;
  uint64_t stale_incarnations = 0;  // frames refused
};

class FrameAccount {
 public:
  explicit FrameAccount(const FrameAccountConfig& config)
      : streams_(config.max_peers), others_(config.max_peers) {}

  // Packet: node::PacketInfo, or anything with its fields peer, incarnation, frame_seq, psn.
  template <typename Packet>
  [[nodiscard]] counters::DropReason accept(const Packet& packet) {
    return accept(packet.peer, packet.incarnation, packet.frame_seq, packet.psn);
  }

  // kNone: new, forward it. kDuplicate, kTooOld, kTooFarAhead, kStaleIncarnation: refused.
  // `peer` < max_peers, `psn` 24 bits.
  [[nodiscard]] counters::DropReason accept(size_t peer, uint32_t incarnation, uint64_t frame_seq,
                                            uint32_t psn) {
    Stream& stream = streams_[peer];
    if (incarnation != stream.incarnation && !enter_incarnation(stream, incarnation)) [[unlikely]] {
      return counters::DropReason::kStaleIncarnation;
    }
    const Arrival arrival = stream.tracker.accept(frame_seq);
    if (arrival.verdict != Verdict::kInOrder) [[unlikely]] {
      return accept_disturbed(stream, arrival, frame_seq, psn);
    }
    follow_psn(stream, frame_seq, psn);
    return counters::DropReason::kNone;
  }

  // Are `count` packets the next ones of their stream: `first` and those whose frame_seq and psn
  // follow it, each one more than the last?
  template <typename Packet>
  [[nodiscard]] bool next_are(const Packet& first, uint32_t count) const {
    const Stream& stream = streams_[first.peer];
    return first.incarnation == stream.incarnation &&
           first.psn == (first.frame_seq & wire::kPsnMask) &&
           stream.tracker.is_next(first.frame_seq, count);
  }
  // accept() of all of them, if that holds.
  template <typename Packet>
  void accept_run(const Packet& first, uint32_t count) {
    Stream& stream = streams_[first.peer];
    const uint64_t last = first.frame_seq + count - 1;
    stream.tracker.accept_run(first.frame_seq, count);
    follow_psn(stream, last, static_cast<uint32_t>(last & wire::kPsnMask));
  }

  // That incarnation is the one that is heard from now on, whatever its number: its endpoint has
  // come back with its clock set back, which StreamReceiver decides.
  void follow(size_t peer, uint32_t incarnation);

  // Another peer has the place: whatever number its incarnation has, its frames are none of those
  // before. The counts of the place go on.
  void succeed(size_t peer);

  // What the sender itself says of its stream, at the end of a run: the head and the tail that no
  // arrival could reveal become missing. A stale incarnation is ignored.
  void finish(size_t peer, uint32_t incarnation, uint64_t first_frame_seq, uint64_t last_frame_seq);

  [[nodiscard]] StreamReport report(size_t peer) const;
  [[nodiscard]] SequenceCounters total() const;  // over all peers and incarnations
  [[nodiscard]] size_t max_peers() const { return streams_.size(); }

 private:
  // Four cache lines, of which an in-order frame touches three: the tracker's first, one of its
  // bitmap's two, and this one of the PSN.
  struct alignas(64) Stream {
    SequenceTracker tracker;
    uint32_t incarnation = 0;
    uint32_t psn_anchored = 0;  // 0: no frame yet in this incarnation
    uint64_t extended_psn = 0;  // highest so far, 64 bits
    uint64_t first_extended_psn = 0;
    uint64_t retired_psn_wraps = 0;  // of earlier incarnations
    uint64_t psn_mismatches = 0;
    uint64_t psn_undecidable = 0;
    uint64_t incarnation_changes = 0;
    uint64_t stale_incarnations = 0;
    SequenceCounters retired;  // of earlier incarnations; cold

    [[nodiscard]] uint64_t psn_wraps() const {
      return (extended_psn >> 24) - (first_extended_psn >> 24);
    }
  };

  static void follow_psn(Stream& stream, uint64_t frame_seq, uint32_t psn) {
    if (psn != (frame_seq & wire::kPsnMask)) [[unlikely]]
      ++stream.psn_mismatches;
    const auto extended = wire::extend_psn(stream.extended_psn, psn);
    if (!extended) [[unlikely]] {
      ++stream.psn_undecidable;
      return anchor_psn(stream, frame_seq, psn);
    }
    if (*extended > stream.extended_psn) stream.extended_psn = *extended;
  }

  static void anchor_psn(Stream& stream, uint64_t frame_seq, uint32_t psn);
  static bool enter_incarnation(Stream& stream, uint32_t incarnation);
  static void retire(Stream& stream);  // the incarnation that was heard is over
  static counters::DropReason accept_disturbed(Stream& stream, Arrival arrival, uint64_t frame_seq,
                                               uint32_t psn);

  struct Others {
    SequenceCounters total;
    uint64_t stale_incarnations = 0;
  };

  std::vector<Stream> streams_;  // sized once, at construction
  std::vector<Others> others_;   // by peer: of those who had its place before
};

}  // namespace lambdacast::reliability
