// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/inflight_limit.h"

#include <gtest/gtest.h>

namespace lambdacast::reliability {
namespace {

constexpr uint64_t kMost = 512;
constexpr uint64_t kTurnNs = 20'000;

// A receiver that takes a packet each `take_ns` from a queue and tells of it once a turn, and a
// sender that fills the flight each time it hears of that, as long as it has data.
class InflightLimitTest : public ::testing::Test {
 protected:
  void turn(uint64_t take_ns, uint64_t data = ~uint64_t{0}, uint64_t ns = kTurnNs) {
    now_ns_ += ns;
    heard_ = std::min(sent_, heard_ + ns / take_ns);
    inflight_limit_.heard(heard_, limit_ - sent_, kTurnNs, now_ns_);
    limit_ = heard_ + inflight_limit_.packets();
    sent_ += std::min(data, limit_ - std::min(limit_, sent_));
  }
  // The most after some time, of one turn each.
  uint64_t flood(uint64_t take_ns, int turns = 200) {
    uint64_t most = 0;
    for (int i = 0; i < turns; ++i) {
      turn(take_ns);
      if (i > turns / 2) most = std::max(most, inflight_limit_.packets());
    }
    return most;
  }

  InflightLimit inflight_limit_{kMost};
  uint64_t now_ns_ = 1'000'000;
  uint64_t heard_ = 1'000, sent_ = 1'000, limit_ = 1'000 + kMost;
};

TEST_F(InflightLimitTest, begin__expect_the_configured_packets) {
  EXPECT_EQ(inflight_limit_.packets(), kMost);
}

TEST_F(InflightLimitTest,
       flood_receivers_that_are_slower__expect_one_and_a_half_of_what_a_turn_takes) {
  const uint64_t packets = flood(100);  // 200 a turn
  EXPECT_GE(packets, 290u);
  EXPECT_LE(packets, 300u);
}

TEST_F(InflightLimitTest,
       flood_receivers_that_take_all_that_may_go__expect_the_configured_packets) {
  EXPECT_EQ(flood(10), kMost);
}

TEST_F(InflightLimitTest,
       flood_receivers_that_are_very_slow__expect_a_quarter_of_what_is_configured) {
  EXPECT_EQ(flood(1'000), InflightLimit::least(kMost));
  EXPECT_EQ(InflightLimit::least(kMost), kMost / 4);
  EXPECT_GE(InflightLimit::least(16), 4u);
  EXPECT_GE(InflightLimit::least(1), 1u);
}

TEST_F(InflightLimitTest, flood_receivers_that_become_faster__expect_it_to_follow) {
  flood(1'000);
  EXPECT_EQ(flood(40), kMost) << "500 a turn";
}

// It never holds receivers up: what they take is not less than with the configured packets.
TEST_F(InflightLimitTest, flood_at_any_rate__expect_the_receivers_never_without_packets) {
  for (const uint64_t take_ns : {41, 50, 67, 100, 200, 500, 3'000}) {
    flood(take_ns);
    const uint64_t before = heard_;
    for (int i = 0; i < 100; ++i) turn(take_ns);
    EXPECT_EQ(heard_ - before, 100 * (kTurnNs / take_ns)) << take_ns;
  }
}

TEST_F(InflightLimitTest, send_bursts_with_pauses__expect_each_to_go_as_a_whole) {
  for (int burst = 0; burst < 50; ++burst) {
    turn(100, kMost + 88, 50 * kTurnNs);
    for (uint64_t left = 88; heard_ != sent_; left = 0) turn(100, left);
    EXPECT_EQ(inflight_limit_.packets(), kMost);
  }
}

TEST_F(InflightLimitTest, send_less_than_may_go__expect_it_to_grow_back) {
  flood(1'000);
  for (int i = 0; i < 200; ++i) turn(10, 5);
  EXPECT_EQ(inflight_limit_.packets(), kMost);
}

TEST_F(InflightLimitTest, pause_and_flood_again__expect_the_pause_not_taken_for_slowness) {
  const uint64_t before = flood(100);
  for (int i = 0; i < 20; ++i) {
    turn(100, ~uint64_t{0}, 100 * kTurnNs);
    for (int j = 0; j < 3; ++j) turn(100);
    EXPECT_GE(inflight_limit_.packets(), before - 10);
  }
}

TEST_F(InflightLimitTest, hear_of_less_than_before__expect_a_new_beginning) {
  flood(100);
  heard_ = sent_ = 10;  // a newcomer
  limit_ = 10 + inflight_limit_.packets();
  for (int i = 0; i < 20; ++i) {
    turn(100);
    EXPECT_LE(inflight_limit_.packets(), 300u);
    EXPECT_GE(inflight_limit_.packets(), 290u);
  }
}

}  // namespace
}  // namespace lambdacast::reliability
