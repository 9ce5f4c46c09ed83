// SPDX-License-Identifier: BSD-3-Clause
// A caller outside the view, for tests: group layers over a simulated order are what it calls.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "calling.h"
#include "group/outside_calls.h"

namespace lambdacast::group::outside_calls_test {

using What = Outcome::What;
using Delivered = Outcome::Delivered;
using Fate = Asked::Fate;
using Layer = GroupNetwork::Layer;

// An endpoint that is no node of the network, and hears what comes to its personal group.
class Outside final : private AnswerCarrier {
 public:
  Outside(GroupNetwork& network, const OutsideCallsConfig& config)
      : network_(network), self_(config.self), calls_(config, *this) {}

  OutsideCalls& calls() { return calls_; }
  // Hands over what it has sent, unless that is lost.
  void deliver(bool lost = false) {
    for (GroupNetwork::Sent& sent : std::exchange(sent_, {})) {
      for (auto& node : network_.nodes) {
        const bool to = sent.group == wire::personal_group(node->self.gid, node->self.qpn) ||
                        sent.group == wire::kFindGroup;
        if (to && !lost) node->core.request_message(from(sent), sent.bytes);
      }
    }
  }
  // Takes that a session has expired where its group has another number.
  void hear_renumbered() {
    for (GroupNetwork::Sent& sent : network_.take_sent_to(personal())) {
      wire::Envelope envelope;
      ASSERT_TRUE(wire::load_envelope(sent.bytes, envelope));
      if (envelope.status != wire::AnswerStatus::kExpired) continue;
      ++envelope.handler;
      wire::store_envelope(envelope, sent.bytes.data());
      calls_.take(sent.source, sent.bytes);
    }
  }
  // Takes what members have said to it.
  void hear(bool lost = false) {
    for (GroupNetwork::Sent& sent : network_.take_sent_to(personal())) {
      if (!lost) calls_.take(sent.source, sent.bytes);
    }
  }
  [[nodiscard]] uint32_t personal() const { return wire::personal_group(self_.gid, self_.qpn); }
  [[nodiscard]] size_t waiting() const { return sent_.size(); }

 private:
  static Delivery from(const GroupNetwork::Sent& sent) {
    Delivery delivery;
    delivery.group = sent.group;
    delivery.source = sent.source;
    delivery.qos = sent.qos;
    return delivery;
  }
  Result answer(std::span<const uint8_t> envelope, const Content& message,
                uint32_t group) override {
    std::vector<uint8_t> bytes(envelope.begin(), envelope.end());
    bytes.insert(bytes.end(), message.bytes().begin(), message.bytes().end());
    sent_.push_back({self_, group, wire::Qos::kReliable, Layer::kRequests, std::move(bytes), 0, 0});
    return Result::kOk;
  }

  GroupNetwork& network_;
  wire::StreamName self_;
  std::vector<GroupNetwork::Sent> sent_;
  OutsideCalls calls_;
};

class OutsideCallsTest : public CallsTest {
 protected:
  void begin(size_t nodes, size_t members, std::vector<size_t> entries) {
    start(nodes, members);
    for (const size_t each : entries)
      config_.entries.push_back({network_[each].self.gid, network_[each].self.qpn});
    outside_ = std::make_unique<Outside>(network_, config_);
  }
  Result ask(const CallOptions& options, uint64_t token = 1) {
    return outside_->calls().call("g", bytes_of("how much?"), options, &caller_, token);
  }
  // The holder of the lock, node 1, answers a call, which its caller does not hear.
  void answer_in_vain() {
    ASSERT_EQ(ask(holder()), Result::kOk);
    run();
    run();
    ASSERT_EQ(answer(1, "three"), Result::kOk);
    network_.settle();
    outside_->hear(true);
  }
  // So much time passes, and all that is said comes to where it goes.
  void run(uint64_t ns = 0) {
    now_ns_ += ns;
    outside_->calls().poll(now_ns_);
    for (int i = 0; i < 4; ++i) {
      outside_->deliver();
      network_.settle();
      outside_->hear();
    }
  }

  // The caller asks again, by node 3, and `meanwhile` comes while the others have not heard it.
  template <typename Meanwhile>
  void expect_none_kept(Meanwhile&& meanwhile) {
    now_ns_ += 200'000'000;
    outside_->calls().poll(now_ns_);
    outside_->deliver();
    network_[3].poll();
    network_.order_only(network_[3], network_[3].unordered.size());
    meanwhile();
    network_.settle();
    outside_->hear();
    ASSERT_TRUE(caller_.ended_calls.contains(1));
    const auto& ended = caller_.ended_calls.at(1);
    EXPECT_EQ(ended.what, What::kNoAnswerKept);
    EXPECT_EQ(ended.asked, (std::vector{std::pair(life(1), Asked::Fate::kForgotten)}));
    EXPECT_EQ(application(1).requests.size(), 1u);
  }

  OutsideCallsConfig config_{.self = {wire::gid_from_ipv4(0x0a000901), 0x11, 77},
                             .requests = {.timeout_ns = 10'000'000'000}};
  uint64_t now_ns_ = 1;
  std::unique_ptr<Outside> outside_;
};

}  // namespace lambdacast::group::outside_calls_test
