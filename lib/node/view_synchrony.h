// SPDX-License-Identifier: BSD-3-Clause
// Membership and total order of one endpoint, joined to the two halves of reliable multicast.
// Drives no packet itself: its host is OrderedDelivery (ordered_delivery.h).
//
//   control frames    --> accept_control --> MembershipProtocol --view--> TotalOrder and both
//   halves packets handed on --> take           --> TotalOrder     --> ViewHost::deliver_ordered
//
// Content of departed members that others miss is relayed from here: their own frames, sent again
// as they were.
//
// Not thread-safe: one lcore runs reliability, ordering and rate_control of an endpoint with
// membership.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "counters/drop_reason.h"
#include "membership/membership_protocol.h"
#include "node/marks.h"
#include "node/packet_info.h"
#include "node/rate_shares.h"
#include "node/view_event.h"
#include "ordering/total_order.h"
#include "reliability/stream_receiver.h"
#include "reliability/stream_sender.h"

namespace lambdacast::node {

using base::PacketHandle;

class ViewHost {
 public:
  virtual ~ViewHost() = default;
  // Delivers to the application at the packet's level of service. The packet stays with the core
  // until release(). False: the application does not take it now, which the last call excludes.
  virtual bool deliver_ordered(PacketHandle packet, const ordering::Ordered& what) = 0;
  virtual void release(PacketHandle packet) = 0;
  virtual PacketInfo& info(PacketHandle packet) = 0;
  virtual std::span<const uint8_t> payload(PacketHandle packet) = 0;
  // The frame that the packet came in, out again as it is.
  virtual void relay(PacketHandle packet) = 0;
  // Nothing that StreamReceiver has handed on is on its way to take().
  virtual bool drained() = 0;
  // Tells the application of views, in the order of deliveries.
  virtual void view_event(const ViewEvent& event) = 0;
  // Does the application have all of them? Until then no further view begins.
  virtual bool told() = 0;
};

struct ViewConfig {
  membership::MembershipConfig membership;
  ordering::TotalOrderConfig order;
  bool rates = true;  // its members announce their rates to each other
};

class ViewSynchrony final : private membership::MembershipHost, private ordering::OrderHost {
 public:
  struct Parts {
    reliability::StreamReceiver& receiver;
    reliability::StreamSender& sender;
    RateShares* rates;  // null: the endpoint agrees on none
  };
  ViewSynchrony(const ViewConfig& config, const Parts& parts, ViewHost& host);

  // A control frame of the peer, of any kind, that load_control accepted.
  void accept_control(size_t peer, const wire::StreamName& name, const uint8_t* payload,
                      const wire::ControlHeader& header, uint64_t now_ns);

  // That node lives, with this name: of a frame that is not to be taken further.
  void heard(size_t peer, const wire::StreamName& name, uint64_t now_ns) {
    membership_.heard(peer, name, now_ns);
  }

  // Another peer, which is in no view of ours, has the place: nothing kept is of its stream.
  void succeed(size_t peer) {
    taken_[peer] = {};
    missed_[peer] = {};
    order_.forget(peer);
  }

  // A recoverable packet that the peer's stream hands on.
  enum class Step : uint8_t {
    kPass,  // it is not this core's affair: on, at once
    kKeep,  // taken
    kDrop   // ordered content of no view of ours, or marks
  };
  [[nodiscard]] Step take(PacketHandle packet);
  // A gap that the peer's stream hands on in the place of packets, perhaps of ordered ones. True:
  // what comes behind it must not be ordered as if nothing were missing, and this endpoint has to
  // abandon() its view (doc/decisions/0008-slow-receivers.md). A gap at the positions behind which
  // the view begins is no part of the view: a member that was cut off before may have missed them.
  // One who joins may be a member already and not know yet where its view begins: the gap is kept
  // until it does.
  [[nodiscard]] bool take_gap(const PacketInfo& gap) {
    changed_ = true;
    if (gap.gap.reason == reliability::LossReason::kSenderGone) return false;
    const uint64_t last = gap.rel_seq + gap.gap.positions - 1;
    if (membership_.is_member(gap.peer)) return last > begins_[gap.peer];
    missed_[gap.peer] = {last, gap.incarnation};
    return false;
  }
  // A packet of this endpoint's own goes out as rel_seq, ordered content or marks; `copy` is the
  // core's from now on.
  void sent(uint64_t rel_seq, PacketHandle copy);

  // Must be called after packets were taken or sent, and at next_deadline_ns().
  void poll(uint64_t now_ns, bool listening = true);
  [[nodiscard]] size_t next_control(uint8_t* payload, size_t room, uint64_t now_ns);
  // The time before which next_control() has nothing.
  [[nodiscard]] uint64_t next_speech_ns() const {
    return skips_.empty() ? membership_.next_deadline_ns() : 0;
  }
  [[nodiscard]] uint64_t next_deadline_ns() const { return membership_.next_deadline_ns(); }
  [[nodiscard]] uint64_t heartbeat_due_ns() const { return membership_.heartbeat_due_ns(); }
  // Is it no more than acknowledgements that nobody waits for with a share?
  [[nodiscard]] bool speech_may_wait(uint64_t now_ns) const {
    return skips_.empty() && membership_.may_wait(now_ns) &&
           (rates_ == nullptr || !rates_->acknowledgements_wait());
  }

  // May ordered content be published, and may it go out now?
  [[nodiscard]] bool may_publish() const {
    return membership_.state() == wire::MemberState::kOperational ||
           membership_.state() == wire::MemberState::kRecovering;
  }
  [[nodiscard]] bool may_send() const {
    return membership_.state() == wire::MemberState::kOperational && order_.settled() &&
           marks_.room_for_content() != 0;
  }
  // May an announcement of rates go out? It is content, in the part of the window that marks have.
  [[nodiscard]] bool may_announce() const {
    return membership_.state() == wire::MemberState::kOperational && order_.settled() &&
           order_.room(self_) != 0;
  }
  void hurry() { membership_.hurry(); }
  [[nodiscard]] Marks& marks() { return marks_; }
  [[nodiscard]] const Marks& marks() const { return marks_; }

