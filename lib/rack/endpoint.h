// One endpoint of the data path: a port, a pool, the four stages and the links between them, and
// what an application does with it.
//
//   port -> receive -> reliability -> ordering -> deliveries -> application
//   port <- rate_control <- publications <- publisher <- application
//
// On a real network a fifth stage, neighbor, takes from receive what is no data, and sends through
// rate_control.
//
// The application runs on one thread (as a rule as a Stage on the ordering lcore): publisher() and
// take_deliveries() are its alone. A loan is the packet that goes out, a delivery the packet that
// came in: nothing is copied, except into shared packets and out of fragments.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "config/config.h"
#include "dataplane/groups.h"
#include "dataplane/neighbor_stage.h"
#include "dataplane/ordered_delivery.h"
#include "dataplane/ordering_stage.h"
#include "dataplane/publisher.h"
#include "dataplane/rate_control_stage.h"
#include "dataplane/receive_stage.h"
#include "dataplane/reliability_stage.h"
#include "dataplane/view_packet.h"
#include "dpdk/attachment.h"
#include "dpdk/link.h"
#include "dpdk/packet.h"
#include "endpoint/gap_event.h"
#include "wire/control/messages.h"

namespace lambdacast::dataplane {

// What an endpoint with membership says of its view and its order.
struct ViewSnapshot {
  struct Member {
    wire::StreamName name;
    bool suspected = false;
    uint64_t silent_ns = 0;  // in time lived here
    // Of the sequencers that it is furthest behind with: positions between the mark that is
    // applied here and the one that it has acknowledged.
    uint64_t ack_lag = 0;
  };
  wire::MemberState state = wire::MemberState::kJoining;
  bool stranded = false;
  bool left = false;
  wire::ViewId id;
  size_t own_rank = 0;
  size_t size = 0;  // members, of the last view that this node has been in
  std::array<Member, wire::kMaxMembers> members;
  membership::MembershipCounters membership;
  ordering::TotalOrderCounters order;
  uint64_t held = 0;  // packets, content and marks, that not all members are known to have
  OrderedDelivery::Account account;
};

// A group that an endpoint subscribes to, or one with a name that it knows of.
struct GroupStatus {
  ordering::GroupReport report;                           // of what has been delivered
  std::array<char, wire::kMaxGroupNameBytes + 1> name{};  // empty: it has a number only
  group::GroupLayer::Standing standing = group::GroupLayer::Standing::kMember;
  size_t members = 0;  // of a named one
  size_t waiting = 0;  // of them, for its state
};

// The counts of all stages, for reports.
struct EndpointSnapshot {
  StageCounters receive;
  StageCounters reliability;
  StageCounters ordering;
  uint64_t published = 0;  // packets numbered by rate_control
  uint64_t published_messages = 0;
  uint64_t published_bytes = 0;
  uint32_t pending = 0;  // of them not yet taken by the port
  uint32_t waiting = 0;  // published, not numbered yet
  uint64_t first_frame_seq = 0;
  uint64_t next_frame_seq = 0;
  uint64_t sent_psn_wraps = 0;
  ordering::Delivered delivered;  // its packets are ordering.forwarded
  uint64_t held = 0;              // fragments in reassembly
  uint64_t reassembly_free_bytes = 0;
  reliability::SequenceCounters sequences;  // over all peers
  struct PeerSnapshot {
    wire::Gid gid;
    uint32_t qpn = 0;
    reliability::StreamReport stream;
    reliability::ReceiverReport receiver;    // of what it sends
    reliability::ReceiverState as_receiver;  // of what it has of ours
    uint64_t retained_bytes = 0;             // frames of ours that it is not known to have
  };
  std::vector<PeerSnapshot> peers;  // by index; capacity for max_peers, so that lcores can fill it
  size_t known_peers = 0;           // to the receive stage; what peers has beyond is unspecified
  // Of an endpoint on a real network, else nothing.
  struct NeighborSnapshot {
    counters::NeighborCounters counters;
    std::optional<neighbor::AddressConflict> conflict;
  };
  std::optional<NeighborSnapshot> neighbor;
  uint64_t control_packets = 0;  // handed to the port beside those published
  reliability::ReceiverCounters receiver_counters;
  reliability::SenderCounters sender_counters;
  struct Retention {
    uint64_t first = 0;  // rel_seq before the stream's first
    uint64_t last = 0;   // sent
    uint64_t stable = 0;
    uint64_t packets = 0;
    uint64_t bytes = 0;
    uint64_t rtt_ns = 0;
    uint64_t in_flight = 0;  // it may be ahead of what all receivers have heard of, at present
    size_t receivers = 0;    // admitted
  };
  Retention retention;
  uint32_t kept = 0;                 // packets that wait for earlier ones
  std::optional<ViewSnapshot> view;  // of an endpoint with membership
};

class Endpoint {
 public:
  static constexpr size_t kMoreGroups = 64;
  // Subscriptions at a time: those of the configuration, some for whoever listens by hand, and with
  // membership all groups with names.
  [[nodiscard]] static size_t max_groups(const config::Endpoint& config) {
    return config.groups.size() + kMoreGroups +
           (config.membership.enabled ? config.membership.names : 0);
  }

