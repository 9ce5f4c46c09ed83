// SPDX-License-Identifier: BSD-3-Clause
// Writes the log of a run: what the simulation hears from the code under test and what it carries
// to it. Trusts nothing of either: a broken node must fail its checkers, not the simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "node/gap_event.h"
#include "node/packet_info.h"
#include "node/peer_table.h"
#include "node/view_event.h"
#include "sim/engine/trace.h"
#include "sim/multicast/frame_view.h"
#include "sim/multicast/log.h"
#include "sim/multicast/message_recorder.h"
#include "sim/multicast/rate_recorder.h"
#include "sim/multicast/scenario.h"
#include "sim/multicast/sim_env.h"
#include "sim/multicast/view_recorder.h"

namespace lambdacast::sim {

class Recorder {
 public:
  // `now_ns`: true time, which outlives it. gids: by node.
  Recorder(const uint64_t& now_ns, std::vector<wire::Gid> gids,
           const MembershipScenario& membership, uint64_t seed);

  [[nodiscard]] Trace& trace() { return trace_; }
  [[nodiscard]] Log& log() { return log_; }
  [[nodiscard]] const Log& log() const { return log_; }

  // --- lives ------------------------------------------------------------------------------------
  // `peers`: the node's own table, which lives until end_life().
  uint32_t begin_life(Life life, const node::PeerTable& peers);
  void end_life(uint32_t life);
  // The life of a node that is alive, or kNobody.
  [[nodiscard]] uint32_t life_at(size_t node) const { return streams_[node].life; }
  [[nodiscard]] uint32_t life_of_peer(uint32_t life, size_t peer, uint32_t incarnation) const;
  [[nodiscard]] uint32_t life_named(const wire::Gid& gid, uint32_t incarnation) const;
  [[nodiscard]] std::string name_of(uint32_t life) const;
  [[nodiscard]] const wire::Gid& gid(size_t node) const { return gids_[node]; }

  // --- frames -----------------------------------------------------------------------------------
  // A frame that the life transmits: whose stream it is of, and which frame of the log (kNobody: a
  // control frame). Nothing: it relays a frame of nobody.
  struct Transmission {
    uint32_t life = kNobody;
    uint32_t frame = kNobody;
  };
  [[nodiscard]] std::optional<Transmission> transmitted(uint32_t life,
                                                        std::span<const uint8_t> frame,
                                                        uint64_t offered_ns);
  void lost_at_transmitter(const Transmission& frame);
  void lost_before(const Transmission& frame, size_t receiver);
  void lost_in_ring(uint32_t sender, size_t receiver) { note_lost(sender, receiver); }
  // Notes the outcome of a frame that the life was given.
  void judged(uint32_t life, const Waiting& waiting, counters::DropReason outcome);
  // All that the sender has said up to here counts as said before its next decision.
  void about_to_decide(size_t node) { streams_[node].rel_before = streams_[node].last_rel_seq; }

  // --- what the application is told -------------------------------------------------------------
  // The entry of the log; its sender may be kNobody.
  const Told& delivered(uint32_t life, const node::PacketInfo& info,
                        std::span<const uint8_t> message);
  void gap(uint32_t life, const node::GapEvent& gap);
  void receiver_event(uint32_t life, const reliability::ReceiverEvent& event);
  void view_event(uint32_t life, const node::ViewEvent& event);

  // With rates.
  void allowed(uint32_t life, const rate_control::Limits& limits, bool shared) {
    const std::string said = rates_.allowed(life, limits, shared, now_ns_);
    if (!said.empty() && trace_.heard()) trace_.say(name_of(life) + said);
  }

  // --- publications -----------------------------------------------------------------------------
  // Accepted, with so many more packets of recoverable data than before (0: it is unreliable, or
  // shares the one of the message before it).
  void published(const Publication& publication, uint64_t packets);
  // The life calls so many of its packets of recoverable data stable.
  void stable(uint32_t life, uint64_t packets);
  // Notes for each other life how long this one has heard nothing of it until now.
  void note_silences(uint32_t life);

 private:
  // A recoverable publication, and how many packets there are up to its last one.
  struct Published {
    uint32_t publication = 0;
    uint64_t packets = 0;
  };
  // A packet of several messages that the application is handed.
  struct HandedPacket {
    uint16_t peer = 0;
    uint32_t incarnation = 0;
    uint64_t rel_seq = 0;
    uint64_t frame_seq = 0;
    bool operator==(const HandedPacket&) const = default;
  };
  // The state of the life that a node has at present.
  struct Stream {
    uint32_t life = kNobody;
    const node::PeerTable* peers = nullptr;
    uint64_t last_rel_seq = 0;  // sent for the first time
    uint64_t rel_before = 0;    // that, before the turn under way
    uint64_t packets = 0;       // of its recoverable publications
    std::vector<Published> recoverable;
    size_t stable = 0;                   // so many of them are called stable
    std::optional<HandedPacket> handed;  // the last one
    uint32_t place = 0;                  // in it, of the last message
  };
  [[nodiscard]] Stream& stream_of(uint32_t life) { return streams_[log_.lives[life].node]; }
  [[nodiscard]] uint32_t log_data(uint32_t life, uint32_t transmitter, const FrameView& view);
  [[nodiscard]] std::string carried_by(const SentFrame& frame) const;
  [[nodiscard]] uint32_t place_in_packet(uint32_t life, const node::PacketInfo& info);
  void note_heard(uint32_t life, const Waiting& waiting, counters::DropReason outcome);
  void note_silence(uint32_t receiver, uint32_t sender);
  void note_said(uint32_t receiver, uint32_t sender);
  void note_lost(uint32_t sender, size_t receiver);
  [[nodiscard]] size_t node_of(const wire::Gid& gid) const;
  [[nodiscard]] std::string describe(const FrameView& view) const;

  const uint64_t& now_ns_;
  const std::vector<wire::Gid> gids_;
  const uint64_t suspect_after_ns_;
  std::vector<Stream> streams_;  // by node
  Log log_;
  MessageRecorder messages_{log_};
  RateRecorder rates_{log_};
  ViewRecorder views_{log_};
  Trace trace_;
};

}  // namespace lambdacast::sim
