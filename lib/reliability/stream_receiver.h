// SPDX-License-Identifier: BSD-3-Clause
// The receiving half of reliable multicast, of one endpoint for all its peers: exactly once, in the
// sender's order where asked for, and what is missing is asked for at once.
//
// It places packets in their streams' windows, holds those that have to wait and hands them on;
// StreamLifecycle decides when a stream opens and closes and what is given up, NackScheduler asks
// for what is missing, StatusReporter says how far all has come.
//
// One window a peer serves all groups (QSM 2008, section 3): a filter by group comes behind. An
// unreliable packet passes, and its rel_seq tells of recoverable ones before it.
//
// All decisions are pulled: next_control() writes a NACK or a status that is due, with the state of
// that moment (QSM 2008, section 6, 3d). Times in nanoseconds of the endpoint's clock. Not
// thread-safe: the reliability stage's lcore owns it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/histogram.h"
#include "counters/drop_reason.h"
#include "reliability/backlog.h"
#include "reliability/nack_scheduler.h"
#include "reliability/packet_hold.h"
#include "reliability/peer_streams.h"
#include "reliability/receiver_report.h"
#include "reliability/reliability_config.h"
#include "reliability/repair_trace.h"
#include "reliability/status_reporter.h"
#include "reliability/stream_lifecycle.h"
#include "wire/control/control.h"
#include "wire/control/transport.h"

namespace lambdacast::reliability {

class StreamReceiver {
 public:
  // What becomes of a data packet.
  enum class Disposition : uint8_t {
    kDeliver,  // hand it on at once: the caller still has it
    kKeep,     // taken: drain() will hand it on
    kDrop,
  };
  struct Outcome {
    Disposition disposition = Disposition::kDeliver;
    counters::DropReason reason = counters::DropReason::kNone;  // with kDrop
  };

  explicit StreamReceiver(const ReliabilityConfig& config);
  StreamReceiver(const StreamReceiver&) = delete;
  StreamReceiver& operator=(const StreamReceiver&) = delete;

  // A peer's name has to be told before its first packet, and again before the next one when its
  // place was given up; `peer` < max_peers. Incarnations follow from its packets. Returns true if
  // the place was another peer's.
  [[nodiscard]] bool knows(size_t peer) const { return streams_[peer].known; }
  bool introduce(size_t peer, const wire::Gid& gid, uint32_t qpn);

  // --- places that are used again ---------------------------------------------------------------
  // The peer has left and was silent for suspect_after, or was silent for twice as long; it is no
  // member of a view, and nothing of its stream is missing, kept or to be told.
  [[nodiscard]] bool gone(size_t peer) const { return lifecycle_.gone(peer); }
  struct Gone {
    uint16_t peer = 0;
    bool left = false;
    uint64_t silent_ns = 0;
  };
  // The one of them that was heard last longest ago; but none that keeps(peer).
  template <typename Keeps>
  [[nodiscard]] std::optional<Gone> longest_gone(Keeps&& keeps) {
    std::optional<Gone> longest;
    for (const uint16_t peer : streams_.known()) {
      const PeerStream& stream = streams_[peer];
      if (!streams_.gone(stream) || keeps(peer)) continue;
      lifecycle_.conclude(peer);
      const uint64_t silent_ns = streams_.silent_ns(stream);
      if (lifecycle_.gone(peer) && (!longest || silent_ns > longest->silent_ns))
        longest = Gone{peer, stream.known && stream.left, silent_ns};
    }
    return longest;
  }
  // The place of a peer that is gone() may be another's from now on.
  void give_up(size_t peer) { streams_.give_up(peer); }

