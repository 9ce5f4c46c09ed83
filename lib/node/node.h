// SPDX-License-Identifier: BSD-3-Clause
// A node of the fabric: its stages and the links between them, over an Env. THE composition: the
// data path and the simulator instantiate this one, and nothing else joins the parts.
//
//   port -> receive -> reliability -> ordering -> deliveries -> application
//   port <- rate_control <- publications <- publisher <- application
//
// On a real network a fifth stage, neighbor, takes from receive what is no data, and sends through
// rate_control. With membership reliability, ordering and rate_control share an lcore
// (ordered_delivery.h).
//
// A turn of an lcore polls its stages in the order of for_each_stage(), which is a packet's way
// from the port to the application, and of what that publishes back to the port. Between lcores
// any order will do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "group/outside_calls.h"
#include "node/caller.h"
#include "node/deliveries.h"
#include "node/groups.h"
#include "node/neighbor_stage.h"
#include "node/node_report.h"
#include "node/ordered_delivery.h"
#include "node/ordering_stage.h"
#include "node/publisher.h"
#include "node/rate_control_stage.h"
#include "node/rate_shares.h"
#include "node/receive_stage.h"
#include "node/reliability_stage.h"

namespace lambdacast::node {

// Slots of the links, each a power of two.
struct LinkSlots {
  uint32_t packets = 1024;     // between the stages of the receiving side, and kHeard
  uint32_t publications = 64;  // kUnreliable and kRecoverable
  uint32_t control = 64;       // kSaid and kNeighbor: who has more to say waits
};

struct NodeConfig {
  EndpointIdentity identity;  // validated
  uint32_t burst = 32;        // packets moved at a time, at most kMaxBurst
  size_t max_peers = 64;
  wire::IcrcMode icrc = wire::IcrcMode::kFull;
  bool tells_psn = true;  // false: the port's frames have no PSN (FrameClassifierConfig)
  uint64_t first_frame_seq = 0;
  // How long it listens for another endpoint with its address before it speaks. 0: there can be
  // none, and nobody looks.
  uint64_t listen_ns = 0;
  rate_control::PacerConfig pacer;  // packets a second and packets at once
  rate_control::RateConfig rate;
  uint32_t port_frames = 4096;  // that may wait in the port to be received
  // The node fills in `self`, `max_peers` and the like in these from the members above.
  reliability::ReliabilityConfig reliability;
  DeliveryFilterConfig delivery;
  PublisherConfig publisher;
  LinkSlots links;
  // Do reliability and ordering run on one lcore? Says which of them prefetches for ordering.
  bool reliability_with_ordering = true;
  // Membership, total order and groups with names. Nothing: the levels from totally ordered on are
  // refused.
  std::optional<ViewConfig> view;
  group::GroupConfig groups;                 // without `view` its requests alone
  std::vector<group::EntryAddress> entries;  // without `view`: members that forward its calls
  std::optional<neighbor::NeighborConfig> neighbor;  // on a real network
};

template <typename Env>
class Node {
 public:
  using Queue = typename Env::Queue;

  // Builds the stages; nothing runs yet. Errors: a link cannot be made. `env` outlives the node.
  [[nodiscard]] static base::Result<std::unique_ptr<Node>> create(const NodeConfig& config,
                                                                  Env& env);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  // visit(StageId, Stage&) in the order of a turn. The application's place is between ordering and
  // the publisher, on ordering's lcore: visit is called with kApplication for the publisher.
  template <typename Visit>
  void for_each_stage(Visit&& visit) {
    visit(StageId::kReceive, receive_);
    if (neighbor_ != nullptr) visit(StageId::kNeighbor, *neighbor_);
    visit(StageId::kReliability, reliability_);
    visit(StageId::kOrdering, ordering_);
    if (publisher_.shares_packets()) visit(StageId::kApplication, publisher_);
    visit(StageId::kRateControl, rate_control_);
  }

