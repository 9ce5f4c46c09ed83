// SPDX-License-Identifier: BSD-3-Clause
// Policy `window` in a whole node: what it may send follows from what its receivers have heard of.
#include <gtest/gtest.h>

#include "test_node.h"

namespace lambdacast::node {
namespace {

using rate_control::LimitedBy;
using rate_control::Policy;
using rate_control::Window;

class NodeWindowTest : public ::testing::Test {
 protected:
  static NodeConfig config(uint32_t number) {
    NodeConfig config = test_config(number);
    config.rate.policy = Policy::kWindow;
    config.reliability.status_ns = 100'000;
    return config;
  }
  // Node 0 always has more to send.
  void flood_ms(uint64_t ms) {
    const Bytes message(200, 7);
    for (const uint64_t end_ns = network_.now_ns + ms * 1'000'000; network_.now_ns < end_ns;) {
      while (network_[0].publish(message, wire::Qos::kReliable)) {
      }
      network_.run_us(1);
    }
  }
  [[nodiscard]] RateControlReport report() {
    RateControlReport report;
    network_.node(0).rate_control().report(report);
    return report;
  }
  [[nodiscard]] Window::Report window() { return *report().window; }

  TestNetwork network_{3, config};
};

TEST_F(NodeWindowTest, nobody_there__expect_no_limit) {
  network_.stopped = {false, true, true};
  flood_ms(5);
  EXPECT_TRUE(report().limits.unlimited());
  EXPECT_EQ(window().under_way, 0u);
}

TEST_F(NodeWindowTest, no_loss__expect_it_to_grow_and_everything_delivered) {
  network_.join();
  const uint64_t first = window().bytes;
  flood_ms(20);
  EXPECT_EQ(report().limits.limited_by, LimitedBy::kWindow);
  EXPECT_GT(window().bytes, 4 * first);
  EXPECT_EQ(window().counters.reductions, 0u);
  network_.run_ms(20);
  EXPECT_EQ(window().under_way, 0u);
  EXPECT_EQ(network_[1].messages.size(), report().messages);
  EXPECT_EQ(network_[2].messages.size(), report().messages);
}

TEST_F(NodeWindowTest, losses_at_one_receiver__expect_halvings_for_it_and_everything_repaired) {
  network_.join();
  flood_ms(5);
  uint64_t frames = 0;
  network_.loses = [&](size_t from, size_t to, const Bytes& frame) {
    return from == 0 && to == 2 && is_data(frame) && !is_repair(frame) && ++frames % 100 == 0;
  };
  flood_ms(50);
  const Window::Report lossy = window();
  EXPECT_GT(lossy.counters.reductions, 3u);
  EXPECT_LT(lossy.threshold, rate_control::kUnlimitedBps);
  network_.loses = nullptr;
  network_.run_ms(50);
  EXPECT_EQ(network_[2].messages.size(), report().messages);
  EXPECT_EQ(window().under_way, 0u);
}

TEST_F(NodeWindowTest, receiver_that_falls_silent__expect_one_frame_and_the_window_back_behind_it) {
  network_.join();
  network_.stopped = {false, false, true};
  flood_ms(10);
  EXPECT_GT(window().counters.timeouts, 0u);
  EXPECT_LE(window().bytes, 400u);
  network_.stopped[2] = false;
  flood_ms(20);
  EXPECT_GT(window().bytes, 2'000u);
  network_.run_ms(50);
  EXPECT_EQ(network_[2].messages.size(), report().messages);
}

}  // namespace
}  // namespace lambdacast::node