  struct Options {
    uint32_t incarnation = 1;
    uint64_t first_frame_seq = 0;
    uint64_t first_rel_seq = 0;
  };

  // Opens the port and builds the stages; nothing runs yet. `fabric`: of config.fabric.
  [[nodiscard]] static base::Result<std::unique_ptr<Endpoint>> create(
      const config::Endpoint& config, const std::optional<config::Fabric>& fabric,
      const Options& options);

  // --- application side -----------------------------------------------------------------------
  [[nodiscard]] Publisher& publisher() { return *publisher_; }
  // Shorthands for the publisher's (publisher.h).
  [[nodiscard]] uint32_t loan(std::span<Loan> loans) { return publisher_->loan(loans); }
  [[nodiscard]] uint32_t publish(std::span<const Loan> loans) { return publisher_->publish(loans); }
  void give_back(std::span<const Loan> loans) { publisher_->give_back(loans); }
  [[nodiscard]] size_t max_loan_bytes() const { return publisher_->max_loan_bytes(); }

  // Receivers that hold a place in this endpoint's stream now: what is published with a QoS above
  // unreliable is for them, and for nobody while there are none.
  [[nodiscard]] uint32_t receivers() const { return rate_control_->receivers(); }
  // All of them have all that rate_control has taken of it so far.
  [[nodiscard]] bool flushed() const { return rate_control_->flushed(); }

