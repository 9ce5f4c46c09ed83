// SPDX-License-Identifier: BSD-3-Clause
// Stage `rate_control`: publications -> paced, numbered, framed -> port. It is the only stage that
// transmits. It pulls only what it may send, in this order:
//
//   class                                     paced  waits for
//   neighbor's frames, relays, urgent control no     the port
//   acknowledgements, statuses, heartbeats    no     a part of the share
//   marks of total order, rates               yes    the window
//   repairs, up to their share beside data    yes    the port that still has the packet
//   fragments sent once more                  yes    the window but for what marks need; the view
//   data: unreliable, recoverable by halves   yes    that, if recoverable; the view, if ordered
//
// The endpoint's share of the receivers (rate_shares.h), counted in bytes, holds data and repairs
// back. Control and marks go, and are charged to it (rate_control/share_bucket.h).
//
// It has the sending half of reliable multicast. What recoverable packets it sends it retains until
// every receiver has them: by a flag that makes the port leave them alone, where the port knows
// one, or by a second reference.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <vector>

#include "base/mailbox.h"
#include "base/wire_bytes.h"
#include "node/control_transmit.h"
#include "node/env.h"
#include "node/frame_builder.h"
#include "node/identity_guard.h"
#include "node/ordered_delivery.h"
#include "node/peer_table.h"
#include "node/pending_frames.h"
#include "node/port_drain.h"
#include "node/rate_shares.h"
#include "node/rx_blocked.h"
#include "node/share_keeper.h"
#include "node/stability.h"
#include "node/stage.h"
#include "rate_control/pacer.h"
#include "reliability/stream_sender.h"

namespace lambdacast::node {

// The sending half of reliable multicast: its lcore's alone.
struct alignas(base::kCacheLinePairBytes) SendingHalf {
  SendingHalf(const FrameBuilderConfig& frames, const reliability::ReliabilityConfig& config)
      : builder(frames),
        control(frames.identity, frames.icrc),
        sender(config),
        stability(config.transmit_window_pkts + config.receive_window_pkts, config.first_rel_seq) {}
  FrameBuilder builder;
  ControlTransmit control;
  reliability::StreamSender sender;
  Stability stability;
};

struct RateControlReport {
  struct Peer {
    reliability::ReceiverState receiver;  // of what it has of this node's stream
    uint64_t retained_bytes = 0;          // frames of ours that it is not known to have
  };
  struct Retention {
    uint64_t last = 0;  // rel_seq sent
    uint64_t stable = 0;
    uint64_t packets = 0;
    uint64_t bytes = 0;
    uint64_t rtt_ns = 0;
    uint64_t in_flight = 0;  // it may be ahead of what all receivers have heard of, at present
    size_t receivers = 0;    // admitted
  };
  uint64_t packets = 0;  // numbered
  uint64_t messages = 0;
  uint64_t application_bytes = 0;
  uint64_t control_packets = 0;  // handed to the port beside those
  uint32_t pending = 0;          // of `packets`, not yet taken by the port
  uint32_t waiting = 0;          // published, not numbered yet
  uint64_t first_frame_seq = 0;
  uint64_t next_frame_seq = 0;
  uint64_t psn_wraps = 0;
  uint64_t first_rel_seq = 0;  // before the stream's first recoverable packet
  reliability::SenderCounters sender;
  Retention retention;
  rate_control::Limits limits;                         // that it keeps to
  std::optional<rate_control::Window::Report> window;  // with that policy
  ClassReport classes;                                 // while there was a limit
  std::vector<Peer> peers;                             // by index
};

template <typename Env>
class RateControlStage final : public Stage {
 public:
  using Packet = typename Env::Packet;
  using Queue = typename Env::Queue;

