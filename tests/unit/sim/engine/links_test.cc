// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lambdacast::sim {
namespace {

const Topology kTwo(2, {{0, 1}, {1, 0}});

TEST(Links, send__expect_frames_one_after_the_other_and_a_latency_later) {
  Links links(kTwo, {.latency_ns = 500, .bits_per_second = 10'000'000'000}, 1);
  EXPECT_EQ(links.send(0, 1'000, 1'000), 1'600u);  // 100 ns at 10 Gb/s
  EXPECT_EQ(links.send(0, 1'000, 1'000), 1'700u);
  EXPECT_EQ(links.send(1, 1'000, 1'000), 1'600u) << "another link";
  EXPECT_EQ(links.send(0, 1, 5'000), 5'501u) << "a part of a nanosecond takes a whole one";
}

TEST(Links, no_rate__expect_the_latency_alone) {
  Links links(kTwo, {.latency_ns = 500}, 1);
  EXPECT_EQ(links.send(0, 1 << 20, 7), 507u);
  EXPECT_EQ(links.send(0, 1 << 20, 7), 507u);
}

TEST(Links, lose__expect_its_share_and_the_same_whatever_others_send) {
  const LinkConfig config{.loss = 0.25};
  std::vector<bool> alone;
  std::vector<bool> among_others;
  Links first(kTwo, config, 3);
  Links second(kTwo, config, 3);
  for (int i = 0; i < 10'000; ++i) {
    alone.push_back(first.send(0, 1, 0).has_value());
    (void)second.send(1, 1, 0);
    among_others.push_back(second.send(0, 1, 0).has_value());
  }
  EXPECT_EQ(alone, among_others);
  const auto come = static_cast<double>(std::count(alone.begin(), alone.end(), true));
  EXPECT_NEAR(come / 10'000, 0.75, 0.02);
}

TEST(Links, cut__expect_nothing_to_come_until_it_is_mended) {
  Links links(kTwo, {}, 1);
  const uint32_t before = links.cuts(0);
  links.cut(0);
  EXPECT_NE(links.cuts(0), before) << "what is under way does not come";
  EXPECT_FALSE(links.send(0, 1, 0));
  EXPECT_TRUE(links.send(1, 1, 0));
  links.mend(0);
  EXPECT_TRUE(links.send(0, 1, 0));
}

}  // namespace
}  // namespace lambdacast::sim