  // --- the application: one thread, on the ordering lcore if the node has groups ----------------
  [[nodiscard]] Publisher<Env>& publisher() { return publisher_; }
  [[nodiscard]] const Publisher<Env>& publisher() const { return publisher_; }
  [[nodiscard]] Deliveries<Env>& deliveries() { return deliveries_; }
  // Groups with names; null without membership.
  [[nodiscard]] Groups<Env>* groups() { return groups_.get(); }
  [[nodiscard]] const Groups<Env>* groups() const { return groups_.get(); }
  // Calls from outside the view; null with membership.
  [[nodiscard]] Caller<Env>* caller() { return caller_.get(); }
  [[nodiscard]] const Caller<Env>* caller() const { return caller_.get(); }
  // deliveries().take() for an application that may call; `sink` gets all but answers. Without
  // membership only. Once a poll: calls are repeated and given up.
  template <typename Sink>
  uint32_t take_with_calls(uint32_t most, uint64_t now_ns, Sink&& sink);
  // deliveries().take() for an application with groups, which get what is theirs; `sink` the rest,
  // and all gaps and views. With membership only. Once a poll: the groups say what they have to.
  template <typename Sink>
  uint32_t take_with_groups(uint32_t most, uint64_t now_ns, Sink&& sink);

  // --- the stages -------------------------------------------------------------------------------
  [[nodiscard]] ReceiveStage<Env>& receive() { return receive_; }
  [[nodiscard]] const ReceiveStage<Env>& receive() const { return receive_; }
  [[nodiscard]] NeighborStage<Env>* neighbor() { return neighbor_.get(); }
  [[nodiscard]] const NeighborStage<Env>* neighbor() const { return neighbor_.get(); }
  [[nodiscard]] ReliabilityStage<Env>& reliability() { return reliability_; }
  [[nodiscard]] const ReliabilityStage<Env>& reliability() const { return reliability_; }
  [[nodiscard]] OrderingStage<Env>& ordering() { return ordering_; }
  [[nodiscard]] const OrderingStage<Env>& ordering() const { return ordering_; }
  [[nodiscard]] RateControlStage<Env>& rate_control() { return rate_control_; }
  [[nodiscard]] const RateControlStage<Env>& rate_control() const { return rate_control_; }
  // Null without membership.
  [[nodiscard]] OrderedDelivery<Env>* view() { return view_.get(); }
  [[nodiscard]] const OrderedDelivery<Env>* view() const { return view_.get(); }

  // Null if no other endpoint can have its address.
  [[nodiscard]] IdentityGuard* guard() { return guard_.get(); }

  // --- reports --------------------------------------------------------------------------------
  // Fills in what the stage tells, ordering for total order too. On its lcore, or while that does
  // not run. Allocates nothing if `out` has reserved memory for max_peers; peers beyond those that
  // the receive stage knows are nobody's (NodeReport::trim).
  void report(StageId stage, NodeReport& out) const;
  // Its groups, in no order; on ordering's lcore. Allocates nothing if `out` has the capacity.
  void report_groups(std::vector<GroupStatus>& out) const;

  // --- what they share, each on its lcore -------------------------------------------------------
  [[nodiscard]] const EndpointIdentity& identity() const { return config_.identity; }
  [[nodiscard]] const PeerTable& peers() const { return receive_.peers(); }
  [[nodiscard]] const reliability::FrameAccount& frames() const { return receiving_.frames; }
  [[nodiscard]] const reliability::StreamReceiver& receiver() const { return receiving_.receiver; }
  [[nodiscard]] const reliability::StreamSender& sender() const { return sending_.sender; }
  [[nodiscard]] const FrameBuilder& builder() const { return sending_.builder; }
  [[nodiscard]] const ControlTransmit& control() const { return sending_.control; }
  [[nodiscard]] RateShares& rates() { return rates_; }
  [[nodiscard]] const RateShares& rates() const { return rates_; }
  [[nodiscard]] RateWatch& rate_watch() { return rate_watch_; }
  [[nodiscard]] const DeliveryFilter& filter() const { return filter_; }
  [[nodiscard]] ordering::Subscriptions& subscriptions() { return filter_.subscriptions(); }
  [[nodiscard]] const ordering::Subscriptions& subscriptions() const {
    return filter_.subscriptions();
  }
  // A link of packets, for its counts. kNeighbor: of a node that has the stage.
  [[nodiscard]] const Queue& link(LinkId id) const;
  // Publications that rate_control has not pulled.
  [[nodiscard]] uint32_t publications_waiting() const {
    return links_.unreliable.size() + links_.recoverable.size();
  }
  // Any thread.
  [[nodiscard]] bool rx_blocked() const { return rx_blocked_.get(); }

