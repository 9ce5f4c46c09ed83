// The groups of an endpoint with membership, on the data path: group::GroupLayer between the
// endpoint's deliveries and publisher on one side and the application's handlers on the other.
//
// The application's thread owns it, as it owns take_deliveries() and the publisher; reports
// (Rack::groups) need that thread to be the ordering lcore, as it is of a Stage.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "dataplane/publisher.h"
#include "endpoint/gap_event.h"
#include "endpoint/peer_table.h"
#include "endpoint/view_synchrony.h"
#include "group/group_layer.h"

namespace lambdacast::dataplane {

class OrderingStage;

class Groups final : private group::Carrier {
 public:
  struct Config {
    group::GroupConfig core;
    size_t max_message_bytes = wire::kMaxMessageBytes;
  };
  Groups(const Config& config, const endpoint::PeerTable& peers, Publisher& publisher,
         OrderingStage& ordering);

  // group/group_layer.h says what they mean. A message that fills several packets is copied, and
  // until the last of them is on its way the next publication is kAgain.
  [[nodiscard]] group::Result join(std::string_view name, group::Handlers& handlers) {
    return core_.join(name, handlers);
  }
  [[nodiscard]] group::Result leave(std::string_view name) { return core_.leave(name); }
  template <typename Group>  // its name, or its number
  [[nodiscard]] group::Result publish(Group group, std::span<const uint8_t> message, wire::Qos qos,
                                      group::Completion* completion = nullptr, uint64_t token = 0) {
    return core_.publish(group, message, qos, completion, token);
  }

  void prefetch(const endpoint::PacketInfo& info) const { core_.prefetch(info.place); }
  // What Endpoint::take_deliveries hands to them. False: a message of no named group.
  bool deliver(const endpoint::PacketInfo& info, std::span<const uint8_t> message) {
    if (info.group < wire::kFirstNamedGroup) return false;
    core_.deliver(delivery_of(info), message, info.place);
    return true;
  }
  void group_message(const endpoint::PacketInfo& info, std::span<const uint8_t> payload) {
    core_.group_message(delivery_of(info), payload);
  }
  void gap(const endpoint::GapEvent& gap);
  void view(const endpoint::ViewEvent& event);
  // Once a poll, behind the deliveries.
  void poll(uint64_t now_ns);

  [[nodiscard]] const group::GroupLayer& core() const { return core_; }

 private:
  bool say(std::span<const uint8_t> payload, uint32_t group, wire::Qos qos) override;
  group::Result publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos) override;
  bool subscribe(uint32_t group) override;
  void unsubscribe(uint32_t group) override;
  uint64_t published() const override { return publisher_.published_with(outgoing_); }
  uint64_t stable() const override { return publisher_.stable(); }

  [[nodiscard]] wire::StreamName name_of(uint16_t peer, uint32_t incarnation) const {
    if (peer == endpoint::kNoPeer) return self_;
    const endpoint::Peer& from = peers_.at(peer);
    return {from.gid, from.qpn, incarnation};
  }
  [[nodiscard]] group::Delivery delivery_of(const endpoint::PacketInfo& info) const {
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
  [[nodiscard]] bool send_the_rest();

  const wire::StreamName self_;
  const endpoint::PeerTable& peers_;
  Publisher& publisher_;
  OrderingStage& ordering_;
  uint64_t epoch_ = 0;
  uint64_t now_ns_ = 0;
  std::vector<uint8_t> long_;  // a message of several packets, on its way
  Outgoing outgoing_;          // of it
  group::GroupLayer core_;
};

}  // namespace lambdacast::dataplane
