// SPDX-License-Identifier: BSD-3-Clause
// Group layers of several endpoints over a simulated order: a sequence for each domain, which every
// node takes at its own pace, and views that cut through all sequences at once.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/random.h"
#include "group/group_layer.h"
#include "hash_application.h"
#include "ranks.h"

namespace lambdacast::group {

class GroupNetwork {
 public:
  enum class Layer { kData, kGroups, kRequests };
  struct Sent {
    wire::StreamName source;
    uint32_t group = 0;
    wire::Qos qos = wire::Qos::kTotallyOrdered;
    Layer layer = Layer::kData;
    std::vector<uint8_t> bytes;
    uint64_t epoch = 0;
    uint64_t index = 0;
  };

  struct Node final : Carrier {
    Node(GroupNetwork& in, const wire::StreamName& name, const GroupConfig& config)
        : network(in), self(name), core(config, *this) {}
    bool say(std::span<const uint8_t> payload, uint32_t group, wire::Qos qos) override {
      const auto type = static_cast<wire::GroupMessageType>(payload[0]);
      const bool wide = type == wire::GroupMessageType::kWidePiece;
      const bool piece = wide || type == wire::GroupMessageType::kPiece;
      if (piece) {
        EXPECT_EQ(wide, network.nodes.size() > 64);
        EXPECT_EQ(base::load_be64(&payload[8]), network.epoch) << "a piece that nobody takes";
      }
      return !(piece && say_nothing_but_leave) && send(payload, group, qos, Layer::kGroups);
    }
    Result publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos) override {
      if (!send(message, group, qos, Layer::kData)) return Result::kAgain;
      ++publications;
      return Result::kOk;
    }
    bool send(std::span<const uint8_t> payload, uint32_t group, wire::Qos qos, Layer layer) {
      if (refuse != 0 && network.random.below(100) < refuse) return false;
      Sent sent{self, group, qos, layer, {payload.begin(), payload.end()}, 0, 0};
      if (qos >= wire::Qos::kTotallyOrdered) {
        unordered.push_back(std::move(sent));
      } else {
        if (group >= wire::kFirstPersonalGroup) network.to_outside.push_back(sent);
        for (auto& node : network.nodes) {
          if (node.get() != this) node->incoming[self.incarnation].push_back(sent);
        }
      }
      return true;
    }
    Result request(std::span<const uint8_t> envelope, std::span<const uint8_t> message,
                   uint32_t group, wire::Qos qos) override {
      std::vector<uint8_t> bytes(envelope.begin(), envelope.end());
      bytes.insert(bytes.end(), message.begin(), message.end());
      if (!send(bytes, group, qos, Layer::kRequests)) return Result::kAgain;
      ++publications;
      return Result::kOk;
    }
    Result answer(std::span<const uint8_t> envelope, const Content& message,
                  uint32_t group) override {
      return request(envelope, message.bytes(), group, wire::Qos::kReliable);
    }
    void poll() { core.poll(network.now_ns, true); }
    bool subscribe(uint32_t group) override {
      if (subscribed.size() == most_subscriptions) return subscribed.contains(group);
      subscribed.insert(group);
      return true;
    }
    void unsubscribe(uint32_t group) override { subscribed.erase(group); }
    uint64_t published() const override { return publications; }
    uint64_t stable() const override { return stable_publications; }
    uint64_t operational() const override { return recovering ? 0 : network.epoch; }

    HashApplication& application(const std::string& name) { return applications[name]; }
    Result join(const std::string& name, JoinOptions options = {}) {
      const Result result = core.join(name, applications[name], options);
      if (result == Result::kOk) applications[name].wanted = true;
      return result;
    }
    Result leave(const std::string& name) {
      if (applications.contains(name)) applications[name].wanted = false;
      return core.leave(name);
    }
    Result publish_to(const std::string& name, uint64_t number,
                      wire::Qos qos = wire::Qos::kTotallyOrdered) {
      uint8_t bytes[8];
      base::store_be64(bytes, number);
      return core.publish(name, bytes, qos);
    }

    GroupNetwork& network;
    wire::StreamName self;
    std::map<std::string, HashApplication> applications;
    std::set<uint32_t> subscribed;
    size_t most_subscriptions = 1000;
    uint64_t refuse = 0;  // percent
    bool say_nothing_but_leave = false;
    bool recovering = false;  // a ballot is under way
    uint64_t publications = 0, stable_publications = 0;
    std::deque<Sent> unordered;
    std::map<uint32_t, size_t> cursor;              // by domain
    std::map<uint32_t, std::deque<Sent>> incoming;  // not ordered, by source
    GroupLayer core;
  };

  explicit GroupNetwork(uint64_t seed) : random(seed) {
    config.names = 64, config.packet_bytes = 128;
  }

  static uint32_t domain_of(uint32_t group) {
    return group == wire::kDirectoryGroup ? 0 : 1 + group % 3;
  }

  Node& add() {
    wire::StreamName name;
    name.gid = wire::gid_from_ipv4(0x0a000001 + next_++);
    name.qpn = 0x11;
    name.incarnation = 1000 + next_;
    GroupConfig own = config;
    own.self = name;
    nodes.push_back(std::make_unique<Node>(*this, name, own));
    return *nodes.back();
  }

  // Begins a view of all nodes; the first `stayed` of them were in the view before.
  void install(size_t stayed) {
    ++epoch;
    sequence_.clear();
    std::vector<wire::StreamName> names;
    for (auto& node : nodes) names.push_back(node->self);
    for (auto& node : nodes) {
      node->cursor.clear();
      node->core.view(epoch, names, stayed);
    }
  }
  void start(size_t count) {
    for (size_t i = 0; i < count; ++i) add();
    install(0);
  }

