// SPDX-License-Identifier: BSD-3-Clause
// Pacer against the plain statement of its contract, in 128-bit arithmetic: what has been earned
// since the start, capped at every step.

#include "rate_control/pacer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace lambdacast::rate_control {
namespace {

using Wide = __int128;
constexpr Wide kBillion = 1'000'000'000;

PacerConfig draw_config(base::SplitMix64& random) {
  const uint64_t magnitude = uint64_t{1} << random.below(40);
  return {1 + random.below(magnitude), 1 + random.below(random.below(2) == 0 ? 4 : 100'000)};
}

TEST(PacerProperty, random_spending__expect_the_allowance_of_the_naive_bucket) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    base::SplitMix64 random(seed);
    const PacerConfig config = draw_config(random);
    Pacer pacer(config);
    uint64_t now_ns = random() >> 8;
    Wide bucket = Wide{config.burst_units} * kBillion;
    for (int step = 0; step < 2000; ++step) {
      const uint64_t allowed = pacer.allowance(now_ns);
      const Wide wanted = std::clamp(bucket / kBillion, Wide{0}, Wide{config.burst_units});
      ASSERT_EQ(allowed, static_cast<uint64_t>(wanted)) << "seed " << seed << " step " << step;
      const uint64_t units = random.below(4) == 0 ? allowed + random.below(3)  // a debt, at times
                                                  : random.below(allowed + 1);
      pacer.spend(units);
      bucket -= Wide{units} * kBillion;
      const uint64_t elapsed_ns = random.below(uint64_t{1} << random.below(36));
      now_ns += elapsed_ns;
      bucket = std::min(bucket + Wide{elapsed_ns} * config.units_per_second,
                        Wide{config.burst_units} * kBillion + config.units_per_second);
    }
  }
}

// Never more than burst + rate * t in any interval, and nothing lost by one who comes at deadlines.
TEST(PacerProperty, spend_all_at_each_deadline__expect_exactly_the_rate) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    base::SplitMix64 random(seed);
    PacerConfig config = draw_config(random);
    config.units_per_second = std::min<uint64_t>(config.units_per_second, 900'000'000);
    Pacer pacer(config);
    const uint64_t start_ns = random.below(uint64_t{1} << 50);
    uint64_t now_ns = start_ns;
    Wide sent = 0;
    for (int step = 0; step < 3000; ++step) {
      const uint64_t allowed = pacer.allowance(now_ns);
      ASSERT_GT(allowed, 0u) << "the deadline was too early: seed " << seed;
      pacer.spend(allowed);
      sent += allowed;
      const Wide earned =
          Wide{config.burst_units} + Wide{now_ns - start_ns} * config.units_per_second / kBillion;
      ASSERT_EQ(static_cast<uint64_t>(sent), static_cast<uint64_t>(earned)) << "seed " << seed;
      const uint64_t deadline_ns = pacer.next_deadline_ns();
      ASSERT_GT(deadline_ns, now_ns);
      ASSERT_EQ(pacer.allowance(deadline_ns - 1), 0u) << "the deadline was too late: seed " << seed;
      now_ns = deadline_ns;
    }
  }
}

}  // namespace
}  // namespace lambdacast::rate_control
