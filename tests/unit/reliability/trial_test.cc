// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/trial.h"

#include <gtest/gtest.h>

namespace lambdacast::reliability {
namespace trial_test {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kLeast = 50 * kMs;
constexpr uint64_t kMost = 2'000 * kMs;

Trial relapsed(uint32_t times) {
  Trial trial;
  for (uint32_t i = 0; i <= times; ++i) trial.note_cut_off(100 * kMs, 4'000 * kMs);
  trial.begin();
  return trial;
}
// Milliseconds until it passes if it keeps up from the beginning.
uint64_t ms_of(Trial trial) {
  for (uint64_t ms = 0;; ++ms) {
    if (trial.passes({ms, 64, 0, ms}, ms * kMs, kLeast, kMost)) return ms;
  }
}

TEST(TrialTest, cut_off_once__expect_no_trial) {
  Trial trial;
  trial.note_cut_off(100 * kMs, 4'000 * kMs);
  EXPECT_FALSE(trial.due());
}

TEST(TrialTest, cut_off_again__expect_a_trial_unless_the_stay_between_was_long) {
  Trial trial = relapsed(1);
  EXPECT_TRUE(trial.due());
  trial.note_cut_off(4'000 * kMs, 4'000 * kMs);
  EXPECT_FALSE(trial.due());
}

TEST(TrialTest, each_relapse__expect_twice_the_time_up_to_the_limit) {
  EXPECT_EQ(ms_of(relapsed(1)), 100u);
  EXPECT_EQ(ms_of(relapsed(2)), 200u);
  EXPECT_EQ(ms_of(relapsed(5)), 1'600u);
  EXPECT_EQ(ms_of(relapsed(6)), 2'000u);
  EXPECT_EQ(ms_of(relapsed(1'000)), 2'000u);
}

TEST(TrialTest, its_window_has_no_room__expect_the_time_to_begin_again) {
  Trial trial = relapsed(1);
  EXPECT_FALSE(trial.passes({0, 64, 0, 0}, 0, kLeast, kMost));
  EXPECT_FALSE(trial.passes({10, 64, 0, 75}, 99 * kMs, kLeast, kMost));
  EXPECT_FALSE(trial.passes({75, 64, 0, 75}, 198 * kMs, kLeast, kMost));
  EXPECT_TRUE(trial.passes({75, 64, 0, 75}, 199 * kMs, kLeast, kMost));
}

TEST(TrialTest, it_misses_packets__expect_few_of_them_allowed) {
  for (const auto& [losses, expected] : {std::pair<uint64_t, bool>{108, true}, {109, false}}) {
    Trial trial = relapsed(1);
    EXPECT_FALSE(trial.passes({0, 64, 5, 0}, 0, kLeast, kMost));
    EXPECT_EQ(trial.passes({1'600, 64, 5 + losses, 1'600}, 100 * kMs, kLeast, kMost), expected);
  }
}

}  // namespace trial_test
}  // namespace lambdacast::reliability
