// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/medium.h"

#include <gtest/gtest.h>

namespace lambdacast::sim::fabrics {
namespace {

constexpr uint64_t kBits = 512;  // 64 bytes: 5120 ns of 100 Mb/s

TEST(Medium, frames_of_model_a__expect_each_to_occupy_the_link_for_its_share_of_the_budget) {
  Medium medium(2, {.loss = 0}, 1);
  const Transit first = medium.send(0, kBits, 1000);
  EXPECT_EQ(first.start_ns, 1000u);
  EXPECT_EQ(first.left_ns, 6120u);
  ASSERT_EQ(first.copies, 1u);
  EXPECT_EQ(first.at_ns[0], 6620u);
  const Transit second = medium.send(0, kBits, 1000);
  EXPECT_EQ(second.start_ns, 6120u);
  EXPECT_EQ(second.at_ns[0], 11'740u);
  EXPECT_EQ(medium.send(1, kBits, 1000).at_ns[0], 6620u);  // another link
  EXPECT_EQ(medium.frame_ns(kBits), 5120u);
}

TEST(Medium, frames_of_model_b__expect_them_at_the_rate_of_the_line_and_as_far_apart) {
  Medium medium(1, {.model = Model::kB, .line_bps = 1'000'000'000, .loss = 0}, 1);
  EXPECT_EQ(medium.send(0, kBits, 0).at_ns[0], 512u + 500u);
  const Transit second = medium.send(0, kBits, 100);
  EXPECT_EQ(second.start_ns, 5120u);
  EXPECT_EQ(second.at_ns[0], 5120u + 512u + 500u);
}

TEST(Medium, delay_and_duplication__expect_the_order_kept_and_the_named_share_of_losses) {
  constexpr unsigned kFrames = 10'000;
  Medium medium(1, {.loss = 0.2, .duplication = 0.3, .delay = 0.5, .most_delay_ns = 50'000}, 7);
  uint64_t last_ns = 0;
  unsigned lost = 0, twice = 0, overtaking = 0;
  for (unsigned i = 0; i < kFrames; ++i) {
    const Transit transit = medium.send(0, kBits, 0);
    lost += transit.copies == 0;
    twice += transit.copies == 2;
    for (unsigned copy = 0; copy < transit.copies; ++copy) {
      EXPECT_GE(transit.at_ns[copy], last_ns);
      overtaking += transit.at_ns[copy] == last_ns;  // would have come earlier
      last_ns = transit.at_ns[copy];
    }
  }
  EXPECT_NEAR(lost, 0.2 * kFrames, 200);
  EXPECT_NEAR(twice, 0.8 * 0.3 * kFrames, 200);
  EXPECT_GT(overtaking, kFrames / 10);
}

TEST(Medium, fate_of_a_frame__expect_it_to_hang_on_seed_link_and_number_alone) {
  const MediumConfig config{.loss = 0.5};
  Medium one(2, config, 3);
  Medium other(2, config, 3);
  Medium third(2, config, 4);
  unsigned like_third = 0;
  for (unsigned i = 0; i < 200; ++i) {
    (void)other.send(1, kBits, i);
    const unsigned copies = one.send(0, kBits, 0).copies;
    EXPECT_EQ(copies, other.send(0, kBits, 77 * i).copies);
    like_third += copies == third.send(0, kBits, 0).copies;
  }
  EXPECT_LT(like_third, 150u);
}

}  // namespace
}  // namespace lambdacast::sim::fabrics