  // A data packet; it is kept if the outcome says so. Info: node::PacketInfo, or anything with
  // its fields peer, incarnation, rel_seq, timestamp_ns and qos.
  template <typename Info>
  [[nodiscard]] Outcome accept(const Info& info, PacketHandle packet, uint64_t now_ns) {
    PeerStream& stream = streams_[info.peer];
    if (info.incarnation != stream.name.incarnation || stream.state == StreamState::kUnheard)
        [[unlikely]]
      return accept_unheard(info, now_ns);
    streams_.note_heard(stream, info.timestamp_ns, now_ns);
    if (info.qos == wire::Qos::kUnreliable) {
      if (stream.state == StreamState::kOpen && info.rel_seq >= stream.window.end()) [[unlikely]]
        lifecycle_.reveal(info.peer, info.rel_seq, now_ns);
      return {};
    }
    if (stream.state != StreamState::kOpen) [[unlikely]]
      return refuse(info.peer, info.rel_seq);
    const uint64_t end = stream.window.end();
    const bool ordered = info.qos != wire::Qos::kReliable;
    const auto placed = stream.window.place(info.rel_seq, ordered, packet, may_keep(info.peer));
    if (placed.placed != Placed::kAppended) [[unlikely]]
      return accept_disturbed(info.peer, placed, info.rel_seq, end, now_ns);
    streams_.note_progress(stream);
    if (placed.deliver) [[likely]]
      return {};
    hold_.put(1);
    if (stream.window.backlog()) backlog_.add(info.peer);
    return {Disposition::kKeep};
  }

  // Would that packet be the first that is heard of another stream of the peer? Where members relay
  // what lives that are over have sent, only control proves that a life is there.
  template <typename Info>
  [[nodiscard]] bool begins_another(const Info& info) const {
    return info.incarnation != streams_[info.peer].name.incarnation &&
           lifecycle_.is_another(info.peer, info.incarnation);
  }
  void refuse_another(size_t peer) { lifecycle_.refuse_another(peer); }

  // accept() of a run of packets at once: of one incarnation of one peer and one QoS, each with the
  // rel_seq of the one before plus one, or the same one if they are unreliable; `last` is the
  // newest. The disposition of all of them; nothing: they may have different ones, and nothing
  // happened.
  template <typename Info>
  [[nodiscard]] std::optional<Disposition> accept_run(const Info& first, const Info& last,
                                                      std::span<const PacketHandle> packets,
                                                      uint64_t now_ns) {
    PeerStream& stream = streams_[first.peer];
    if (first.incarnation != stream.name.incarnation || stream.state != StreamState::kOpen)
      return std::nullopt;
    Disposition disposition = Disposition::kDeliver;
    if (first.qos == wire::Qos::kUnreliable) {
      if (first.rel_seq >= stream.window.end()) return std::nullopt;
    } else {
      if (!hold_.has_room(packets.size())) return std::nullopt;
      const bool ordered = first.qos != wire::Qos::kReliable;
      const auto outcome = stream.window.place_run(first.rel_seq, ordered, packets);
      if (outcome.placed != Placed::kAppended) return std::nullopt;
      streams_.note_progress(stream);
      if (!outcome.deliver) {
        hold_.put(packets.size());
        disposition = Disposition::kKeep;
      }
    }
    streams_.note_heard(stream, last.timestamp_ns, now_ns);
    return disposition;
  }

  // A control payload that wire::load_control accepted. `for_sender`: a status or a NACK about the
  // stream of this endpoint, or its peer's end, which its StreamSender must see as well.
  [[nodiscard]] counters::DropReason accept_control(size_t peer, const uint8_t* payload,
                                                    const wire::ControlHeader& header,
                                                    uint64_t now_ns, bool& for_sender);

  // Hands on what is complete, `most` packets and gaps at most:
  //   sink.deliver(PacketHandle)
  //   sink.gap(size_t peer, uint32_t incarnation, uint64_t first, uint64_t count, LossReason):
  //   bool, false if it cannot be told now: it will be offered again.
  // Returns how many. Nothing is left if it returns less than `most`, or a gap was refused.
  template <typename Sink>
  uint32_t drain(uint32_t most, uint64_t now_ns, Sink&& sink) {
    uint32_t done = 0;
    size_t turn = 0;
    while (turn < backlog_.size() && done < most) {
      const size_t peer = backlog_.peer(turn);
      StreamSink<Sink> each{*this, nacks_.losses(peer), peer, now_ns, sink};
      const uint32_t drained = streams_[peer].window.drain(most - done, each);
      done += drained;
      if (streams_[peer].window.backlog()) {
        if (drained == 0) ++turn;  // a gap that cannot be told now
        continue;
      }
      if (done == most) break;  // a gap may follow
      if (streams_[peer].state == StreamState::kClosing) {
        const StreamLifecycle::Gap tail = lifecycle_.tail(peer);
        if (!each.tell(tail, done)) {
          ++turn;
          continue;
        }
        lifecycle_.end(peer, tail);
        if (done == most) break;
      }
      if (lifecycle_.welcomed(peer)) {
        const StreamLifecycle::Gap skipped = lifecycle_.skipped_by_welcome(peer);
        if (!each.tell(skipped, done)) {
          ++turn;
          continue;
        }
        lifecycle_.begin(peer, skipped, now_ns);
      }
      streams_.note_progress(streams_[peer]);
      backlog_.remove(turn);
    }
    // The stream that used up this turn goes last in the next: its sender may fill the window as
    // fast.
    backlog_.begin_behind(turn);
    return done;
  }