  // As MembershipProtocol has it.
  void bury(const wire::StreamName& name) { membership_.bury(name); }
  void leave() { membership_.leave(); }
  // Something ordered that the others have cannot be delivered here: out of the view.
  void abandon() { membership_.abandon(); }
  // The view has no quorum. What needs no view need not wait for those who are missing in it.
  [[nodiscard]] bool is_stranded() const {
    return membership_.standing().what == membership::Standing::What::kNoQuorum;
  }
  // Its view was over for good, and this endpoint is out of it.
  [[nodiscard]] bool is_over() const {
    return membership_.standing().what == membership::Standing::What::kOver;
  }
  // Out of the view, all there is to be said is the view without this endpoint, if it brought that
  // about.
  [[nodiscard]] bool is_out() const { return membership_.state() == wire::MemberState::kExcluded; }
  void clear() { order_.clear(); }

  [[nodiscard]] const membership::MembershipProtocol& membership() const { return membership_; }
  [[nodiscard]] const ordering::TotalOrder& order() const { return order_; }
  [[nodiscard]] uint64_t relayed() const { return relayed_; }

 private:
  // membership::MembershipHost
  uint64_t held_through(size_t peer, const wire::StreamName& name) override;
  uint64_t here_through(size_t peer, const wire::StreamName& name) override;
  void give_up(size_t peer, uint64_t cut) override {
    changed_ = true;
    receiver_.lose_skipped(peer, cut);
  }
  void stays(size_t peer) override {
    changed_ = true;
    receiver_.reclaim_skipped(peer);
  }
  void hold_on_to(const membership::Value* value) override;
  void fetch(size_t peer, uint64_t cut) override;
  void serve(size_t peer, uint64_t cut) override;
  void promised() override;
  bool settled() override { return order_.settled() && host_.told(); }
  void installed(const membership::View& before, const membership::View& now,
                 const membership::Value& value) override;
  void excluded(bool left) override;
  uint64_t own_ack(size_t rank) override;
  void vouched(size_t rank) override {
    if (rates_ != nullptr) rates_->vouched(rank, now_ns_);
  }
  void acknowledged(size_t member_rank, std::span<const uint64_t> through) override {
    order_.acknowledged(member_rank, through);
  }
  // ordering::OrderHost
  bool deliver(PacketHandle packet, const ordering::Ordered& what) override {
    return host_.deliver_ordered(packet, what);
  }
  void release(PacketHandle packet) override {
    stale_.mark(host_.info(packet).peer);
    host_.release(packet);
  }
  std::span<const uint8_t> payload(PacketHandle packet) override { return host_.payload(packet); }
  uint64_t taken_through(size_t stream) override { return held_through(stream); }
  void rates(size_t stream, PacketHandle packet) override;
  void rates_marked(uint64_t position) override;
  void view_ended() override;
  [[nodiscard]] uint64_t held_through(size_t stream);
  void acknowledge(ordering::Progress progress);
  void limit_stream(size_t peer);
  void limit_streams();
  void limit_all();
  void view_begins() override;

  void answer(const uint8_t* payload, const wire::ControlHeader& header);
  [[nodiscard]] bool wants(size_t peer, uint64_t incarnation) const;
  void leave_if_lacking();
  void accept(size_t stream, uint64_t rel_seq, PacketHandle packet);

  reliability::StreamReceiver& receiver_;
  reliability::StreamSender& sender_;
  RateShares* const rates_;
  ViewHost& host_;
  const size_t self_;  // stream index
  membership::MembershipProtocol membership_;
  ordering::TotalOrder order_;
  Marks marks_;
  bool joins_ = false;  // has promised to join: what comes from now on may be of its first view
  uint64_t now_ns_ = 0;
  const uint64_t ack_interval_ns_;
  const std::optional<wire::Gid> tie_breaker_;
  // By peer: the last packet taken of those that come in order; less than what was handed on while
  // some is on its way.
  struct Taken {
    uint64_t through = 0;
    uint32_t incarnation = 0;
  };
  std::vector<Taken> taken_;
  std::vector<Taken> missed_;  // by peer, before it was in a view: the last position of a gap
  bool lacks_ = false;         // the view that begins has a part of a stream that was missed
  // Since the streams' limits were told: of which peers anything has changed that they depend on.
  struct Stale {
    explicit Stale(size_t peers) : marked(peers) { list.reserve(peers); }
    void mark(size_t peer) {
      if (peer >= marked.size() || std::exchange(marked[peer], uint8_t{1}) != 0) return;
      list.push_back(static_cast<uint16_t>(peer));
    }
    void clear() {
      for (const uint16_t peer : list) marked[peer] = 0;
      list.clear();
    }
    std::vector<uint16_t> list;
    std::vector<uint8_t> marked;
  } stale_;
  bool changed_ = true;           // of any of them
  std::vector<uint64_t> begins_;  // by peer: the view has what it sends behind that position
  std::vector<uint64_t> serves_;  // by peer: the cut of a departed one that we relay; 0: none
  std::vector<ordering::TotalOrder::Cut> cuts_;  // memory for installed()
  std::vector<size_t> streams_;
  std::vector<RateShares::Member> rate_members_;  // the same
  size_t stayed_ = 0;                             // of the view that begins next
  std::vector<wire::SkipFrame> skips_;            // to be said
  uint64_t relayed_ = 0;
};

}  // namespace lambdacast::node