  struct Links {
    Queue& unreliable;
    Queue& recoverable;
    Queue& heard;
    Queue& said;
    Queue* neighbor;  // null: the node has no neighbor stage
  };
  struct Parts {
    SendingHalf& half;
    const PeerTable& peers;  // the receive stage's
    const RxBlocked& rx_blocked;
    OrderedDelivery<Env>* view;  // membership and total order; null: none
    IdentityGuard* guard;        // says when this node may speak; null: always
    RateShares& rates;
    PortDrain& drain;
    const StageCounters& reliability;  // with membership on the same lcore
    rate_control::Window* window;      // null without that policy
  };
  RateControlStage(const Parts& parts, const rate_control::PacerConfig& pacer, uint32_t burst,
                   Env& env, const Links& links)
      : half_(parts.half),
        peers_(parts.peers),
        rx_blocked_(parts.rx_blocked),
        view_(parts.view),
        guard_(parts.guard),
        rates_(parts.rates),
        pacer_(pacer),
        share_(parts.rates, parts.drain, parts.reliability, parts.window),
        burst_(burst),
        env_(env),
        links_(links),
        pending_(env, parts.half.sender) {}
  ~RateControlStage() override;

  [[nodiscard]] const char* name() const override { return "rate_control"; }
  uint32_t poll(uint64_t now_ns) override;
  [[nodiscard]] uint64_t next_deadline_ns() const override;

  // The stage says once more how far it came, and then nothing. Called on the stage's lcore.
  void quiesce() { half_.sender.finish(); }
  // What the reliability stage had to say is with the port.
  [[nodiscard]] bool said_all() const { return links_.said.empty() && control_idle(); }
  // True after quiesce() when nothing more will come, except for data still published.
  [[nodiscard]] bool silent() const {
    if (guard_ != nullptr && guard_->lost()) return true;
    return half_.sender.said_the_end() && said_all() && links_.heard.empty() &&
           !half_.sender.repairs_wait() && pending() == 0;
  }
  // Nothing of control waits to be sent.
  [[nodiscard]] bool control_idle() const {
    return (links_.neighbor == nullptr || links_.neighbor->empty()) && control_frame_ == Packet{} &&
           statuses_count_ == 0;
  }