  [[nodiscard]] bool backlogged() const { return backlog_.size() != 0; }

  // Deadlines, silence and the clock; at least once a heartbeat_max. `listening`: frames are being
  // taken in; otherwise nobody's silence means anything.
  void tick(uint64_t now_ns, bool listening = true);

  // Writes the next control payload that is due, of at most `room` bytes (at least 256), or
  // returns 0. The timestamp is stored when the frame goes out.
  [[nodiscard]] size_t next_control(uint8_t* payload, size_t room, uint64_t now_ns);
  // When tick() or next_control() has something to do.
  [[nodiscard]] uint64_t next_deadline_ns() const;
  // The time before which next_control() has nothing.
  [[nodiscard]] uint64_t next_speech_ns() const {
    if (lifecycle_.leaving()) return LossDetector::kNever;
    return std::min(nacks_.next_ns(), statuses_.next_speech_ns());
  }

  // --- membership: the view decides who is gone -------------------------------------------------
  // A member's stream ends by expel() alone, not by silence, nor because another incarnation of it
  // speaks. Nor does it begin with another incarnation than the member.
  void enlist(size_t peer, const wire::StreamName& name) {
    if (streams_[peer].name == name) streams_[peer].member = true;
  }
  // This endpoint is in no view any more: streams end as they do without one.
  void discharge(size_t peer) {
    streams_[peer].member = false;
    streams_[peer].limit = ~uint64_t{0};
  }
  // The member's stream is over; so is everything that is missing of it.
  void expel(size_t peer) { lifecycle_.expel(peer); }
  // Everything of an open stream up to the result has been handed on; nothing: it is not open.
  [[nodiscard]] std::optional<uint64_t> handed_through(size_t peer) const {
    if (streams_[peer].state != StreamState::kOpen) return std::nullopt;
    return streams_[peer].window.deliver() - 1;
  }
  [[nodiscard]] uint32_t incarnation(size_t peer) const { return streams_[peer].name.incarnation; }
  // Is that the incarnation that is heard, which came back with an older number?
  [[nodiscard]] bool came_back(size_t peer, uint32_t incarnation) const {
    return lifecycle_.came_back(peer, incarnation);
  }
  // Is that packet missing of a member's stream? A departed member's is relayed as it was, with the
  // frame_seq of its first way: to frame accounting it may be stale, a duplicate or too old.
  [[nodiscard]] bool misses(size_t peer, uint32_t incarnation, uint64_t rel_seq) const {
    const PeerStream& stream = streams_[peer];
    return stream.member && stream.state == StreamState::kOpen &&
           incarnation == stream.name.incarnation &&
           (rel_seq >= stream.window.end() || stream.window.missing(rel_seq));
  }
  // Somebody says that the stream goes as far as that: what is missing is asked for.
  void reveal_through(size_t peer, uint64_t position, uint64_t now_ns) {
    if (streams_[peer].state == StreamState::kOpen && position >= streams_[peer].window.end())
      lifecycle_.reveal(peer, position, now_ns);
  }
  // The holder of a departing member's stream has nothing of what is missing there: it is waited
  // for no longer, and lost only with lose_skipped().
  void skip(size_t peer, uint64_t first, uint64_t count) { nacks_.skip(peer, first, count); }
  // Everything of an open stream up to the result is here or skipped; nothing: it is not open.
  [[nodiscard]] std::optional<uint64_t> here_through(size_t peer) const {
    return nacks_.here_through(peer);
  }
  // The view without that member is chosen: what was skipped up to there is lost.
  void lose_skipped(size_t peer, uint64_t through) { lifecycle_.lose_skipped(peer, through); }
  // The member stays: it is asked for what was skipped.
  void reclaim_skipped(size_t peer) { nacks_.reclaim_skipped(peer); }
  // Whoever takes what is handed on has room up to this position.
  void limit_through(size_t peer, uint64_t position) { streams_[peer].limit = position; }
  [[nodiscard]] uint64_t limit(size_t peer) const { return streams_[peer].limit; }

