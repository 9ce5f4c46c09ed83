// Stage `reliability`: exactly once, in the sender's order, asking for what is missing. Data goes
// on to ordering; statuses and NACKs about our own stream go to rate_control, which has the sending
// half; what this half has to say goes there too, to be sent ahead of data.
//
// A packet that waits for an earlier one is held here as it is, nothing copied: hold_pkts bounds
// how many of the pool's mbufs that may be.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/counter.h"
#include "base/mailbox.h"
#include "dataplane/ordered_delivery.h"
#include "dpdk/link.h"
#include "dpdk/packet.h"
#include "endpoint/gap_event.h"
#include "endpoint/peer_table.h"
#include "endpoint/stage.h"
#include "ordering/subscriptions.h"
#include "reliability/frame_account.h"
#include "reliability/stream_receiver.h"

namespace lambdacast::dataplane {

class ReliabilityStage final : public Stage {
 public:
  struct Links {
    Link& in;
    Link& out;    // to ordering
    Link& heard;  // control frames for the sending half
    Link& said;   // control payloads to be framed and sent
  };
  // `peers`: the receive stage's. An entry is written before the first packet that names it comes
  // through the link, and its names never change: another lcore may read them.
  ReliabilityStage(const reliability::ReliabilityConfig& config, const endpoint::PeerTable& peers,
                   size_t payload_offset, size_t room_bytes, rte_mempool* pool, uint32_t burst,
                   Links links)
      : frames_({config.max_peers}),
        receiver_(config),
        peers_(peers),
        payload_offset_(payload_offset),
        room_bytes_(room_bytes),
        pool_(pool),
        burst_(burst),
        links_(links) {}
  ~ReliabilityStage() override;

  // Before it runs: membership, which hears all control.
  void set_view(OrderedDelivery* view) { view_ = view; }
  // Likewise: of the stage ordering on this lcore. What is handed on has its group's subscription
  // fetched: with thousands of groups it is in no near cache, and a burst later is too late.
  void set_subscriptions(const ordering::Subscriptions* next) { subscriptions_ = next; }

  [[nodiscard]] const char* name() const override { return "reliability"; }
  // On the stage's lcore: it says nothing from now on (the rack stops).
  void quiesce() { receiver_.leave(); }
  uint32_t poll(uint64_t now_ns) override;

  // Every frame of every peer, by frame_seq.
  [[nodiscard]] reliability::FrameAccount& core() { return frames_; }
  [[nodiscard]] const reliability::FrameAccount& core() const { return frames_; }
  // Recoverable packets, by rel_seq.
  [[nodiscard]] reliability::StreamReceiver& receiver() { return receiver_; }
  [[nodiscard]] const reliability::StreamReceiver& receiver() const { return receiver_; }
  [[nodiscard]] const StageCounters& counters() const { return counters_; }
  // Any thread: the application takes nothing, the links up to here are full, and so nobody is
  // heard. A peer's silence then means nothing, and ours is none: statuses go on.
  [[nodiscard]] bool deaf() const { return deaf_.load(std::memory_order_relaxed); }
  // Control that found its link full: it will be said again.
  [[nodiscard]] uint64_t control_overflows() const { return control_overflows_; }
  // One control thread: the oldest gap that it has not taken yet. They go to the application in any
  // case, in their places; gap_events_dropped() found no room here.
  [[nodiscard]] std::optional<endpoint::GapEvent> take_gap();
  [[nodiscard]] uint64_t gap_events_dropped() const { return gap_events_dropped_.get(); }

 private:
  class Drain;
  struct Burst;
  uint32_t drain(uint64_t now_ns);
  bool take_run(rte_mbuf** packets, uint32_t count, uint64_t now_ns, Burst& burst);
  void judge(rte_mbuf* packet, uint64_t now_ns, Burst& burst);
  void tell(const endpoint::GapEvent& gap);
  void judge_control(rte_mbuf* packet, uint64_t now_ns, Burst& burst);
  uint32_t speak(uint64_t now_ns);

  reliability::FrameAccount frames_;
  reliability::StreamReceiver receiver_;
  const endpoint::PeerTable& peers_;
  size_t payload_offset_;  // of control frames
  size_t room_bytes_;
  rte_mempool* pool_;
  uint32_t burst_;
  Links links_;
  OrderedDelivery* view_ = nullptr;
  const ordering::Subscriptions* subscriptions_ = nullptr;
  std::atomic<bool> deaf_{false};
  base::Mailbox<endpoint::GapEvent, 256> gaps_;
  base::Counter gap_events_dropped_;
  uint64_t control_overflows_ = 0;
  StageCounters counters_;
};

}  // namespace lambdacast::dataplane
