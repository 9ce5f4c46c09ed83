// SPDX-License-Identifier: BSD-3-Clause
#include "group/retry_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lambdacast::group {
namespace {

constexpr uint64_t kFirst = 1'000;

TEST(RetryPlan, sent_again_and_again__expect_waits_that_double_up_to_fifty_times_the_first) {
  const RetryPlan plan(kFirst, 7);
  Retry retry;
  for (uint64_t longest = kFirst; longest != 50 * kFirst;
       longest = std::min(2 * longest, 50 * kFirst)) {
    plan.sent(retry, 1, 0);
    EXPECT_EQ(retry.interval_ns, longest);
    EXPECT_GE(retry.next_ns, longest / 2);
    EXPECT_LE(retry.next_ns, longest);
  }
  EXPECT_EQ(retry.times, 6u);
}

TEST(RetryPlan, sent_at_once__expect_each_in_a_phase_of_its_own) {
  const RetryPlan plan(kFirst, 7);
  std::set<uint64_t> phases;
  for (uint64_t number = 1; number <= 20; ++number) {
    Retry retry;
    plan.sent(retry, number, 0);
    phases.insert(retry.next_ns);
  }
  EXPECT_GT(phases.size(), 15u);
}

TEST(RetryPlan, an_entry_without_room__expect_the_first_wait_again_doubled_by_each_refusal) {
  const RetryPlan plan(kFirst, 7);
  Retry retry;
  for (int i = 0; i < 6; ++i) plan.sent(retry, 1, 0);
  for (const uint64_t longest : {2, 4, 8, 16, 16}) {
    ++retry.refused;
    retry.next_ns = 50 * kFirst;
    plan.refused(retry, 1, 0);
    EXPECT_GE(retry.next_ns, longest * kFirst / 2);
    EXPECT_LE(retry.next_ns, longest * kFirst);
  }
  retry.next_ns = 5;
  plan.refused(retry, 1, 0);
  EXPECT_EQ(retry.next_ns, 5u) << "no later than it was";
}

}  // namespace
}  // namespace lambdacast::group
