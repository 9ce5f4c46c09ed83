// SPDX-License-Identifier: BSD-3-Clause
#include "base/uptime_clock.h"

#include <gtest/gtest.h>

namespace lambdacast::base {
namespace {

TEST(UptimeClock, advance_steadily__expect_the_time_that_passed) {
  UptimeClock clock(100);
  const uint64_t start = clock.advance(5'000);
  EXPECT_NE(start, 0u);  // 0 stands for never
  EXPECT_EQ(clock.advance(5'060) - start, 60u);
  EXPECT_EQ(clock.advance(5'160) - start, 160u);
  EXPECT_EQ(clock.starved(), 0u);
}

TEST(UptimeClock, stop_for_long__expect_one_heartbeat_lived_and_the_gap_counted) {
  UptimeClock clock(100);
  const uint64_t start = clock.advance(5'000);
  EXPECT_EQ(clock.advance(5'000'000) - start, 100u);
  EXPECT_EQ(clock.starved(), 1u);
  EXPECT_EQ(clock.uptime_ns() - start, 100u);
}

TEST(UptimeClock, go_back__expect_no_time_lived) {
  UptimeClock clock(100);
  const uint64_t start = clock.advance(5'000);
  EXPECT_EQ(clock.advance(4'000), start);
  EXPECT_EQ(clock.advance(5'050) - start, 50u);
}

TEST(UptimeClock, skip_a_time__expect_it_lived_by_nobody) {
  UptimeClock clock(1'000);
  const uint64_t before = clock.advance(10'000);
  clock.skip(50'000);
  EXPECT_EQ(clock.uptime_ns(), before);
  EXPECT_EQ(clock.advance(50'300), before + 300);
  EXPECT_EQ(clock.starved(), 0u);
}

TEST(UptimeClock, ask_when_to_wake__expect_the_time_wanted_in_gaps_that_count) {
  UptimeClock clock(100);
  const uint64_t start = clock.advance(5'000);
  EXPECT_EQ(clock.wake_ns(start + 60), 5'060u);
  EXPECT_EQ(clock.wake_ns(start + 250), 5'100u);
  EXPECT_EQ(clock.wake_ns(start - 1), 5'000u);
  EXPECT_EQ(clock.wake_ns(~uint64_t{0}), ~uint64_t{0});
}

}  // namespace
}  // namespace lambdacast::base
