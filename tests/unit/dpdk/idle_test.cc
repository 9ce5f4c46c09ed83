// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/idle.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <ctime>

namespace lambdacast::dpdk {
namespace {

uint64_t read_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

TEST(IdleTest, sleep__expect_at_least_sleep_us_to_pass_and_the_core_to_be_left) {
  Idler idler({0, config::IdlePolicy::kSleep, 2000, 2000});
  const uint64_t wall_ns = read_ns(CLOCK_MONOTONIC);
  const uint64_t cpu_ns = read_ns(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < 20; ++i) idler.idle();
  EXPECT_GE(read_ns(CLOCK_MONOTONIC) - wall_ns, 40'000'000u);
  EXPECT_LT(read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns, 20'000'000u);
}

TEST(IdleTest, go_on_sleeping__expect_each_sleep_twice_as_long_up_to_the_longest) {
  Idler idler({0, config::IdlePolicy::kSleep, 10, 70});
  for (const uint32_t expected : {10u, 20u, 40u, 70u, 70u}) {
    EXPECT_EQ(idler.next_sleep_us(), expected);
    idler.idle();
  }
}

TEST(IdleTest, be_busy_in_between__expect_the_next_sleep_to_be_the_first_again) {
  Idler idler({0, config::IdlePolicy::kSleep, 10, 1000});
  for (int i = 0; i < 3; ++i) idler.idle();
  EXPECT_EQ(idler.next_sleep_us(), 80u);
  idler.busy();
  EXPECT_EQ(idler.next_sleep_us(), 10u);
}

TEST(IdleTest, allow_less_than_the_first_sleep__expect_the_first) {
  Idler idler({0, config::IdlePolicy::kSleep, 100, 1});
  idler.idle();
  EXPECT_EQ(idler.next_sleep_us(), 100u);
}

TEST(IdleTest, sleep__expect_little_slack_and_the_threads_own_afterwards) {
  const int before = ::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  {
    const Idler idler({0, config::IdlePolicy::kSleep, 80, 80});
    EXPECT_EQ(::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), 10'000);
  }
  EXPECT_EQ(::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), before);
}

// 10,000 sleeps of a millisecond would take ten seconds of wall time, these take none.
TEST(IdleTest, spin_and_pause__expect_to_go_on_at_once) {
  for (const auto how : {config::IdlePolicy::kSpin, config::IdlePolicy::kPause}) {
    Idler idler({0, how, 1000, 1000});
    const uint64_t wall_ns = read_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < 10'000; ++i) idler.idle();
    EXPECT_LT(read_ns(CLOCK_MONOTONIC) - wall_ns, 5'000'000'000u);
  }
}

}  // namespace
}  // namespace lambdacast::dpdk
