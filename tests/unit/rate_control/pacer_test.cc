// SPDX-License-Identifier: BSD-3-Clause
#include "rate_control/pacer.h"

#include <gtest/gtest.h>

namespace lambdacast::rate_control {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

TEST(Pacer, no_limit__expect_unlimited_always) {
  Pacer pacer;
  EXPECT_TRUE(pacer.unlimited());
  EXPECT_EQ(pacer.allowance(0), Pacer::kUnlimited);
  pacer.spend(1'000'000);
  EXPECT_EQ(pacer.allowance(0), Pacer::kUnlimited);
  EXPECT_EQ(pacer.next_deadline_ns(), 0u);
}

TEST(Pacer, first_call__expect_a_full_burst) {
  Pacer pacer({1000, 8});
  EXPECT_EQ(pacer.next_deadline_ns(), 0u);
  EXPECT_EQ(pacer.allowance(5 * kSecond), 8u);
}

TEST(Pacer, spend_the_burst__expect_the_next_unit_exactly_at_the_deadline) {
  Pacer pacer({1000, 4});
  EXPECT_EQ(pacer.allowance(kSecond), 4u);
  pacer.spend(4);
  EXPECT_EQ(pacer.next_deadline_ns(), kSecond + 1'000'000);
  EXPECT_EQ(pacer.allowance(kSecond + 999'999), 0u);
  EXPECT_EQ(pacer.next_deadline_ns(), kSecond + 1'000'000);
  EXPECT_EQ(pacer.allowance(kSecond + 1'000'000), 1u);
  EXPECT_EQ(pacer.next_deadline_ns(), 0u);
}

TEST(Pacer, long_pause__expect_no_more_than_the_burst) {
  Pacer pacer({1'000'000'000, 32});
  EXPECT_EQ(pacer.allowance(0), 32u);
  pacer.spend(32);
  EXPECT_EQ(pacer.allowance(~uint64_t{0}), 32u);
}

TEST(Pacer, rate_that_does_not_divide_a_second__expect_no_drift) {
  Pacer pacer({7, 1});
  uint64_t sent = 0;
  for (uint64_t now_ns = 0; now_ns <= 100 * kSecond;
       now_ns = std::max(now_ns + 1, pacer.next_deadline_ns())) {
    const uint64_t packets = pacer.allowance(now_ns);
    pacer.spend(packets);
    sent += packets;
  }
  EXPECT_EQ(sent, 701u);
}

TEST(Pacer, spend_more_than_allowed__expect_the_debt_paid_first) {
  Pacer pacer({1'000'000, 1500});  // bytes
  EXPECT_EQ(pacer.allowance(0), 1500u);
  pacer.spend(2500);
  EXPECT_EQ(pacer.allowance(0), 0u);
  EXPECT_EQ(pacer.next_deadline_ns(), 1'001'000u);
  EXPECT_EQ(pacer.allowance(1'001'000), 1u);
}

TEST(Pacer, clock_steps_back__expect_nothing_earned_twice) {
  Pacer pacer({1000, 10});
  (void)pacer.allowance(kSecond);
  pacer.spend(10);
  EXPECT_EQ(pacer.allowance(kSecond + 5'000'000), 5u);
  EXPECT_EQ(pacer.allowance(kSecond), 5u);
  EXPECT_EQ(pacer.allowance(kSecond + 5'000'000), 5u);
}

TEST(Pacer, smooth__expect_ten_milliseconds_at_once_one_at_least_and_no_more_than_was_wanted) {
  EXPECT_EQ(smooth(2, 32).burst_units, 1u);
  EXPECT_EQ(smooth(99, 32).burst_units, 1u);
  EXPECT_EQ(smooth(1'000, 32).burst_units, 10u);
  EXPECT_EQ(smooth(1'000'000, 32).burst_units, 32u);
  EXPECT_EQ(smooth(0, 32).units_per_second, 0u);
  Pacer slow(smooth(2, 32));
  EXPECT_EQ(slow.allowance(0), 1u);
  slow.spend(1);
  EXPECT_EQ(slow.allowance(499'999'999), 0u);
  EXPECT_EQ(slow.allowance(500'000'000), 1u);
}

TEST(Pacer, new_rate__expect_credit_kept_up_to_the_new_burst) {
  Pacer pacer({1000, 10});
  (void)pacer.allowance(0);
  pacer.spend(4);
  pacer.set_rate({2000, 20}, 0);
  EXPECT_EQ(pacer.allowance(0), 6u);
  EXPECT_EQ(pacer.allowance(1'000'000), 8u);
  pacer.set_rate({2000, 2}, 1'000'000);
  EXPECT_EQ(pacer.allowance(1'000'000), 2u);
  EXPECT_EQ(pacer.units_per_second(), 2000u);
}

TEST(Pacer, limit_set_after_none__expect_a_full_burst_then_the_rate) {
  Pacer pacer;
  pacer.set_rate({1000, 3}, 7 * kSecond);
  EXPECT_EQ(pacer.allowance(7 * kSecond), 3u);
  pacer.spend(3);
  EXPECT_EQ(pacer.next_deadline_ns(), 7 * kSecond + 1'000'000);
}

TEST(Pacer, limit_removed__expect_unlimited_whatever_the_debt) {
  Pacer pacer({1000, 3});
  (void)pacer.allowance(0);
  pacer.spend(1'000'000);
  pacer.set_rate({}, 1);
  EXPECT_EQ(pacer.allowance(1), Pacer::kUnlimited);
}

TEST(Pacer, values_out_of_range__expect_them_clamped) {
  Pacer pacer({~uint64_t{0}, ~uint64_t{0}});
  EXPECT_EQ(pacer.units_per_second(), Pacer::kMaxUnitsPerSecond);
  EXPECT_EQ(pacer.allowance(0), Pacer::kMaxBurstUnits);
  Pacer slow({1, 0});
  EXPECT_EQ(slow.allowance(0), 1u);
  for (int i = 0; i < 5; ++i) pacer.spend(~uint64_t{0});
  EXPECT_EQ(pacer.allowance(0), 0u);  // debt has a floor, and no overflow
}

}  // namespace
}  // namespace lambdacast::rate_control
