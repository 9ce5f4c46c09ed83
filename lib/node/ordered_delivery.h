// SPDX-License-Identifier: BSD-3-Clause
// Membership and total order of a node, between its packets and its application. The stages
// reliability, ordering and rate_control share it, on one lcore: what has been taken, held and
// acknowledged is one state without a lock.
//
//   reliability  --control frames-->           accept_control()
//   ordering     --packets handed on-->        take(); poll() delivers what has its place
//   rate_control <--marks, control, relays--   what goes out
//
// A packet that is delivered and still needed for others who may miss it is shared.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/cacheline.h"
#include "base/mailbox.h"
#include "node/delivery_filter.h"
#include "node/env.h"
#include "node/peer_table.h"
#include "node/resumption.h"
#include "node/stability.h"
#include "node/standing_event.h"
#include "node/view_synchrony.h"

namespace lambdacast::node {

// What DeliveryFilter's counters do not tell of packets that total order kept, or add to them.
struct OrderedAccount {
  uint64_t own = 0;      // packets of this node that came to DeliveryFilter
  uint64_t marks = 0;    // packets of marks and rates kept: nobody delivers them
  uint64_t waiting = 0;  // content of others kept, neither delivered nor void
  uint64_t voided = 0;   // content of others given back undelivered: it has no place in a view
  uint64_t relayed = 0;  // frames of departed members that rate_control has taken
};

struct ViewReport {
  struct Member {
    wire::StreamName name;
    bool suspected = false;
    uint64_t silent_ns = 0;  // in time that this node was run
    // Positions between the mark that is applied here and the one that it has acknowledged, for the
    // sequencer with which it is furthest behind.
    uint64_t ack_lag = 0;
  };
  wire::MemberState state = wire::MemberState::kJoining;
  bool stranded = false;
  membership::Standing standing;
  bool left = false;
  wire::ViewId id;
  size_t own_rank = 0;
  size_t size = 0;  // members, of the last view that this node has been in
  std::array<Member, wire::kMaxMembers> members;
  membership::MembershipCounters membership;
  ordering::TotalOrderCounters order;
  ordering::TotalOrder::Ring ring;
  uint64_t held = 0;  // packets, content and marks, that not all members are known to have
  OrderedAccount account;
};

template <typename Env>
class OrderedDelivery final : private ViewHost {
 public:
  using Packet = typename Env::Packet;
  using Queue = typename Env::Queue;

  struct Parts {
    const PeerTable& peers;
    reliability::StreamReceiver& receiver;
    reliability::StreamSender& sender;
    Stability& stability;  // of what `sender` has sent
    DeliveryFilter& filter;
    RateShares* rates;  // null: the endpoint agrees on none
  };
  // `in`: kAccepted. `out`: kDeliveries.
  OrderedDelivery(const ViewConfig& config, const Parts& parts, Env& env, const Queue& in,
                  Queue& out);
  ~OrderedDelivery() override;

  // --- stage reliability ------------------------------------------------------------------------
  // A control frame; `taken`: StreamReceiver has taken it.
  void accept_control(const PacketInfo& info, const uint8_t* payload,
                      const wire::ControlHeader& header, bool taken, uint64_t now_ns);
  // Another peer has the place from now on.
  void succeed(size_t peer) { core_.succeed(peer); }

  // --- stage ordering ---------------------------------------------------------------------------
  [[nodiscard]] ViewSynchrony::Step take(Packet packet) {
    taking_ = true;
    const auto step = core_.take(Env::handle(packet));
    taking_ = false;
    if (step == ViewSynchrony::Step::kKeep) account_for(Env::info(packet));
    return step;
  }
  // A gap among the packets handed on. The application hears of it before it hears that this node
  // is out for its sake.
  void take_gap(const PacketInfo& gap) { lacks_ |= core_.take_gap(gap); }
  // Something has to reach the application before what is taken from now on: that goes behind it,
  // with hand_on_late(), a burst at most.
  [[nodiscard]] bool waits() const { return events_ != 0 || late_begin_ != late_end_; }
  void hand_on_late(Packet packet) { late_[late_end_++] = packet; }
  void poll(uint64_t now_ns, bool listening);
  // The deadline, as node::Stage::next_deadline_ns() has it.
  [[nodiscard]] uint64_t next_deadline_ns() const;
  // Packets that were taken out of `in` wait to be taken here.
  void stall(bool stalled) { stalled_ = stalled; }
  // Room of `out` is for what waits here first.
  [[nodiscard]] bool holds_back() const { return core_.order().offers_again() || waits(); }

  // --- stage rate_control -----------------------------------------------------------------------
  // How many packets of ordered content may go out now.
  [[nodiscard]] uint32_t allowance() const;
  // What goes ahead of any other ordered content: fragments sent before, once more.
  [[nodiscard]] bool resumes() const { return resumption_.pending(); }
  // Describes the next one in a packet to be framed, and writes it at `payload`. The same again
  // until resumed().
  void write_resumed(Packet packet, uint8_t* payload);
  void resumed() { resumption_.sent(); }
  // When marks may go out; ~0: there are none, or no room for them.
  [[nodiscard]] uint64_t marks_due_ns() const { return core_.marks().due_ns(); }
  // Writes marks into a packet to be framed, at `payload`.
  void write_marks(Packet packet, uint8_t* payload, size_t room, uint64_t now_ns) {
    core_.marks().write(Env::info(packet), payload, room, now_ns);
  }
  // May an announcement of rates go out now?
  [[nodiscard]] bool may_announce() const { return core_.may_announce(); }
  // More may be acknowledged than was said.
  void hurry() { core_.hurry(); }
  // A packet of ordered content or marks, with its `payload`, goes out as rel_seq; `copy`: a packet
  // for it.
  void sent(const PacketInfo& info, const uint8_t* payload, Packet copy, uint64_t rel_seq,
            uint64_t now_ns);
  [[nodiscard]] size_t next_control(uint8_t* payload, size_t room, uint64_t now_ns) {
    return core_.next_control(payload, room, now_ns);
  }
  // The time before which neither next_control() nor next_relay() has anything.
  [[nodiscard]] uint64_t next_speech_ns() const {
    return relays_begin_ != relays_end_ ? 0 : core_.next_speech_ns();
  }
  // As ViewSynchrony has it.
  [[nodiscard]] bool speech_may_wait(uint64_t now_ns) const {
    return core_.speech_may_wait(now_ns);
  }
  [[nodiscard]] uint64_t heartbeat_due_ns() const { return core_.heartbeat_due_ns(); }
  // Marks are due that others wait for with their shares.
  [[nodiscard]] bool marks_are_urgent() const { return core_.order().marks_are_urgent(); }
  // A frame of a departed member to be sent as it is, or none.
  [[nodiscard]] Packet next_relay();