  // Takes up to `most` (kMaxBurst at most) delivered packets: for each message in them
  // handler(const endpoint::PacketInfo&, std::span<const uint8_t> message), valid during the call.
  // The PacketInfo is that of the packet that brought the message, or completed it. In the place of
  // packets that were declared lost gap(const endpoint::GapEvent&). Returns the packets taken.
  template <typename Handler>
  uint32_t take_deliveries(uint32_t most, Handler&& handler) {
    return take_deliveries(most, handler, [](const endpoint::GapEvent&) {});
  }
  template <typename Handler, typename GapHandler>
  uint32_t take_deliveries(uint32_t most, Handler&& handler, GapHandler&& gap) {
    return take_deliveries(most, handler, gap, [](const endpoint::ViewEvent&) {});
  }
  // With membership: between the deliveries of two views view(const endpoint::ViewEvent&), whose
  // members are valid during the call. Totally
  // ordered messages have their index and epoch in the PacketInfo; this endpoint's own are among
  // them, of peer kNoPeer.
  template <typename Handler, typename GapHandler, typename ViewHandler>
  uint32_t take_deliveries(uint32_t most, Handler&& handler, GapHandler&& gap, ViewHandler&& view) {
    return take_deliveries(most, handler, gap, view,
                           [](const endpoint::PacketInfo&, std::span<const uint8_t>) {});
  }
  // And messages of the group layer, of any group: group(const endpoint::PacketInfo&,
  // std::span<const uint8_t>), in their places among the others.
  template <typename Handler, typename GapHandler, typename ViewHandler, typename GroupHandler>
  uint32_t take_deliveries(uint32_t most, Handler&& handler, GapHandler&& gap, ViewHandler&& view,
                           GroupHandler&& group) {
    rte_mbuf* packets[kMaxBurst];
    const uint32_t got = deliveries_->pull(packets, std::min(most, kMaxBurst));
    if (groups_ != nullptr) {
      for (uint32_t i = 0; i < got; ++i) groups_->prefetch(info_of(packets[i]));
    }
    for (uint32_t i = 0; i < got; ++i) {
      const endpoint::PacketInfo& info = info_of(packets[i]);
      if (info.kind == wire::Kind::kData) [[likely]] {
        handler(info, payload_of(packets[i]));
      } else if (info.kind == wire::Kind::kMessages) {
        wire::for_each_message(payload_of(packets[i]),
                               [&](std::span<const uint8_t> message) { handler(info, message); });
      } else if (info.kind == wire::Kind::kGroup) {
        group(info, payload_of(packets[i]));
      } else if (info.kind == wire::Kind::kGap) {
        gap(endpoint::GapEvent{info.peer, info.incarnation, info.rel_seq, info.frame_seq,
                               static_cast<reliability::LossReason>(info.flags)});
      } else if (info.kind == wire::Kind::kView) {
        view(load_view_event(packets[i]));
      } else {
        handler(info, std::span<const uint8_t>(info.message, info.message_bytes));
        released_->push(info.reassembly);
      }
    }
    if (got != 0) free_plain(pool_.get(), packets, got);
    return got;
  }

  // take_deliveries() for an application with named groups, which get what is theirs; `handler` the
  // rest. With membership only. Once a poll: named_groups() says and hears what it has to.
  template <typename Handler, typename GapHandler, typename ViewHandler>
  uint32_t poll_groups(uint32_t most, uint64_t now_ns, Handler&& handler, GapHandler&& gap,
                       ViewHandler&& view) {
    const uint32_t taken = take_deliveries(
        most,
        [&](const endpoint::PacketInfo& info, std::span<const uint8_t> message) {
          if (!groups_->deliver(info, message)) handler(info, message);
        },
        [&](const endpoint::GapEvent& event) {
          groups_->gap(event);
          gap(event);
        },
        [&](const endpoint::ViewEvent& event) {
          view(event);
          groups_->view(event);
        },
        [&](const endpoint::PacketInfo& info, std::span<const uint8_t> payload) {
          groups_->group_message(info, payload);
        });
    groups_->poll(now_ns);
    return taken;
  }
  // Null without membership.
  [[nodiscard]] Groups* named_groups() { return groups_.get(); }

  // --- control thread: one ----------------------------------------------------------------------
  // What befell reliable multicast here since it was asked last, while the endpoint runs or after:
  //   receiver(const reliability::ReceiverEvent&)  somebody joined this endpoint's stream, was cut
  //                                                off (and why), or came back as another life
  //   gap(const endpoint::GapEvent&)               packets of a peer that were declared lost here;
  //                                                a count of 0: the peer has cut this one off
  // The peers are receive().peers(). 256 of each wait; of what finds no room the counters tell
  // (SenderCounters, ReceiverReport).
  template <typename ReceiverHandler, typename GapHandler>
  void take_events(ReceiverHandler&& receiver, GapHandler&& gap) {
    while (const auto event = rate_control_->take_event()) receiver(*event);
    while (const auto event = reliability_->take_gap()) gap(*event);
  }

