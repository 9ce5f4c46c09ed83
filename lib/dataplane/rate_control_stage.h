// Stage `rate_control`: publications -> paced, numbered, framed -> port. It pulls only what it may
// send, in three classes: control, not paced; then repairs, up to their share; then data. It has
// the sending half of reliable multicast: what recoverable packets it sends it retains until every
// receiver has them: by a flag that makes the port leave their mbufs alone, where it knows one, or
// by a second reference.
#pragma once

#include <array>
#include <atomic>
#include <optional>

#include "base/mailbox.h"
#include "dataplane/capture_tap.h"
#include "dataplane/link.h"
#include "dataplane/ordered_delivery.h"
#include "dataplane/packet.h"
#include "dataplane/reliability_stage.h"
#include "dataplane/stage.h"
#include "endpoint/control_transmit.h"
#include "endpoint/peer_table.h"
#include "endpoint/stability.h"
#include "endpoint/transmit_core.h"
#include "rate_control/pacer.h"
#include "reliability/sender_core.h"

namespace lambdacast::dataplane {

struct RateControlConfig {
  endpoint::TransmitConfig transmit;
  rate_control::PacerConfig pacer;
  reliability::RepairConfig repair;
  uint16_t port = 0;
  uint64_t keep_flag = 0;  // the port's (fabric/keep_flag.h); 0: it has none
  uint32_t burst = 32;
};

class RateControlStage final : public Stage {
 public:
  struct Links {
    Link& unreliable;   // publications
    Link& recoverable;  // likewise: they wait for their receivers' windows
    Link& heard;        // statuses and NACKs about what was sent here
    Link& said;         // control payloads of the reliability stage
  };
  // `peers`: as in ReliabilityStage.
  RateControlStage(const RateControlConfig& config, const endpoint::PeerTable& peers,
                   rte_mempool* pool, Links links);
  ~RateControlStage() override;

  // Before it runs: who hears for it. Without, it always listens.
  void set_hearing(const ReliabilityStage* hearing) { hearing_ = hearing; }
  // Before it runs: membership and total order.
  void set_view(OrderedDelivery* view) { view_ = view; }
  // Before it runs: frames to send as they are, ahead of all others (the neighbor stage's).
  void set_control(Link* control) { control_ = control; }

  [[nodiscard]] const char* name() const override { return "rate_control"; }
  uint32_t poll(uint64_t now_ns) override;

  // On the stage's lcore: what the port takes from now on is shown to `tap`; null: to none.
  void set_tap(CaptureTap* tap) { tap_ = tap; }
  // On the stage's lcore: it says once more how far it came, and then nothing (the rack stops).
  void hush() { sender_.finish(); }

  [[nodiscard]] const endpoint::TransmitCore& core() const { return core_; }
  [[nodiscard]] const endpoint::ControlTransmit& control_transmit() const {
    return control_frames_;
  }
  // From any thread: receivers that hold a place in the stream, and whether all of them have all.
  [[nodiscard]] uint32_t receivers() const { return receivers_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool flushed() const { return flushed_.load(std::memory_order_relaxed); }
  // From any thread: of the recoverable packets that came by the link, so many, the first ones, are
  // stable (endpoint/stability.h).
  [[nodiscard]] const std::atomic<uint64_t>& stable() const { return stable_; }
  [[nodiscard]] endpoint::Stability& stability() { return stability_; }
  // One control thread: the oldest event about a receiver that it has not taken yet. As many again
  // as wait here wait in the core, where the oldest give way.
  [[nodiscard]] std::optional<reliability::ReceiverEvent> take_event();
  [[nodiscard]] reliability::SenderCore& sender() { return sender_; }
  [[nodiscard]] const reliability::SenderCore& sender() const { return sender_; }
  // Data frames, repairs included.
  [[nodiscard]] uint64_t packets() const { return packets_; }
  [[nodiscard]] uint64_t messages() const { return messages_; }  // a fragmented one: its first part
  [[nodiscard]] uint64_t application_bytes() const { return application_bytes_; }
  // Nothing of control waits to be sent.
  [[nodiscard]] bool control_idle() const {
    return (control_ == nullptr || control_->empty()) && control_frame_ == nullptr;
  }
  // What the reliability stage had to say is with the port.
  [[nodiscard]] bool said_all() const { return links_.said.empty() && control_idle(); }
  // After hush(): nothing more will come, but for data still published.
  [[nodiscard]] bool silent() const {
    return sender_.said_the_end() && said_all() && links_.heard.empty() &&
           !sender_.repairs_wait() && pending() == 0;
  }
  [[nodiscard]] uint64_t control_packets() const { return control_packets_; }
  // Handed to the port so far are packets() less these: numbered, and not yet taken by it.
  [[nodiscard]] uint32_t pending() const { return pending_end_ - pending_begin_; }

 private:
  uint32_t hear(uint64_t now_ns);
  void publish_state();
  void publish_stable();
  void tell_events();
  [[nodiscard]] uint32_t send_control(uint64_t now_ns);
  [[nodiscard]] rte_mbuf* next_control(uint64_t now_ns);
  [[nodiscard]] bool anything_waits() const;
  void take(uint64_t now_ns);
  void take_repairs(uint64_t most, bool data_waits, uint64_t now_ns);
  void take_data(Link& link, uint64_t most, bool recoverable, uint64_t now_ns);
  void take_ordered(uint64_t most, uint64_t now_ns);
  void take_marks(uint64_t most, uint64_t now_ns);
  void take_resumed(uint64_t most, uint64_t now_ns);
  [[nodiscard]] std::optional<uint64_t> frame_ordered(rte_mbuf* m, uint64_t now_ns);
  void retain(rte_mbuf* m) const;
  void refer_to_pending();
  [[nodiscard]] uint16_t offer(rte_mbuf** frames, uint16_t count);

  endpoint::TransmitCore core_;
  endpoint::ControlTransmit control_frames_;
  reliability::SenderCore sender_;
  endpoint::Stability stability_;
  rate_control::Pacer pacer_;
  const endpoint::PeerTable& peers_;
  rte_mempool* pool_;
  uint16_t port_;
  uint64_t keep_flag_;
  uint32_t burst_;
  Links links_;
  const ReliabilityStage* hearing_ = nullptr;
  OrderedDelivery* view_ = nullptr;
  Link* control_ = nullptr;
  rte_mbuf* control_frame_ = nullptr;  // that the port did not take yet
  uint64_t control_packets_ = 0;
  CaptureTap* tap_ = nullptr;
  base::Mailbox<reliability::ReceiverEvent, 256> events_;
  uint64_t packets_ = 0;
  uint64_t messages_ = 0;
  uint64_t application_bytes_ = 0;
  bool odd_is_unreliable_ = false;  // the frame left over when both kinds of data have half
  // A frame that has its number must go out: what the port did not take waits here.
  uint32_t pending_begin_ = 0;
  uint32_t pending_end_ = 0;
  std::array<rte_mbuf*, kMaxBurst> pending_{};
  // With membership: pulled, and what is first of them may not go out yet.
  uint32_t stalled_begin_ = 0;
  uint32_t stalled_end_ = 0;
  std::array<rte_mbuf*, kMaxBurst> stalled_{};
  // Written by the stage when they change, read by anybody.
  alignas(base::kCacheLinePairBytes) std::atomic<uint32_t> receivers_{0};
  std::atomic<bool> flushed_{true};
  // Written by the stage when it changes, which is as often as statuses come; read by the
  // publisher.
  alignas(base::kCacheLinePairBytes) std::atomic<uint64_t> stable_{0};
};

}  // namespace lambdacast::dataplane
