// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/node_clock.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace lambdacast::sim {
namespace {

TEST(NodeClock, offset_and_rate__expect_local_time) {
  EXPECT_EQ(NodeClock().local_ns(5), 5u);
  EXPECT_EQ(NodeClock(100).local_ns(5), 105u);
  EXPECT_EQ(NodeClock(100, 200).local_ns(1'000'000), 1'000'300u);
  EXPECT_EQ(NodeClock(100, -200).local_ns(1'000'000), 999'900u);
}

TEST(NodeClock, deadline__expect_the_first_true_time_that_shows_it) {
  base::SplitMix64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const NodeClock clock(random() >> 2, static_cast<int32_t>(random.below(401)) - 200);
    const uint64_t local_ns = clock.local_ns(0) + 1 + random.below(1'000'000'000'000);
    const uint64_t at_ns = clock.true_ns(local_ns);
    ASSERT_GE(clock.local_ns(at_ns), local_ns);
    ASSERT_LT(clock.local_ns(at_ns - 1), local_ns);
  }
  EXPECT_EQ(NodeClock(100).true_ns(7), 0u);
  EXPECT_EQ(NodeClock(100).true_ns(kNever), kNever);
}

}  // namespace
}  // namespace lambdacast::sim