  // --- set-up and control ---------------------------------------------------------------------
  [[nodiscard]] const config::Endpoint& config() const { return config_; }
  [[nodiscard]] const endpoint::EndpointIdentity& identity() const { return identity_; }
  // Its ports; port() is the one it transmits on.
  [[nodiscard]] Attachment& attachment() { return *attachment_; }
  [[nodiscard]] const Attachment& attachment() const { return *attachment_; }
  [[nodiscard]] Port& port() { return attachment_->port(); }
  [[nodiscard]] const Port& port() const { return attachment_->port(); }
  [[nodiscard]] MulticastFilter multicast_filter() const { return attachment_->multicast_filter(); }
  [[nodiscard]] rte_mempool* pool() { return pool_.get(); }
  [[nodiscard]] const rte_mempool* pool() const { return pool_.get(); }
  [[nodiscard]] size_t max_groups() const { return max_groups(config_); }

  [[nodiscard]] ReceiveStage& receive() { return *receive_; }
  [[nodiscard]] ReliabilityStage& reliability() { return *reliability_; }
  [[nodiscard]] OrderingStage& ordering() { return *ordering_; }
  [[nodiscard]] RateControlStage& rate_control() { return *rate_control_; }
  // Null without membership.
  [[nodiscard]] OrderedDelivery* view() { return view_.get(); }
  [[nodiscard]] const OrderedDelivery* view() const { return view_.get(); }
  // Null on the embedded fabric and on a verbs device.
  [[nodiscard]] NeighborStage* neighbor() { return neighbor_.get(); }

  // Each part is read on the lcore that owns it, or while no lcore runs (Rack::snapshot). Nothing
  // is allocated if out.peers has the capacity.
  void snapshot_receive(EndpointSnapshot& out) const;
  void snapshot_reliability(EndpointSnapshot& out) const;
  void snapshot_ordering(EndpointSnapshot& out) const;
  void snapshot_rate_control(EndpointSnapshot& out) const;
  // Of ordering's lcore likewise.
  void snapshot_groups(std::vector<GroupStatus>& out) const;

 private:
  void snapshot_view(ViewSnapshot& out) const;
  explicit Endpoint(const config::Endpoint& config) : config_(config) {}
  [[nodiscard]] base::Result<void> make_pool();
  [[nodiscard]] base::Result<void> open_port(const std::optional<config::Fabric>& fabric);
  [[nodiscard]] base::Result<void> make_identity(uint32_t incarnation);
  [[nodiscard]] base::Result<void> make_links();
  void make_stages(const Options& options);
  void make_view();
  void make_groups();
  [[nodiscard]] base::Result<void> make_neighbor();

  struct FreePool {
    void operator()(rte_mempool* pool) const { rte_mempool_free(pool); }
  };

  // Destroyed from the last to the first: stages and links give packets back to a living pool.
  config::Endpoint config_;
  uint64_t first_rel_seq_ = 0;
  endpoint::EndpointIdentity identity_;
  std::unique_ptr<rte_mempool, FreePool> pool_;
  std::optional<Attachment> attachment_;
  std::optional<Link> received_;
  std::optional<Link> accepted_;
  std::optional<Link> deliveries_;
  std::optional<Link> publications_;  // unreliable
  std::optional<Link> recoverable_;   // publications likewise
  std::optional<Link> heard_;         // control frames for the sending half
  std::optional<Link> said_;          // control payloads of the receiving half
  std::optional<Link> control_;
  std::optional<ReleaseRing> released_;
  std::unique_ptr<ReceiveStage> receive_;
  std::unique_ptr<ReliabilityStage> reliability_;
  std::unique_ptr<OrderingStage> ordering_;
  std::unique_ptr<RateControlStage> rate_control_;
  std::unique_ptr<OrderedDelivery> view_;
  std::unique_ptr<NeighborStage> neighbor_;
  std::unique_ptr<Publisher> publisher_;
  std::unique_ptr<Groups> groups_;
};

}  // namespace lambdacast::dataplane
