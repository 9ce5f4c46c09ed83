#include "dataplane/idle.h"

#include <gtest/gtest.h>

#include <ctime>

namespace lambdacast::dataplane {
namespace {

uint64_t read_ns(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

TEST(IdleTest, sleep__expect_at_least_sleep_us_to_pass_and_the_core_to_be_left) {
  const config::Lcore policy{0, config::IdlePolicy::kSleep, 2000};
  const uint64_t wall_ns = read_ns(CLOCK_MONOTONIC);
  const uint64_t cpu_ns = read_ns(CLOCK_THREAD_CPUTIME_ID);
  for (int i = 0; i < 20; ++i) idle(policy);
  EXPECT_GE(read_ns(CLOCK_MONOTONIC) - wall_ns, 40'000'000u);
  EXPECT_LT(read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns, 20'000'000u);
}

// 10,000 sleeps of a millisecond would take ten seconds of wall time, these take none.
TEST(IdleTest, spin_and_pause__expect_to_go_on_at_once) {
  for (const auto how : {config::IdlePolicy::kSpin, config::IdlePolicy::kPause}) {
    const config::Lcore policy{0, how, 1000};
    const uint64_t wall_ns = read_ns(CLOCK_MONOTONIC);
    for (int i = 0; i < 10'000; ++i) idle(policy);
    EXPECT_LT(read_ns(CLOCK_MONOTONIC) - wall_ns, 5'000'000'000u);
  }
}

}  // namespace
}  // namespace lambdacast::dataplane