  // This endpoint wants nothing any more: it says nothing, and nothing of what is missing is lost.
  void leave() { lifecycle_.leave(); }
  // Gives every packet kept to discard(PacketHandle), at the end of a run.
  template <typename Discard>
  void clear(Discard&& discard) {
    for (size_t peer = 0; peer < duplicates_.size(); ++peer) streams_[peer].window.clear(discard);
    hold_.clear();
  }

  [[nodiscard]] ReceiverReport report(size_t peer) const;
  [[nodiscard]] ReceiverCounters counters() const {
    return {.statuses_sent = statuses_.statuses_sent(),
            .nacks_sent = nacks_.nacks_sent(),
            .evictions = lifecycle_.evictions(),
            .refusals = lifecycle_.refusals(),
            .starved = starved_};
  }
  // Nanoseconds from when a gap was revealed until its packet was handed on, of all streams.
  [[nodiscard]] const base::Histogram& repair_ns() const { return nacks_.repair_ns(); }
  // Round trips measured, of all peers.
  [[nodiscard]] const base::Histogram& round_trips_ns() const { return nacks_.round_trips_ns(); }
  [[nodiscard]] const RepairTrace& trace() const { return nacks_.trace(); }
  [[nodiscard]] uint32_t kept() const { return hold_.kept(); }

 private:
  template <typename Sink>
  struct StreamSink {
    StreamReceiver& receiver;
    const LossDetector& losses;
    size_t peer;
    uint64_t now_ns;
    Sink& sink;
    void deliver(uint64_t position, PacketHandle packet) {
      receiver.hold_.take(1);
      if (losses.was_missing(position)) [[unlikely]]
        receiver.nacks_.handed_on(peer, position, now_ns);
      sink.deliver(packet);
    }
    bool gap(uint64_t first, uint64_t count, LossReason reason) {
      return sink.gap(peer, receiver.streams_[peer].name.incarnation, first, count, reason);
    }
    // False: it is refused for now.
    bool tell(const StreamLifecycle::Gap& lost, uint32_t& done) {
      if (lost.count == 0) return true;
      if (!gap(lost.first, lost.count, lost.reason)) return false;
      ++done;
      return true;
    }
  };

  // A packet of an incarnation that we have not heard of yet, or not for long.
  template <typename Info>
  [[nodiscard, gnu::noinline]] Outcome accept_unheard(const Info& info, uint64_t now_ns) {
    const auto heard = lifecycle_.hear(info.peer, info.incarnation, info.timestamp_ns, now_ns);
    if (heard == StreamLifecycle::Heard::kStale)
      return {Disposition::kDrop, counters::DropReason::kStaleIncarnation};
    if (info.qos == wire::Qos::kUnreliable) return {};
    // The next incarnation's position says nothing of the stream that we have.
    return refuse(info.peer, heard == StreamLifecycle::Heard::kNow ? info.rel_seq : 0);
  }
  // A recoverable packet of a stream that is not open.
  [[nodiscard]] Outcome refuse(size_t peer, uint64_t position) {
    lifecycle_.note_sent(peer, position);
    return {Disposition::kDrop, counters::DropReason::kNotJoined};
  }
  // `end`: window.end() before the packet was placed.
  [[nodiscard]] Outcome accept_disturbed(size_t peer, ReceiveWindow::Outcome outcome,
                                         uint64_t position, uint64_t end, uint64_t now_ns);
  // A departing member's packets behind skipped positions wait for the next view, and are needed
  // for that one: its window bounds them.
  [[nodiscard]] bool may_keep(size_t peer) const { return !hold_.full() || nacks_.skips_any(peer); }
  // A status about the stream of this endpoint in the payload?
  bool take_status(size_t peer, const uint8_t* payload, const wire::ControlHeader& header,
                   uint64_t now_ns);

  const wire::StreamName self_;
  const uint64_t tick_ns_;
  PeerStreams streams_;
  Backlog backlog_;
  NackScheduler nacks_;
  StatusReporter statuses_;
  StreamLifecycle lifecycle_;
  PacketHold hold_;
  std::vector<uint64_t> duplicates_;  // by peer
  uint64_t next_tick_ns_ = 0;
  uint64_t starved_ = 0;  // polls that came a heartbeat late, or later
};

}  // namespace lambdacast::reliability
