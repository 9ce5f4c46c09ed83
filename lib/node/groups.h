// SPDX-License-Identifier: BSD-3-Clause
// The groups of a node with membership: group::GroupLayer between the node's deliveries and
// publisher on one side and the application's handlers on the other.
//
// The application's thread owns it, as it owns the deliveries and the publisher. It changes the
// subscriptions, which are the ordering lcore's: the application runs there.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "group/group_layer.h"
#include "node/gap_event.h"
#include "node/outlet.h"
#include "node/peer_table.h"
#include "node/publisher.h"
#include "node/request_report.h"
#include "node/view_event.h"
#include "ordering/subscriptions.h"

namespace lambdacast::node {

// A group that a node subscribes to, or one with a name that it knows of.
struct GroupStatus {
  ordering::GroupReport report;                           // of what has been delivered
  std::array<char, wire::kMaxGroupNameBytes + 1> name{};  // empty: it has a number only
  group::GroupLayer::Standing standing = group::GroupLayer::Standing::kMember;
  size_t members = 0;  // of a named one
  size_t waiting = 0;  // of them, for its state
};

// A lock of a group with a name that somebody holds, or waits for.
struct LockStatus {
  uint32_t group = 0;
  std::array<char, wire::kMaxGroupNameBytes + 1> name{};
  uint32_t handler = 0;
  wire::StreamName holder;  // zeros: nobody, because the group is suspended
  bool own = false;         // this node is the holder
  group::FencingToken token;
  size_t waiting = 0;
};

template <typename Env>
class Groups final : private group::Carrier {
 public:
  Groups(const group::GroupConfig& config, const PeerTable& peers, Publisher<Env>& publisher,
         ordering::Subscriptions& subscriptions);

  // group/group_layer.h says what they mean. A message that fills several packets is copied, and
  // until the last of them is on its way the next publication is kAgain.
  [[nodiscard]] group::Result join(std::string_view name, group::Handlers& handlers,
                                   group::JoinOptions options = {}) {
    return layer_.join(name, handlers, options);
  }
  [[nodiscard]] group::Result leave(std::string_view name) { return layer_.leave(name); }
  template <typename Group>  // its name, or its number
  [[nodiscard]] group::Result publish(Group group, std::span<const uint8_t> message, wire::Qos qos,
                                      group::Completion* completion = nullptr, uint64_t token = 0) {
    return layer_.publish(group, message, qos, completion, token);
  }

  [[nodiscard]] group::Result acquire(std::string_view name, uint32_t handler, bool only_if_free) {
    return layer_.acquire(name, handler, only_if_free);
  }
  [[nodiscard]] group::Result release(std::string_view name, uint32_t handler,
                                      const group::FencingToken& token,
                                      const wire::StreamName* heir) {
    return layer_.release(name, handler, token, heir);
  }
  [[nodiscard]] group::Result withdraw(std::string_view name, uint32_t handler) {
    return layer_.withdraw(name, handler);
  }
  [[nodiscard]] std::optional<group::FencingToken> holds(std::string_view name,
                                                         uint32_t handler) const {
    return layer_.holds(name, handler);
  }

  [[nodiscard]] group::Result call(std::string_view name, std::span<const uint8_t> message,
                                   const group::CallOptions& options, group::CallHandler* handler,
                                   uint64_t token) {
    return layer_.call(name, message, options, handler, token);
  }
  void cancel(group::CallHandler& handler, uint64_t token) { layer_.cancel(handler, token); }
  [[nodiscard]] group::Result answer(uint64_t ticket, const group::Content& message) {
    return layer_.answer(ticket, message);
  }
  [[nodiscard]] group::Result decline(uint64_t ticket) { return layer_.decline(ticket); }
  [[nodiscard]] group::Result keep(uint64_t ticket, const group::Content& message) {
    return layer_.keep(ticket, message);
  }

  void prefetch(const PacketInfo& info) const { layer_.prefetch(info.place); }
  // What the deliveries have for them. False: a message of no named group.
  bool deliver(const PacketInfo& info, std::span<const uint8_t> message) {
    if (info.group < wire::kFirstNamedGroup) return false;
    layer_.deliver(delivery_of(info), message, info.place);
    return true;
  }
  void group_message(const PacketInfo& info, std::span<const uint8_t> payload) {
    layer_.group_message(delivery_of(info), payload);
  }
  void request_message(const PacketInfo& info, std::span<const uint8_t> message) {
    layer_.request_message(delivery_of(info), message);
  }
  void gap(const GapEvent& gap);
  void view(const ViewEvent& event);
  // Must be called once a poll, behind the deliveries. `drained`: no more of them wait.
  void poll(uint64_t now_ns, bool drained);

  [[nodiscard]] const group::GroupLayer& layer() const { return layer_; }
  // The locks, by group and handler, as many as `out` has the capacity for.
  void report(std::vector<LockStatus>& out) const;
  [[nodiscard]] RequestReport requests() const {
    RequestReport report;
    report.under_way = layer_.calls().under_way();
    report.calls = layer_.calls().counters();
    report.tickets = layer_.requests().open();
    report.requests = layer_.requests().counters();
    report.forwards = layer_.forwards().under_way();
    report.forwarded = layer_.forwards().counters();
    return report;
  }

 private:
  bool say(std::span<const uint8_t> payload, uint32_t group, wire::Qos qos) override;
  group::Result publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos) override;
  group::Result request(std::span<const uint8_t> envelope, std::span<const uint8_t> message,
                        uint32_t group, wire::Qos qos) override;
  group::Result answer(std::span<const uint8_t> envelope, const group::Content& message,
                       uint32_t group) override;
  bool subscribe(uint32_t group) override;
  void unsubscribe(uint32_t group) override;
  uint64_t published() const override {
    return publisher_.published_with(publications_.outgoing());
  }
  uint64_t stable() const override { return publisher_.stable(); }
  uint64_t operational() const override { return publisher_.operational(); }

  [[nodiscard]] wire::StreamName name_of(uint16_t peer, uint32_t incarnation) const {
    if (peer == kNoPeer) return self_;
    const PeerName from = peers_.name_of(peer);
    return {from.gid, from.qpn, incarnation};
  }
  [[nodiscard]] group::Delivery delivery_of(const PacketInfo& info) const {
    const bool ordered = info.qos >= wire::Qos::kTotallyOrdered;
    group::Delivery delivery;
    delivery.group = info.group;
    delivery.source = name_of(info.peer, info.incarnation);
    delivery.qos = info.qos;
    delivery.epoch = ordered ? info.epoch : epoch_;
    delivery.domain = ordered ? info.domain : 0;
    delivery.index = ordered ? info.index : 0;
    delivery.sent_ns = info.timestamp_ns;
    delivery.heard_ns = info.received_ns;
    return delivery;
  }

  const wire::StreamName self_;
  const PeerTable& peers_;
  Publisher<Env>& publisher_;
  ordering::Subscriptions& subscriptions_;
  uint64_t epoch_ = 0;
  uint64_t now_ns_ = 0;
  Outlet<Env> publications_;
  Outlet<Env> answers_;
  group::GroupLayer layer_;
};

}  // namespace lambdacast::node
