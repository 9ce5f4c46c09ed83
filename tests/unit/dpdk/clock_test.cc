// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace lambdacast::dpdk {
namespace {

uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

TEST(TscClockTest, convert_a_second_of_ticks__expect_a_billion_nanoseconds) {
  const TscClock clock;
  EXPECT_NEAR(static_cast<double>(clock.to_ns(rte_get_tsc_hz())), 1e9, 1);
  EXPECT_EQ(clock.to_ns(0), 0u);
}

TEST(TscClockTest, convert_ten_years_of_ticks__expect_no_overflow) {
  const TscClock clock;
  constexpr uint64_t kTenYearsS = 10ull * 365 * 86400;
  EXPECT_NEAR(static_cast<double>(clock.to_ns(rte_get_tsc_hz() * kTenYearsS)),
              static_cast<double>(kTenYearsS) * 1e9, 1e9);
}

TEST(TscClockTest, read_it_often__expect_it_never_to_step_back) {
  const TscClock clock;
  uint64_t before = clock.now_ns();
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t now = clock.now_ns();
    ASSERT_GE(now, before);
    before = now;
  }
}

// Bracketed by the system's clock on both sides, so that preemption can make it no wrong answer.
TEST(TscClockTest, let_the_system_clock_run__expect_the_same_time_to_pass_within_1_percent) {
  const uint64_t outer_begin = monotonic_ns();
  const TscClock clock;
  const uint64_t inner_begin = monotonic_ns();
  while (monotonic_ns() - inner_begin < 20'000'000) {
  }
  const uint64_t inner_end = monotonic_ns();
  const auto passed = static_cast<double>(clock.now_ns());
  const uint64_t outer_end = monotonic_ns();
  EXPECT_GE(passed, 0.99 * static_cast<double>(inner_end - inner_begin));
  EXPECT_LE(passed, 1.01 * static_cast<double>(outer_end - outer_begin));
}

}  // namespace
}  // namespace lambdacast::dpdk
