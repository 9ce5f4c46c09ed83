// The receiving half of reliable multicast, of one endpoint for all its peers: exactly once, in the
// sender's order where asked for, and what is missing is asked for at once.
//
//   unheard --any frame--> joining --welcome--> open --evicted, silent, restarted--> closing
//                             ^                                                        |
//                             '----------- all that was complete handed on ------------'
//
// One window a peer serves all groups (QSM 2008, section 3): what is filtered by group comes
// behind. An unreliable packet passes, and its rel_seq tells of recoverable ones before it.
//
// All decisions are pulled: next_control() writes a NACK or a status that is due, with the state of
// that moment (QSM 2008, section 6, 3d). Not thread-safe: the reliability stage's lcore owns it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/histogram.h"
#include "base/random.h"
#include "base/uptime_clock.h"
#include "counters/drop_reason.h"
#include "reliability/designated_nackers.h"
#include "reliability/gap_timers.h"
#include "reliability/loss_runs.h"
#include "reliability/receive_window.h"
#include "reliability/receiver_report.h"
#include "reliability/reliability_config.h"
#include "reliability/repair_trace.h"
#include "reliability/round_trip.h"
#include "reliability/skipped_positions.h"
#include "wire/control/control.h"
#include "wire/control/transport.h"

namespace lambdacast::reliability {

using base::PacketHandle;
using base::UptimeClock;

class StreamReceiver {
 public:
  explicit StreamReceiver(const ReliabilityConfig& config);

  // A peer's name has to be told before its first packet; `peer` < max_peers. Incarnations follow
  // from its packets.
  [[nodiscard]] bool knows(size_t peer) const { return streams_[peer].known; }
  void introduce(size_t peer, const wire::Gid& gid, uint32_t qpn);

  // Where a packet's way goes on.
  enum class Disposition : uint8_t {
    kDeliver,  // on, at once: the caller still has it
    kKeep,     // taken: drain() will hand it on
    kDrop,
  };
  struct Outcome {
    Disposition disposition = Disposition::kDeliver;
    counters::DropReason reason = counters::DropReason::kNone;  // with kDrop
  };

  // A data packet; `packet` is kept if the outcome says so. Info: endpoint::PacketInfo, or
  // anything with its fields peer, incarnation, rel_seq, timestamp_ns and qos.
  template <typename Info>
  [[nodiscard]] Outcome accept(const Info& info, PacketHandle packet, uint64_t now_ns) {
    Stream& stream = streams_[info.peer];
    if (info.incarnation != stream.name.incarnation || !stream.heard) [[unlikely]] {
      if (!hear_incarnation(stream, info.incarnation))
        return {Disposition::kDrop, counters::DropReason::kStaleIncarnation};
      // The life before it has not ended here yet, or never will because we leave.
      if (info.incarnation != stream.name.incarnation)
        return info.qos == wire::Qos::kUnreliable
                   ? Outcome{}
                   : Outcome{Disposition::kDrop, not_open(stream, 0)};
    }
    stream.echo_timestamp_ns = info.timestamp_ns;
    stream.echo_heard_ns = now_ns;
    stream.heard_uptime_ns = clock_.uptime_ns();
    if (info.qos == wire::Qos::kUnreliable) {
      if (stream.state == State::kOpen && info.rel_seq >= stream.window.end()) [[unlikely]]
        reveal(stream, info.rel_seq, now_ns);
      return {};
    }
    const bool ordered = info.qos != wire::Qos::kReliable;
    if (stream.state == State::kOpen) [[likely]] {
      const uint64_t end = stream.window.end();
      const auto outcome = stream.window.place(info.rel_seq, ordered, packet, may_keep(stream));
      if (outcome.placed == Placed::kAppended) [[likely]] {
        stream.progressed = true;
        if (outcome.deliver) return {};
        ++kept_;
        if (stream.window.backlog()) note_backlog(stream);
        return {Disposition::kKeep};
      }
      return accept_disturbed(stream, outcome, info.rel_seq, end, now_ns);
    }
    return {Disposition::kDrop, not_open(stream, info.rel_seq)};
  }