  // --- any thread -------------------------------------------------------------------------------
  // Receivers that hold a place in the stream, and whether all of them have all.
  [[nodiscard]] uint32_t receivers() const { return receivers_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool flushed() const { return flushed_.load(std::memory_order_relaxed); }
  // How many of the recoverable packets that came by the link, the first ones, are stable
  // (stability.h).
  [[nodiscard]] const std::atomic<uint64_t>& stable() const { return stable_; }
  // One control thread: the oldest event about a receiver that it has not taken yet. As many again
  // as wait here wait in the sender, where the oldest give way.
  [[nodiscard]] std::optional<reliability::ReceiverEvent> take_event();

  // --- on the lcore: counters -------------------------------------------------------------------
  // Data frames, repairs included; messages, a fragmented one with its first part.
  [[nodiscard]] uint64_t packets() const { return packets_; }
  [[nodiscard]] uint64_t messages() const { return messages_; }
  [[nodiscard]] uint64_t application_bytes() const { return application_bytes_; }
  [[nodiscard]] uint64_t control_packets() const { return control_packets_; }
  // Allocates nothing if out.peers has the capacity. All but first_rel_seq, which the node knows.
  void report(RateControlReport& out) const;
  // Handed to the port so far are packets() less these: numbered, and not yet taken by it.
  [[nodiscard]] const ClassReport& classes() const { return share_.classes(); }
  [[nodiscard]] uint32_t pending() const { return pending_.size(); }

 private:
  uint32_t hear(uint64_t now_ns);
  [[nodiscard]] uint32_t send_control(uint64_t now_ns);
  [[nodiscard]] Packet next_control(uint64_t now_ns);
  [[nodiscard]] Packet next_notice(uint64_t now_ns);
  void forget_what_was_said();
  [[nodiscard]] Packet allocate();
  void frame_what_may_go(uint64_t now_ns);
  [[nodiscard]] uint64_t window_for_data() const;
  void tell_window(uint64_t now_ns);
  void note_closed(uint64_t now_ns);
  [[nodiscard]] bool anything_waits(uint64_t now_ns) const;
  [[nodiscard]] bool first_may_go() const;
  [[nodiscard]] bool waits_for_share() const;
  [[nodiscard]] bool rates_due() const { return view_ != nullptr && rates_.speech_due(); }
  [[nodiscard]] bool marks_may_go(uint64_t now_ns) {
    return view_->marks_are_urgent() || share_.may_go(Lazy::kMarks, now_ns);
  }
  void charge(Packet packet, Transmission transmission = Transmission::kFirst) {
    if (share_.limited()) [[unlikely]]
      share_.charge(wire_bytes_of(packet), transmission);
  }
  void charge_control(Packet packet, Urgency urgency, uint64_t now_ns) {
    if (share_.limited()) [[unlikely]]
      share_.charge_control(wire_bytes_of(packet), urgency, now_ns);
  }
  [[nodiscard]] static uint64_t wire_bytes_of(Packet packet) {
    return base::wire_bytes(static_cast<uint32_t>(Env::length(packet)));
  }
  [[nodiscard]] Packet finish_control(Packet packet, size_t bytes, Urgency urgency,
                                      uint64_t now_ns);
  [[nodiscard]] Packet next_of_view(uint64_t now_ns);
  [[nodiscard]] Packet next_said(uint64_t now_ns);
  void keep_status(Packet packet);
  [[nodiscard]] Packet next_of_sender(uint64_t now_ns);
  void take_rates(uint64_t most, uint64_t now_ns);
  void take_marks(uint64_t most, uint64_t now_ns);
  void take_repairs(uint64_t most, bool data_waits, uint64_t now_ns);
  template <typename Lay>
  void take_by_share(Queue& from, uint64_t most, uint64_t now_ns, Lay&& lay);
  void take_unreliable(uint64_t most, uint64_t now_ns);
  void take_recoverable(uint64_t most, uint64_t now_ns);
  void take_resumed(uint64_t most, uint64_t now_ns);
  void go_on_without_view(uint64_t now_ns);
  void take_ordered(uint64_t most, uint64_t now_ns);
  void lay(Packet packet, uint64_t now_ns);
  uint64_t lay_recoverable(Packet packet, uint64_t now_ns);
  [[nodiscard]] std::optional<uint64_t> lay_ordered(Packet packet, uint64_t now_ns);
  uint64_t lay_ordered(Packet packet, Packet copy, uint64_t now_ns);
  uint64_t retain(Packet packet, uint64_t now_ns);
  void count(const PacketInfo& info);
  // Through which of its marks, by the sequencer's rank, every member holds the content.
  [[nodiscard]] auto stable_marks() const {
    return [this](size_t sequencer) {
      return view_ == nullptr ? 0 : view_->order().stable_marks(sequencer);
    };
  }
  void publish_state();
  void publish_stable();
  void tell_events();

  SendingHalf& half_;
  const PeerTable& peers_;
  const RxBlocked& rx_blocked_;
  OrderedDelivery<Env>* const view_;
  IdentityGuard* const guard_;
  RateShares& rates_;
  bool may_speak_ = true;  // in this turn
  rate_control::Pacer pacer_;
  ShareKeeper share_;
  const uint32_t burst_;
  Env& env_;
  const Links links_;
  Packet control_frame_{};  // that the port did not take yet
  // Statuses of kSaid that may not go yet, in the order of their turns: a round of them. Of a
  // longer round the newest.
  static constexpr uint32_t kStatuses = 8;
  std::array<Packet, kStatuses> statuses_{};
  uint32_t statuses_count_ = 0;
  uint64_t control_packets_ = 0;
  base::Mailbox<reliability::ReceiverEvent, 256> events_;
  uint64_t packets_ = 0;
  uint64_t messages_ = 0;
  uint64_t application_bytes_ = 0;
  bool odd_is_unreliable_ = false;  // the frame left over when both kinds of data have half
  PendingFrames<Env> pending_;
  // With membership: packets that were pulled, of which the first may not go out yet.
  uint32_t stalled_begin_ = 0;
  uint32_t stalled_end_ = 0;
  std::array<Packet, kMaxBurst> stalled_{};
  // Written by the stage when they change, read by anybody.
  alignas(base::kCacheLinePairBytes) std::atomic<uint32_t> receivers_{0};
  std::atomic<bool> flushed_{true};
  // Written by the stage when it changes, which is as often as statuses come; read by the
  // publisher.
  alignas(base::kCacheLinePairBytes) std::atomic<uint64_t> stable_{0};
};

}  // namespace lambdacast::node
