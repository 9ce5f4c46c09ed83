// SPDX-License-Identifier: BSD-3-Clause
// Three nodes in one view, polled in turn on a clock of the test's.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "test_node.h"

namespace lambdacast::node {

struct Line {
  uint64_t epoch;
  uint64_t index;
  Bytes message;
  bool operator==(const Line&) const = default;
};
[[nodiscard]] inline std::vector<Line> lines_of(const std::vector<Taken>& messages) {
  std::vector<Line> lines;
  for (const Taken& each : messages) {
    const bool ordered = each.info.qos >= wire::Qos::kTotallyOrdered;
    lines.push_back({ordered ? each.info.epoch : 0, ordered ? each.info.index : 0, each.bytes});
  }
  return lines;
}

class MembersTest : public ::testing::Test {
 protected:
  explicit MembersTest(const TestNetwork::Config& config =
                           [](uint32_t number) { return member_config(number); })
      : network_(3, config) {}

  void run_ms(uint64_t ms) { network_.run_ms(ms); }
  void run_us(uint64_t us) { network_.run_us(us, 10); }
  // Short ones share packets.
  [[nodiscard]] SendResult send(size_t from, uint8_t byte, wire::Qos qos) {
    return network_.node(from).publisher().send(Bytes(20, byte), 1, qos, network_.now_ns);
  }
  // As much of it as there is room for, or all.
  SendResult send_for(uint64_t us, size_t from, Outgoing& outgoing) {
    SendResult result = SendResult::kAgain;
    for (uint64_t i = 0; i < us && result != SendResult::kSent; i += 100) {
      result = network_.node(from).publisher().send(outgoing, network_.now_ns);
      run_us(100);
    }
    return result;
  }
  [[nodiscard]] OrderedDelivery<SimEnv>& view(size_t i) { return *network_.node(i).view(); }
  [[nodiscard]] std::vector<Line> lines(size_t i) { return lines_of(network_[i].messages); }
  [[nodiscard]] size_t gaps() {
    size_t gaps = 0;
    for (size_t i = 0; i < network_.size(); ++i) gaps += network_[i].gaps.size();
    return gaps;
  }
  [[nodiscard]] const HeardView& last_view(size_t i) { return network_[i].views.back(); }

  TestNetwork network_;
};

}  // namespace lambdacast::node
