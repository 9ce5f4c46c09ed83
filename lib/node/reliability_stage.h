// SPDX-License-Identifier: BSD-3-Clause
// Stage `reliability`: exactly once, in the sender's order, asking for what is missing.
//
//   outcome of a packet                    goes to
//   data in its place                      kAccepted
//   data ahead of a gap                    held here as it is; kAccepted when the gap has closed
//   a gap given up                         kAccepted, as a packet without a frame
//   control about this node's own stream   kHeard; held here while that is full
//   other control                          freed, counted as taken
//   refused                                freed, counted by reason
//   what this half has to say              kSaid, to go out ahead of data
//
// hold_pkts bounds how many packets of the pool wait here for earlier ones. A full kAccepted stops
// the pull, and so does a full kHeard: a sender that missed a status would take its receiver for
// silent.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/counter.h"
#include "base/mailbox.h"
#include "node/double_watch.h"
#include "node/env.h"
#include "node/gap_event.h"
#include "node/ordered_delivery.h"
#include "node/peer_table.h"
#include "node/place_offers.h"
#include "node/rate_watch.h"
#include "node/rx_blocked.h"
#include "node/stage.h"
#include "node/stage_counters.h"
#include "ordering/subscriptions.h"
#include "reliability/frame_account.h"
#include "reliability/stream_receiver.h"

namespace lambdacast::node {

// The receiving half of reliable multicast: its lcore's alone.
struct alignas(base::kCacheLinePairBytes) ReceivingHalf {
  explicit ReceivingHalf(const reliability::ReliabilityConfig& config)
      : frames({config.max_peers}),
        receiver(config),
        doubles(config.max_peers, config.suspect_after_ns) {}
  reliability::FrameAccount frames;      // every frame of every peer, by frame_seq
  reliability::StreamReceiver receiver;  // recoverable packets, by rel_seq
  DoubleWatch doubles;                   // peers that are two
};

struct ReliabilityReport {
  struct Peer {
    reliability::StreamReport stream;
    reliability::ReceiverReport receiver;  // of what it sends
  };
  StageCounters counters;
  reliability::SequenceCounters sequences;  // over all peers
  reliability::ReceiverCounters receiver;
  uint64_t doubles = 0;     // times that two endpoints with one address were told of
  uint32_t kept = 0;        // packets that wait for earlier ones
  std::vector<Peer> peers;  // by index
};

template <typename Env>
class ReliabilityStage final : public Stage {
 public:
  using Packet = typename Env::Packet;
  using Queue = typename Env::Queue;

  struct Links {
    Queue& in;
    Queue& out;
    Queue& heard;
    Queue& said;
    const Queue& deliveries;  // which is not this stage's: nothing of a peer is to wait there when
                              // its place is given up
  };
  struct Parts {
    ReceivingHalf& half;
    const PeerTable& peers;      // the receive stage's
    RxBlocked& rx_blocked;       // told from here
    PlaceHandover& places;       // to the receive stage
    OrderedDelivery<Env>* view;  // membership, which hears all control; null: none
    // Those of the ordering stage if it is on this lcore, else null. The stage prefetches the
    // subscription of each packet that it hands on. With thousands of groups the subscription is in
    // no near cache, and a burst later is too late to fetch it.
    const ordering::Subscriptions* subscriptions;
    RateWatch& watch;  // of what peers send
  };
  // Control payloads are written at `payload_offset` of a frame, at most `room_bytes` of them.
  // `look_for_gone_ns`: between two looks for peers whose places are free.
  ReliabilityStage(const Parts& parts, size_t payload_offset, size_t room_bytes, uint32_t burst,
                   uint64_t look_for_gone_ns, Env& env, const Links& links)
      : half_(parts.half),
        peers_(parts.peers),
        rx_blocked_(parts.rx_blocked),
        places_(parts.places, parts.half.receiver, parts.peers, look_for_gone_ns),
        view_(parts.view),
        subscriptions_(parts.subscriptions),
        watch_(parts.watch),
        payload_offset_(payload_offset),
        room_bytes_(room_bytes),
        burst_(burst),
        env_(env),
        links_(links) {}
  ~ReliabilityStage() override;

  [[nodiscard]] const char* name() const override { return "reliability"; }
  uint32_t poll(uint64_t now_ns) override;
  [[nodiscard]] uint64_t next_deadline_ns() const override;
  // The stage says nothing from now on. Called on the stage's lcore.
  void quiesce() { half_.receiver.leave(); }

  [[nodiscard]] const StageCounters& counters() const { return counters_; }
  // Reports of the first `peers`, on its lcore. Allocates nothing if out.peers has the capacity.
  void report(size_t peers, ReliabilityReport& out) const;
  // Packets judged a run at a time (packet_run.h).
  [[nodiscard]] uint64_t in_runs() const { return in_runs_; }
  // Control about this node's own stream that waits for room in kHeard.
  [[nodiscard]] uint32_t heard_waiting() const { return heard_count_; }
  // One control thread: the oldest gap that it has not taken yet. All of them go to the application
  // in their places; gap_events_dropped() found no room here.
  [[nodiscard]] std::optional<GapEvent> take_gap();
  [[nodiscard]] uint64_t gap_events_dropped() const { return gap_events_dropped_.get(); }
  // One control thread: the oldest event about two endpoints with one address.
  [[nodiscard]] std::optional<DoubleEvent> take_double() { return half_.doubles.take_event(); }

 private:
  class Drain;
  struct Burst;
  uint32_t drain(uint64_t now_ns);
  bool take_run(Packet* packets, uint32_t count, uint64_t now_ns, Burst& burst);
  void judge(Packet packet, uint64_t now_ns, Burst& burst);
  void meet(uint16_t peer);
  void offer_places(uint64_t now_ns);
  void judge_control(Packet packet, uint64_t now_ns, Burst& burst);
  [[nodiscard]] bool is_about_doubles(const PacketInfo& info, const uint8_t* payload,
                                      uint64_t now_ns);
  void tell(const GapEvent& gap);
  void count_bytes(const Packet* packets, uint32_t count);
  void hand_over_heard();
  uint32_t speak(uint64_t now_ns);

  ReceivingHalf& half_;
  const PeerTable& peers_;
  RxBlocked& rx_blocked_;
  PlaceOffers places_;
  OrderedDelivery<Env>* const view_;
  const ordering::Subscriptions* const subscriptions_;
  RateWatch& watch_;
  const size_t payload_offset_;
  const size_t room_bytes_;
  const uint32_t burst_;
  Env& env_;
  const Links links_;
  base::Mailbox<GapEvent, 256> gaps_;
  base::Counter gap_events_dropped_;
  uint64_t in_runs_ = 0;
  // Packets for kHeard, oldest first, of one burst at most: nothing is pulled before it is empty.
  uint32_t heard_count_ = 0;
  std::array<Packet, kMaxBurst> heard_;
  StageCounters counters_;
};

}  // namespace lambdacast::node