 private:
  struct Links {
    Queue received;
    Queue accepted;
    Queue deliveries;
    Queue unreliable;
    Queue recoverable;
    Queue heard;
    Queue said;
    std::optional<Queue> neighbor;
    typename Env::HandleQueue released;
  };
  [[nodiscard]] static base::Result<Links> make_links(const NodeConfig& config, Env& env);
  Node(const NodeConfig& config, Env& env, Links links);
  [[nodiscard]] std::unique_ptr<OrderedDelivery<Env>> make_view(Env& env);
  [[nodiscard]] std::unique_ptr<Groups<Env>> make_groups();
  [[nodiscard]] std::unique_ptr<Caller<Env>> make_caller();

  // Destroyed from the last to the first: stages and links give packets back to the living Env.
  const NodeConfig config_;
  Links links_;
  RxBlocked rx_blocked_;
  PortDrain port_drain_;
  PlaceHandover places_;
  const std::unique_ptr<NeighborStage<Env>> neighbor_;
  const std::unique_ptr<IdentityGuard> guard_;
  ReceiveStage<Env> receive_;
  ReceivingHalf receiving_;
  DeliveryFilter filter_;
  SendingHalf sending_;
  RateWatch rate_watch_;
  RateShares rates_;
  std::unique_ptr<rate_control::Window> window_;  // null without that policy
  const std::unique_ptr<OrderedDelivery<Env>> view_;
  ReliabilityStage<Env> reliability_;
  OrderingStage<Env> ordering_;
  RateControlStage<Env> rate_control_;
  Publisher<Env> publisher_;
  Deliveries<Env> deliveries_;
  const std::unique_ptr<Groups<Env>> groups_;
  const std::unique_ptr<Caller<Env>> caller_;
};

template <typename Env>
const typename Env::Queue& Node<Env>::link(LinkId id) const {
  switch (id) {
    case LinkId::kReceived:
      return links_.received;
    case LinkId::kAccepted:
      return links_.accepted;
    case LinkId::kUnreliable:
      return links_.unreliable;
    case LinkId::kRecoverable:
      return links_.recoverable;
    case LinkId::kHeard:
      return links_.heard;
    case LinkId::kSaid:
      return links_.said;
    case LinkId::kNeighbor:
      return *links_.neighbor;
    case LinkId::kDeliveries:
    case LinkId::kReleased:
      break;
  }
  return links_.deliveries;
}

template <typename Env>
template <typename Sink>
uint32_t Node<Env>::take_with_calls(uint32_t most, uint64_t now_ns, Sink&& sink) {
  struct Split : DeliverySink {
    Split(Caller<Env>& caller, Sink& rest) : caller_(caller), rest_(rest) {}
    void message(const PacketInfo& info, std::span<const uint8_t> message) {
      rest_.message(info, message);
    }
    void gap(const GapEvent& gap) { rest_.gap(gap); }
    void request_message(const PacketInfo& info, std::span<const uint8_t> message) {
      caller_.request_message(info, message);
    }

   private:
    Caller<Env>& caller_;
    Sink& rest_;
  };
  const uint32_t taken = deliveries_.take(most, Split(*caller_, sink));
  caller_->poll(now_ns, taken < most);
  return taken;
}

template <typename Env>
template <typename Sink>
uint32_t Node<Env>::take_with_groups(uint32_t most, uint64_t now_ns, Sink&& sink) {
  struct Split : DeliverySink {
    Split(Groups<Env>& groups, Sink& rest) : groups_(groups), rest_(rest) {}
    void message(const PacketInfo& info, std::span<const uint8_t> message) {
      if (!groups_.deliver(info, message)) rest_.message(info, message);
    }
    void gap(const GapEvent& gap) {
      groups_.gap(gap);
      rest_.gap(gap);
    }
    void view(const ViewEvent& event) {
      rest_.view(event);
      groups_.view(event);
    }
    void group_message(const PacketInfo& info, std::span<const uint8_t> payload) {
      groups_.group_message(info, payload);
    }
    void request_message(const PacketInfo& info, std::span<const uint8_t> message) {
      groups_.request_message(info, message);
    }
    void prefetch(const PacketInfo& info) { groups_.prefetch(info); }

   private:
    Groups<Env>& groups_;
    Sink& rest_;
  };
  const uint32_t taken = deliveries_.take(most, Split(*groups_, sink));
  groups_->poll(now_ns, taken < most);
  return taken;
}

}  // namespace lambdacast::node