  // As ViewSynchrony has it.
  [[nodiscard]] bool is_stranded() const { return core_.is_stranded(); }

  // --- one control thread -----------------------------------------------------------------------
  // How the view stands, each time that it is another way, the oldest first.
  [[nodiscard]] std::optional<StandingEvent> take_standing();

  // --- any thread -------------------------------------------------------------------------------
  // Members of the view that this node is in, and its epoch; 0: none.
  [[nodiscard]] uint32_t members() const { return members_.load(std::memory_order_relaxed); }
  [[nodiscard]] uint64_t epoch() const { return epoch_.load(std::memory_order_relaxed); }

  // --- on the lcore -----------------------------------------------------------------------------
  // It leaves its view, if it is in one. gone(): it is in none, and the others have been told, if
  // there are any in that view.
  void leave() {
    touched_ = true;
    if (core_.may_publish()) core_.leave();
  }
  [[nodiscard]] bool gone() const {
    if (!core_.is_out()) return !core_.may_publish();
    return core_.is_over() || core_.next_speech_ns() == ~uint64_t{0};
  }
  // That life is over, for certain, and the view need not wait until it has been silent for long.
  void bury(const wire::StreamName& name) {
    touched_ = true;
    core_.bury(name);
  }
  [[nodiscard]] bool in_view() const { return core_.may_publish(); }
  // The epoch of the view in which this node is operational; 0: of none, or it has promised to take
  // part in a ballot for the next one.
  [[nodiscard]] uint64_t operational() const {
    const bool so = core_.membership().state() == wire::MemberState::kOperational;
    return so ? epoch() : 0;
  }
  [[nodiscard]] const OrderedAccount& account() const { return account_; }
  [[nodiscard]] const membership::MembershipProtocol& membership() const {
    return core_.membership();
  }
  [[nodiscard]] const ordering::TotalOrder& order() const { return core_.order(); }
  void report(ViewReport& out) const;
  // Fragments of this node's own that it sent once more for newcomers.
  [[nodiscard]] uint64_t fragments_resumed() const { return resumption_.fragments(); }

 private:
  static constexpr size_t kRelays = 256;  // that wait for rate_control; more are asked for again
  // View events that wait: the beginning of a view, and behind it that this node is out.
  static constexpr size_t kEvents = 2;
  static constexpr uint64_t kUndelivered = ~uint64_t{0};  // as index of what is kept

  bool deliver_ordered(PacketHandle packet, const ordering::Ordered& what) override;
  void release(PacketHandle packet) override;
  PacketInfo& info(PacketHandle packet) override { return Env::info(Env::packet(packet)); }
  std::span<const uint8_t> payload(PacketHandle packet) override;
  void relay(PacketHandle packet) override;
  bool drained() override;
  void view_event(const ViewEvent& event) override;
  bool told() override { return events_ == 0; }
  void account_for(PacketInfo& kept) {
    kept.index = kUndelivered;
    ++(is_protocols_own(kept) ? account_.marks : account_.waiting);
  }
  void declare_lost(Packet packet, bool room);
  void tell_standing();
  // Events, then what came late, as `out` has room.
  void tell_waiting();
  void tell_events();

  Stability& stability_;
  DeliveryFilter& filter_;
  Resumption resumption_;
  const PeerTable& peers_;
  Env& env_;
  const Queue& in_;
  Queue& out_;
  uint64_t now_ns_ = 0;
  std::array<Packet, kRelays> relays_{};
  size_t relays_begin_ = 0;
  size_t relays_end_ = 0;
  struct Waiting {
    ViewEvent event;
    std::array<wire::StreamName, wire::kMaxMembers> member;
  };
  std::array<Waiting, kEvents> event_{};  // to be told before anything else
  size_t events_ = 0;
  // Delivered at the last call, when the application had no room: at most what the core held, and
  // the rest of a burst.
  std::unique_ptr<Packet[]> late_;  // touched only as needed
  size_t late_begin_ = 0;
  size_t late_end_ = 0;
  Packet spare_{};  // for the next gap: nothing ordered is judged without one
  bool stalled_ = false;
  bool lacks_ = false;   // an ordered message that the others have: this is no member of the view
  bool taking_ = false;  // the room of `out` is for the burst that is being taken
  bool touched_ = true;  // by control, losses or what was sent, since it was polled
  OrderedAccount account_;
  membership::Standing told_standing_;
  base::Mailbox<StandingEvent, 16> standings_;
  ViewSynchrony core_;  // last: it calls the rest
  // Written by the lcore when a view begins, read by anybody.
  alignas(base::kCacheLinePairBytes) std::atomic<uint32_t> members_{0};
  std::atomic<uint64_t> epoch_{0};
};

}  // namespace lambdacast::node