  // accept() of a run of packets at once: of one life of one peer and one QoS, each with the
  // rel_seq of the one before plus one, or the same one if they are unreliable; `last` is the
  // newest. The answer for all of them; nothing: they may have different ones, and nothing
  // happened.
  template <typename Info>
  [[nodiscard]] std::optional<Disposition> accept_run(const Info& first, const Info& last,
                                                      std::span<const PacketHandle> packets,
                                                      uint64_t now_ns) {
    Stream& stream = streams_[first.peer];
    if (first.incarnation != stream.name.incarnation || stream.state != State::kOpen)
      return std::nullopt;
    Disposition disposition = Disposition::kDeliver;
    if (first.qos == wire::Qos::kUnreliable) {
      if (first.rel_seq >= stream.window.end()) return std::nullopt;
    } else {
      if (kept_ + packets.size() > hold_pkts_) return std::nullopt;
      const bool ordered = first.qos != wire::Qos::kReliable;
      const auto outcome = stream.window.place_run(first.rel_seq, ordered, packets);
      if (outcome.placed != Placed::kAppended) return std::nullopt;
      stream.progressed = true;
      if (!outcome.deliver) {
        kept_ += static_cast<uint32_t>(packets.size());
        disposition = Disposition::kKeep;
      }
    }
    stream.echo_timestamp_ns = last.timestamp_ns;
    stream.echo_heard_ns = now_ns;
    stream.heard_uptime_ns = clock_.uptime_ns();
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
  uint32_t drain(uint32_t most, uint64_t now_ns, Sink&& sink);
  [[nodiscard]] bool backlogged() const { return backlog_count_ != 0; }

  // Deadlines, silence and the clock; at least once a heartbeat_max. `listening`: frames are being
  // taken in; otherwise nobody's silence means anything.
  void tick(uint64_t now_ns, bool listening = true);

  // Writes the next control payload that is due, of at most `room` bytes (at least 256), or
  // returns 0. The timestamp is stored when the frame goes out.
  [[nodiscard]] size_t next_control(uint8_t* payload, size_t room, uint64_t now_ns);
  [[nodiscard]] uint64_t next_deadline_ns() const;
  // Before this next_control() has nothing.
  [[nodiscard]] uint64_t next_speech_ns() const {
    if (leaving_) return GapTimers::kNever;
    if (statuses_left_ != 0) return 0;
    if (known_.empty()) return next_nack_ns_;
    const uint64_t look_ns = last_status_ns_ + status_interval_ns();
    return std::min(next_nack_ns_, urgent_ ? look_ns : std::max(look_ns, next_look_ns_));
  }

  // --- membership: the view decides who is gone -------------------------------------------------
  // A member's stream ends by expel() alone, not by silence, nor because another life of it speaks.
  // Nor does it begin with another life than the member.
  void enlist(size_t peer, const wire::StreamName& name) {
    if (streams_[peer].name == name) streams_[peer].member = true;
  }
  // This endpoint is in no view any more: streams end as they do without one.
  void discharge(size_t peer) {
    streams_[peer].member = false;
    streams_[peer].limit = ~uint64_t{0};
  }
  // Its stream is over; so is everything that is missing of it.
  void expel(size_t peer);
  // Everything of an open stream up to the result has been handed on; nothing: it is not open.
  [[nodiscard]] std::optional<uint64_t> handed_through(size_t peer) const;
  [[nodiscard]] uint32_t incarnation(size_t peer) const { return streams_[peer].name.incarnation; }
  // Is that packet missing of a member's stream? A departed member's is relayed as it was, with the
  // frame_seq of its first way: to frame accounting it may be stale, a duplicate or too old.
  [[nodiscard]] bool misses(size_t peer, uint32_t incarnation, uint64_t rel_seq) const;
  // Somebody says that the stream goes as far as that: what is missing is asked for.
  void reveal_through(size_t peer, uint64_t position, uint64_t now_ns);
  // Of what is missing there the holder of a departing member's stream has nothing: it is waited
  // for no longer, and lost only with lose_skipped().
  void skip(size_t peer, uint64_t first, uint64_t count);
  // Everything of an open stream up to the result is here or skipped; nothing: it is not open.
  [[nodiscard]] std::optional<uint64_t> here_through(size_t peer) const;
  // The view without that member is chosen: what was skipped up to there is lost.
  void lose_skipped(size_t peer, uint64_t through);
  // It stays: it is asked for what was skipped.
  void reclaim_skipped(size_t peer);
  // Whoever takes what is handed on has room up to this position.
  void limit_through(size_t peer, uint64_t position) { streams_[peer].limit = position; }
  [[nodiscard]] uint64_t limit(size_t peer) const { return streams_[peer].limit; }

  // It wants nothing any more: it says nothing, and nothing of what is missing is lost.
  void leave() { leaving_ = true; }
  // At the end of a run: gives every packet kept to discard(PacketHandle).
  template <typename Discard>
  void clear(Discard&& discard) {
    for (Stream& stream : streams_) stream.window.clear(discard);
    kept_ = 0;
  }

  [[nodiscard]] ReceiverReport report(size_t peer) const;
  [[nodiscard]] const ReceiverCounters& counters() const { return counters_; }
  // Nanoseconds from when a gap was revealed until its packet was handed on, of all streams.
  [[nodiscard]] const base::Histogram& repair_ns() const { return repair_ns_; }
  // Round trips measured, of all peers.
  [[nodiscard]] const base::Histogram& round_trips_ns() const { return round_trips_ns_; }
  [[nodiscard]] const RepairTrace& trace() const { return trace_; }
  [[nodiscard]] uint32_t kept() const { return kept_; }

 private:
  enum class State : uint8_t { kUnheard, kJoining, kOpen, kClosing };
  static constexpr uint64_t kNoBlock = ~uint64_t{0};

  struct Stream {
    explicit Stream(const ReliabilityConfig& config)
        : window(config.receive_window_pkts),
          common_nack_ns(config.max_peers),
          gaps(config.receive_window_pkts),
          skipped(config.receive_window_pkts),
          round_trip(config.initial_rtt_ns) {}

    // What a packet in order needs comes first.
    ReceiveWindow window;
    uint64_t echo_timestamp_ns = 0;  // of the newest frame from there, 0: none
    uint64_t echo_heard_ns = 0;
    uint64_t heard_uptime_ns = 0;
    wire::StreamName name;  // of the life we hear
    State state = State::kUnheard;
    bool known = false;
    bool heard = false;       // an incarnation is known
    bool progressed = false;  // since the last status
    bool urgent = false;      // a status about it should go at once
    bool in_backlog = false;
    bool left = false;              // it said that it ends
    bool member = false;            // of the view
    uint64_t limit = ~uint64_t{0};  // of whoever takes what is handed on

    uint64_t progress_told = 0;   // progress_of() at the last status
    uint64_t progress_worth = 0;  // telling, before it is due: three a packet
    uint64_t heard_told = 0;      // window.end() at the last status
    uint64_t hash = 0;
    // By peer: when we heard its newest NACK for something that we missed as well; 0: never.
    std::vector<uint64_t> common_nack_ns;
    uint64_t asker_block = kNoBlock;  // that designated_nackers is about
    DesignatedNackers designated_nackers;
    GapTimers gaps;
    SkippedPositions skipped;
    RoundTrip round_trip;
    LossRuns loss_runs;
    uint64_t oldest_retained = 0;
    uint64_t last_nack_ns = 0;
    uint64_t resume_at = 0;   // joining anew: positions before this were dealt with
    bool resumes = false;     // resume_at means something
    uint64_t welcome_at = 0;  // with `welcomed`: where to open once the backlog is gone
    bool welcomed = false;
    uint64_t readmitted_at = 0;  // open: positions before this are lost to an eviction unheard of
    uint64_t verdicts_from_ns = 0;  // of the sender's clock: older ones are known
    uint64_t last_sent = 0;         // as announced, or by a frame that could not be taken
    uint64_t end_at_tick = 0;       // window.end() at the last tick
    LossReason closed_for = LossReason::kNone;
    uint32_t next_incarnation = 0;  // closing: what comes behind it
    bool restarts = false;
    ReceiverReport totals;  // counters only
  };

  [[nodiscard]] bool hear_incarnation(Stream& stream, uint32_t incarnation);
  [[nodiscard]] counters::DropReason not_open(Stream& stream, uint64_t position);
  [[nodiscard]] Outcome accept_disturbed(Stream& stream, ReceiveWindow::Outcome outcome,
                                         uint64_t position, uint64_t end, uint64_t now_ns);
  void reveal(Stream& stream, uint64_t position, uint64_t now_ns);
  void start_timers(Stream& stream, uint64_t from, uint64_t to, uint64_t now_ns);
  [[nodiscard]] uint64_t first_ask_ns(Stream& stream, uint64_t position, uint64_t revealed_ns);
  void choose_first_askers(Stream& stream, uint64_t position);
  void came(Stream& stream, uint64_t position, uint64_t now_ns);
  void handed_on(Stream& stream, uint64_t position, uint64_t now_ns) {
    if (stream.gaps.was_missing(position)) [[unlikely]]
      gap_filled(stream, position, now_ns);
  }
  void gap_filled(Stream& stream, uint64_t position, uint64_t now_ns);
  void note_backlog(Stream& stream);
  void close(Stream& stream, LossReason reason);
  void open(Stream& stream, uint64_t skipped, uint64_t now_ns);
  void settle_closing(Stream& stream);
  // Positions that a sender gone was heard to have sent and the window had no room to reveal. (One
  // that cuts us off says in its next welcome how far we are behind.)
  [[nodiscard]] static uint64_t announced_tail(const Stream& stream) {
    const uint64_t end = stream.window.end();
    if (stream.closed_for != LossReason::kSenderGone || stream.last_sent < end) return 0;
    return stream.last_sent - end + 1;
  }
  // It is there to hear us and to speak.
  [[nodiscard]] bool present(const Stream& stream) const {
    return stream.heard && !stream.left &&
           clock_.uptime_ns() - stream.heard_uptime_ns <= config_.suspect_after_ns;
  }
  void declare_before(Stream& stream, uint64_t position, LossReason reason);
  void declare_gone(Stream& stream);
  void count_eviction(Stream& stream) {
    ++stream.totals.evictions;
    ++counters_.evictions;
  }

  void take_heartbeat(Stream& stream, const uint8_t* payload, const wire::ControlHeader& header,
                      uint64_t now_ns);
  void take_verdict(Stream& stream, const wire::VerdictEntry& entry, uint64_t now_ns);
  bool take_status(Stream& stream, const uint8_t* payload, const wire::ControlHeader& header,
                   uint64_t now_ns);
  bool take_nack(size_t asker, const uint8_t* payload, const wire::ControlHeader& header,
                 uint64_t now_ns);
  [[nodiscard]] Stream* find(const wire::StreamName& name);

  // What a departing member's stream holds behind skipped positions waits for the next view, and is
  // needed for that one: its window bounds it.
  [[nodiscard]] bool may_keep(const Stream& stream) const {
    return kept_ < hold_pkts_ || stream.skipped.any();
  }
  [[nodiscard]] uint64_t askable_end(const Stream& stream) const;
  [[nodiscard]] size_t write_nack(Stream& stream, uint8_t* payload, size_t room, uint64_t now_ns);
  void give_up_late(Stream& stream, uint64_t now_ns);
  [[nodiscard]] size_t write_status(uint8_t* payload, size_t room, uint64_t now_ns);
  [[nodiscard]] bool any_due(Stream& stream, uint64_t askable, uint64_t now_ns);
  void begin_statuses(uint64_t now_ns);
  size_t store_statuses(uint8_t* payload, size_t& bytes, size_t room, uint64_t now_ns);
  [[nodiscard]] wire::StatusEntry status_of(Stream& stream, uint64_t now_ns);
  [[nodiscard]] uint64_t status_due_ns() const;
  // How far a stream has come, as a sender that waits sees it: three a packet in order.
  [[nodiscard]] static uint64_t progress_of(const Stream& stream) {
    return stream.window.deliver() + stream.window.next() + stream.window.end();
  }
  [[nodiscard]] uint64_t status_interval_ns() const {
    return reliability::status_interval_ns(config_.status_ns, known_.size());
  }
  [[nodiscard]] uint32_t hold_share() const;
  [[nodiscard]] size_t index_of(const Stream& stream) const {
    return static_cast<size_t>(&stream - streams_.data());
  }
  [[nodiscard]] wire::ControlHeader header_of(wire::ControlKind kind, size_t entries) const;

  const ReliabilityConfig config_;
  const uint32_t hold_pkts_;
  const uint64_t progress_ns_;    // after this any progress is told,
  const uint64_t progress_pkts_;  // and after so many packets at the next opportunity
  static constexpr uint32_t kLeastRoom = 16;
  uint32_t kept_ = 0;    // in all windows together
  uint32_t active_ = 1;  // streams that have moved since the last tick
  UptimeClock clock_;
  std::vector<Stream> streams_;    // sized once
  std::vector<uint16_t> known_;    // indices of the streams that are known, in order of coming
  std::vector<uint16_t> backlog_;  // streams with something to drain
  size_t backlog_count_ = 0;
  uint64_t own_hash_;
  base::SplitMix64 random_;
  uint64_t next_tick_ns_ = 0;
  uint64_t next_nack_ns_ = GapTimers::kNever;  // not after the first one due
  uint64_t last_status_ns_ = 0;
  uint64_t next_look_ns_ = 0;  // whether a status that is not urgent is due
  uint64_t quiet_status_ns_;   // between statuses that say nothing new: doubles
  size_t next_status_peer_ = 0;
  size_t statuses_left_ = 0;  // peers that the round of statuses begun has still to name
  bool urgent_ = false;
  bool leaving_ = false;
  ReceiverCounters counters_;
  base::Histogram repair_ns_;
  base::Histogram round_trips_ns_;
  RepairTrace trace_;
};

}  // namespace lambdacast::reliability

#include "reliability/receiver_drain.h"  // drain()
