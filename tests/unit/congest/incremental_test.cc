// SPDX-License-Identifier: BSD-3-Clause
#include "congest/incremental.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/random.h"

namespace lambdacast::congest {
namespace {

TEST(Incremental, random_messages_that_replace_others__expect_what_a_loop_over_all_ports_says) {
  base::SplitMix64 random(5);
  for (size_t ports = 1; ports < 40; ++ports) {
    std::vector<uint64_t> said(ports, ArgMin::kNothing), summed(ports, 0);
    std::vector<bool> flags(ports, false);
    Sum sum(ports);
    Count count(ports);
    Or any(ports);
    ArgMin least(ports);
    EXPECT_FALSE(least.port());
    for (int step = 0; step < 200; ++step) {
      const size_t port = random.below(ports);
      const uint64_t value = random.below(20) == 0 ? ArgMin::kNothing : random.below(10);
      said[port] = value;
      summed[port] = random() >> 20;
      flags[port] = random.below(4) == 0;
      least.set(port, value);
      sum.set(port, summed[port]);
      count.set(port, flags[port]);
      any.set(port, flags[port]);
      const auto naive = std::min_element(said.begin(), said.end());
      EXPECT_EQ(least.least(), *naive);
      if (*naive == ArgMin::kNothing) {
        EXPECT_FALSE(least.port());
      } else {
        EXPECT_EQ(least.port(), static_cast<size_t>(naive - said.begin()));
      }
      EXPECT_EQ(sum.value(), std::accumulate(summed.begin(), summed.end(), uint64_t{0}));
      const auto set = static_cast<uint64_t>(std::count(flags.begin(), flags.end(), true));
      EXPECT_EQ(count.value(), set);
      EXPECT_EQ(any.value(), set != 0);
    }
  }
}

}  // namespace
}  // namespace lambdacast::congest
