// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/burst_loss.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::fabric {
namespace {

TEST(BurstChain, made_by_default_or_never_entered_expect_good_for_ever) {
  BurstChain none;
  BurstChain never(0, 0.1, 5);
  EXPECT_FALSE(none.possible());
  EXPECT_FALSE(never.possible());
  for (uint64_t i = 0; i < 10'000; ++i) ASSERT_FALSE(never.bad(i));
}

TEST(BurstChain, leave_is_one_expect_no_two_bad_frames_in_a_row) {
  BurstChain chain(0.3, 1, 5);
  bool before = false;
  uint64_t bad = 0;
  for (uint64_t i = 0; i < 10'000; ++i) {
    const bool now = chain.bad(i);
    ASSERT_FALSE(before && now) << i;
    before = now;
    bad += now;
  }
  EXPECT_GT(bad, 1000u);
}

// Whatever was asked before: forwards, backwards, by leaps, or of a chain never asked anything.
TEST(BurstChain, asked_in_any_order_expect_the_same_states) {
  constexpr uint64_t kFrames = 5000;
  for (const auto& [enter, leave] : {std::pair{0.01, 0.1}, {0.5, 0.5}, {0.4, 0.9}, {0.5, 1.0}}) {
    BurstChain chain(enter, leave, 9);
    std::vector<bool> forwards;
    for (uint64_t i = 0; i < kFrames; ++i) forwards.push_back(chain.bad(i));
    for (uint64_t i = kFrames; i-- > 0;) ASSERT_EQ(chain.bad(i), forwards[i]) << i;
    for (uint64_t i = 0; i < kFrames; i += 37) ASSERT_EQ(chain.bad(i), forwards[i]) << i;
    for (uint64_t i = 0; i < kFrames; i += 111) {
      ASSERT_EQ(BurstChain(enter, leave, 9).bad(i), forwards[i]) << i;
      ASSERT_EQ(chain.bad(i), forwards[i]) << i;
      ASSERT_EQ(chain.bad(i), forwards[i]) << i << " again";
    }
  }
}

TEST(BurstChain, slowest_chain_joined_late_expect_an_answer) {
  BurstChain chain(1e-9, kMinBurstLeave, 3);
  const bool state = chain.bad(uint64_t{1} << 40);
  EXPECT_EQ(BurstChain(1e-9, kMinBurstLeave, 3).bad(uint64_t{1} << 40), state);
}

TEST(BurstChain, another_key_expect_other_bursts) {
  BurstChain one(0.1, 0.1, base::mix64(1));
  BurstChain other(0.1, 0.1, base::mix64(2));
  uint64_t differ = 0;
  for (uint64_t i = 0; i < 1000; ++i) differ += one.bad(i) != other.bad(i);
  EXPECT_GT(differ, 200u);
}

}  // namespace
}  // namespace lambdacast::fabric
