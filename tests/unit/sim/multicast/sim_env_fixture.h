// SPDX-License-Identifier: BSD-3-Clause
// What the tests of a node's surroundings share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "sim/multicast/sim_env.h"

namespace lambdacast::sim {

class Host final : public NodeHost {
 public:
  void transmit(std::span<const uint8_t> frame, uint64_t offered_ns) override {
    sent.push_back(frame[0]);
    offered.push_back(offered_ns);
  }
  void judged(const Waiting&, counters::DropReason outcome) override {
    outcomes.push_back(outcome);
  }
  void deliver(const node::PacketInfo&, std::span<const uint8_t>) override {}
  void gap(const node::GapEvent&) override {}
  void receiver_event(const reliability::ReceiverEvent&) override {}
  void view_event(const node::ViewEvent&) override {}
  void misuse(const std::string& what) override { misuses.push_back(what); }
  bool gives_back(const SimPacket&) override { return !swallows; }

  std::vector<uint8_t> sent;      // the first byte of each
  std::vector<uint64_t> offered;  // when
  std::vector<counters::DropReason> outcomes;
  std::vector<std::string> misuses;
  bool swallows = false;
};

inline Waiting frame(uint8_t number, size_t bytes = 100) {
  Waiting waiting;
  waiting.bytes = std::make_shared<const std::vector<uint8_t>>(bytes, number);
  return waiting;
}

class Counting final : public Waker {
 public:
  void wake() override { ++times; }
  int times = 0;
};

// A pool with a bound, and a port that is wild until kCalmNs.
class SimEnvTest : public ::testing::Test {
 protected:
  static constexpr uint64_t kCalmNs = 1'000'000;
  static constexpr size_t kMost = 40;

  SimPacket* packet(uint8_t number) {
    SimPacket* packet = packets_.allocate();
    packet->length = 100;
    std::fill_n(packet->bytes, 100, number);
    return packet;
  }
  std::vector<SimPacket*> several(uint8_t count) {
    std::vector<SimPacket*> made;
    for (uint8_t i = 0; i < count; ++i) made.push_back(packet(i));
    return made;
  }
  SimTransmitter transmitter(PortWild wild) {
    wild.until_ns = kCalmNs;
    return SimTransmitter(packets_, wild, 7, now_ns_);
  }
  static std::vector<uint8_t> counting(size_t count) {
    std::vector<uint8_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), uint8_t{0});
    return numbers;
  }

  uint64_t now_ns_ = 0;
  Host host_;
  SimPackets packets_{host_, PoolWild{.packets = kMost}, true, 5, now_ns_};
};

}  // namespace lambdacast::sim
