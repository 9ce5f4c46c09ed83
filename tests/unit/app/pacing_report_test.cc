// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "lambdacast-bench/cases/pacing.h"

namespace lambdacast::bench {
namespace {

// At 8 Mbit/s, a byte a microsecond; a window left out if two turns are 100 us apart.
class PacingWindowsTest : public ::testing::Test {
 protected:
  void turn(uint64_t bytes, uint64_t at_us) { windows_.turn(bytes, at_us * 1'000); }

  PacingWindows windows_{8'000'000, 100'000};
};

TEST_F(PacingWindowsTest, frames_at_the_rate__expect_windows_from_frame_to_frame) {
  for (uint64_t us = 50; us <= 3'000; us += 50) turn(us / 150 * 150, us);
  ASSERT_EQ(windows_.ratios().size(), 2u);
  EXPECT_DOUBLE_EQ(windows_.ratios()[0], 1);  // 1 050 us: a millisecond and what is left of a frame
  EXPECT_DOUBLE_EQ(windows_.ratios()[1], 1);
  EXPECT_EQ(windows_.left_out(), 0u);
}

TEST_F(PacingWindowsTest, twice_as_fast__expect_twice_the_rate) {
  for (uint64_t us = 50; us <= 1'100; us += 50) turn(us * 2, us);
  ASSERT_EQ(windows_.ratios().size(), 1u);
  EXPECT_DOUBLE_EQ(windows_.ratios()[0], 2);
}

TEST_F(PacingWindowsTest, no_turn_for_longer_than_a_burst__expect_that_window_left_out) {
  for (uint64_t us = 50; us <= 500; us += 50) turn(us, us);
  for (uint64_t us = 601; us <= 2'200; us += 50) turn(us, us);
  EXPECT_EQ(windows_.ratios().size(), 1u);
  EXPECT_EQ(windows_.left_out(), 1u);
}

TEST_F(PacingWindowsTest, no_turn_for_just_a_burst__expect_it_counted) {
  for (uint64_t us = 50; us <= 500; us += 50) turn(us, us);
  for (uint64_t us = 600; us <= 1'100; us += 50) turn(us, us);
  EXPECT_EQ(windows_.ratios().size(), 1u);
  EXPECT_EQ(windows_.left_out(), 0u);
}

TEST(PacingReport, hundred_windows__expect_the_part_near_the_rate_and_its_ends) {
  PacingReport report;
  for (int i = 0; i < 100; ++i) report.ratios.push_back(0.901 + 0.002 * i);  // 0.901 to 1.099
  EXPECT_DOUBLE_EQ(report.near_part(), 0.2);                                 // 0.981 to 1.019
  EXPECT_DOUBLE_EQ(report.value_at(0), 0.901);
  EXPECT_NEAR(report.value_at(0.5), 1.001, 1e-9);
  EXPECT_NEAR(report.value_at(0.99), 1.099, 1e-9);
  EXPECT_TRUE(report.sound());
  EXPECT_FALSE(PacingReport{}.sound());
}

TEST(PacingOptions, fewer_than_ten_frames_a_window__expect_them_refused) {
  EXPECT_EQ(check(PacingOptions{}), "");
  EXPECT_EQ(check({.rate_bps = 300'000'000}),
            "--rate has to be at least ten frames of --payload in a millisecond");
}

TEST(PacingOptions, rack__expect_the_sender_held_to_the_rate) {
  const Planned rack = rack_of(PacingOptions{.rate_bps = 2'000'000'000});
  ASSERT_TRUE(rack.has_value()) << rack.error();
  EXPECT_EQ(rack->endpoints[kSenderNode].rate.limit_bps, 2'000'000'000u);
  EXPECT_EQ(rack->endpoints[kReceiverNode].rate.limit_bps, 0u);
}

}  // namespace
}  // namespace lambdacast::bench
