// SPDX-License-Identifier: BSD-3-Clause
// Three endpoints with membership, polled in turn on a clock of the test's, and what each hears of
// views and of order.
#pragma once

#include <gtest/gtest.h>

#include <array>

#include "support.h"

namespace lambdacast::dpdk {

using node::ViewEvent;
using wire::Qos;

// A view event, with members of its own.
struct HeardView {
  explicit HeardView(const ViewEvent& event)
      : what(event.what),
        id(event.id),
        members(event.members.begin(), event.members.end()),
        stayed(event.stayed) {}
  ViewEvent::What what;
  wire::ViewId id;
  std::vector<wire::StreamName> members;
  size_t stayed;
};

struct Line {
  uint64_t epoch;
  uint64_t index;
  std::vector<uint8_t> message;
  bool operator==(const Line&) const = default;
};

// Three endpoints with membership, polled in turn on a clock of the test's.
class MembersTest : public ::testing::Test {
 protected:
  static test::RackSpec spec() {
    test::RackSpec spec;
    spec.nodes = 3;
    spec.slots = 1024;
    spec.defaults =
        "membership = { enabled = true, initial_nodes = 3, heartbeat_us = 1000, "
        "suspect_after_us = 50000, ack_us = 10 }";
    return spec;
  }
  void run_ms(uint64_t ms) { run_us(1000 * ms); }
  void run_us(uint64_t us) {
    for (const uint64_t end_ns = now_ns_ + us * 1'000; now_ns_ < end_ns; now_ns_ += 10'000) {
      for (size_t i = 0; i < nodes_.size(); ++i) {
        if (!stopped_[i]) poll(i, taking_[i]);
      }
    }
  }
  void poll(size_t i, bool taking) {
    MbufNode& node = nodes_[i]->node();
    (void)node.receive().poll(now_ns_);
    (void)node.reliability().poll(now_ns_);
    (void)node.ordering().poll(now_ns_);
    (void)node.publisher().poll(now_ns_);
    (void)node.rate_control().poll(now_ns_);
    if (taking) take(i);
  }
  void take(size_t i) { (void)nodes_[i]->take_deliveries(node::kMaxBurst, Sink(*this, i)); }
  struct Sink : node::DeliverySink {
    Sink(MembersTest& test, size_t i) : test_(test), i_(i) {}
    static Line line_of(const node::PacketInfo& info, std::span<const uint8_t> message) {
      return {info.epoch, info.index, {message.begin(), message.end()}};
    }
    void message(const node::PacketInfo& info, std::span<const uint8_t> message) {
      test_.lines_[i_].push_back(line_of(info, message));
    }
    void gap(const node::GapEvent&) { ++test_.gaps_; }
    void view(const ViewEvent& event) {
      test_.events_[i_].emplace_back(event);
      test_.lines_before_[i_].push_back(test_.lines_[i_].size());
    }
    void group_message(const node::PacketInfo& info, std::span<const uint8_t> message) {
      test_.group_lines_[i_].push_back(line_of(info, message));
    }
    MembersTest& test_;
    size_t i_;
  };
  [[nodiscard]] node::SendResult send(size_t from, uint8_t byte, Qos qos) {
    const std::vector<uint8_t> message(20, byte);
    return nodes_[from]->publisher().send(message, 1, qos, now_ns_);
  }

  config::Config config_ = test::rack_config(spec());
  std::array<std::unique_ptr<rack::Endpoint>, 3> nodes_ = {
      test::started(config_, 0), test::started(config_, 1), test::started(config_, 2)};
  std::array<bool, 3> stopped_{};
  std::array<bool, 3> taking_{true, true, true};  // its application its deliveries
  std::array<std::vector<Line>, 3> lines_;
  std::array<std::vector<Line>, 3> group_lines_;  // of the group layer
  std::array<std::vector<HeardView>, 3> events_;
  std::array<std::vector<size_t>, 3> lines_before_;  // the event of the same place
  uint64_t gaps_ = 0;
  uint64_t now_ns_ = 1'000'000;
};

}  // namespace lambdacast::dpdk