  // Nodes for which `goes` is true depart without a word, and `join` new ones come.
  template <typename Goes>
  void change(Goes&& goes, size_t join) {
    std::vector<bool> goes_now;  // asked while all are there
    for (auto& node : nodes) goes_now.push_back(goes(*node));
    for (size_t i = 0; i < nodes.size(); ++i) {
      auto& node = nodes[i];
      // A part of what a departed node sent is ordered in the old view; the rest is lost.
      while (!node->unordered.empty() && random.below(2) == 0) order(*node);
      if (goes_now[i]) node->unordered.clear();
    }
    std::vector<uint32_t> departed;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!goes_now[i]) continue;
      departed.push_back(nodes[i]->self.incarnation);
      departed_nodes.push_back(std::exchange(nodes[i], nullptr));
    }
    std::erase(nodes, nullptr);
    for (auto& node : nodes) {
      while (take_any_ordered(*node)) continue;
      for (const uint32_t source : departed) {
        auto& from = node->incoming[source];
        while (!from.empty() && random.below(4) != 0) take_incoming(*node, source);
        from.clear();
      }
    }
    const size_t stayed = nodes.size();
    for (size_t i = 0; i < join; ++i) add();
    install(stayed);
  }

  // Does one thing of those that can happen, or nothing.
  void step() {
    Node& node = *nodes[random.below(nodes.size())];
    switch (random.below(4)) {
      case 0:
        return node.poll();
      case 1:
        if (!node.unordered.empty()) order(node);
        return;
      case 2: {
        if (node.incoming.empty()) return;
        auto it = node.incoming.begin();
        std::advance(it, static_cast<long>(random.below(node.incoming.size())));
        if (!it->second.empty()) take_incoming(node, it->first);
        return;
      }
      default:
        if (!sequence_.empty()) {
          auto it = sequence_.begin();
          std::advance(it, static_cast<long>(random.below(sequence_.size())));
          (void)take_ordered(node, it->first);
        }
    }
  }
  // Polls and delivers until nothing is on its way.
  void settle() {
    for (bool moved = true; moved;) {
      moved = false;
      for (auto& node : nodes) {
        node->refuse = 0;
        node->poll();
        for (; !node->unordered.empty(); moved = true) order(*node);
      }
      for (auto& node : nodes) {
        while (take_any_ordered(*node)) moved = true;
        for (auto& [source, from] : node->incoming) {
          for (; !from.empty(); moved = true) take_incoming(*node, source);
        }
      }
    }
  }

  // Delivers all that is totally ordered, and nothing else.
  void deliver_ordered() {
    for (auto& node : nodes) {
      while (!node->unordered.empty()) order(*node);
    }
    for (auto& node : nodes) {
      while (take_any_ordered(*node)) continue;
    }
  }
  // Orders the first `count` messages that the node has said, and drops the rest.
  void order_only(Node& node, size_t count) {
    for (; count != 0; --count) order(node);
    node.unordered.clear();
  }
  Node& operator[](size_t i) { return *nodes[i]; }
  // What nodes have said to that personal group, to an endpoint that is none of them.
  std::vector<Sent> take_sent_to(uint32_t group) {
    std::vector<Sent> taken;
    std::erase_if(to_outside, [&](Sent& sent) {
      if (sent.group != group) return false;
      taken.push_back(std::move(sent));
      return true;
    });
    return taken;
  }

  base::SplitMix64 random;
  GroupConfig config;
  uint64_t epoch = 0;
  uint64_t now_ns = 1;
  std::vector<Sent> to_outside;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<std::unique_ptr<Node>> departed_nodes;

 private:
  void order(Node& node) {
    Sent sent = std::move(node.unordered.front());
    node.unordered.pop_front();
    auto& sequence = sequence_[domain_of(sent.group)];
    sent.epoch = epoch;
    sent.index = sequence.size();
    sequence.push_back(std::move(sent));
  }
  bool take_ordered(Node& node, uint32_t domain) {
    auto& sequence = sequence_[domain];
    size_t& at = node.cursor[domain];
    if (at == sequence.size()) return false;
    hand_over(node, sequence[at++]);
    return true;
  }
  bool take_any_ordered(Node& node) {
    bool any = false;
    for (auto& [domain, unused] : sequence_) any = take_ordered(node, domain) || any;
    return any;
  }
  void take_incoming(Node& node, uint32_t source) {
    const Sent sent = std::move(node.incoming[source].front());
    node.incoming[source].pop_front();
    hand_over(node, sent);
  }
  void hand_over(Node& node, const Sent& sent) {
    Delivery from;
    from.group = sent.group;
    from.source = sent.source;
    from.qos = sent.qos;
    from.epoch = sent.epoch;
    from.index = sent.index;
    from.domain = domain_of(sent.group);
    if (sent.layer == Layer::kGroups) {
      node.core.group_message(from, sent.bytes);
    } else if (sent.layer == Layer::kRequests) {
      const bool personal = sent.group == wire::personal_group(node.self.gid, node.self.qpn);
      if (personal || sent.source == node.self || node.subscribed.contains(sent.group))
        node.core.request_message(from, sent.bytes);
    } else if (node.subscribed.contains(sent.group)) {
      // The same place as a rule, at times another.
      const uint32_t elsewhere = random.below(8) == 0 ? 1 : 0;
      node.core.deliver(from, sent.bytes, sent.group % 4 + elsewhere);
    }
  }

  uint32_t next_ = 0;
  std::map<uint32_t, std::vector<Sent>> sequence_;  // by domain, of this view
};

}  // namespace lambdacast::group
