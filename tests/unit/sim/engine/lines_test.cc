// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/lines.h"

#include <gtest/gtest.h>

namespace lambdacast::sim {
namespace {

constexpr uint64_t kGigabit = 1'000'000'000;  // a byte takes 8 ns

TEST(Lines, frames_one_after_the_other__expect_each_to_wait_for_the_one_before) {
  Lines lines(2, {kGigabit, kGigabit});
  EXPECT_EQ(lines.transmit(0, 1'000, 100), 8'100u);
  EXPECT_EQ(lines.transmit(0, 1'000, 200), 16'100u);
  EXPECT_EQ(lines.transmit(1, 1'000, 200), 8'200u) << "another node's line";
  EXPECT_EQ(lines.transmit(0, 500, 50'000), 54'000u);
  EXPECT_EQ(lines.transmits_until_ns(0), 54'000u);
}

// It has come bit by bit while it was sent.
TEST(Lines, a_frame_finds_the_receiver_free__expect_it_there_with_its_last_bit) {
  Lines lines(2, {kGigabit, kGigabit});
  EXPECT_EQ(lines.receive(1, 1'000, 30'000), 30'000u);
  EXPECT_EQ(lines.receive(1, 1'000, 38'000), 38'000u) << "right behind it, from the same line";
}

TEST(Lines, two_senders_at_once__expect_the_second_frame_to_wait_for_the_first) {
  Lines lines(3, {kGigabit, kGigabit});
  EXPECT_EQ(lines.receive(2, 1'000, 30'000), 30'000u);
  EXPECT_EQ(lines.receive(2, 1'000, 30'000), 38'000u);
  EXPECT_EQ(lines.receive(2, 500, 31'000), 42'000u);
}

TEST(Lines, no_rates__expect_no_time_taken) {
  Lines lines(2, {});
  EXPECT_EQ(lines.transmit(0, 1'000, 100), 100u);
  EXPECT_EQ(lines.receive(1, 1'000, 100), 100u);
  EXPECT_FALSE(lines.limit_receivers());
}

TEST(Lines, a_part_of_a_nanosecond__expect_it_rounded_up) {
  EXPECT_EQ(Lines::duration_ns(1, 3'000'000'000), 3u);  // 2.67
  EXPECT_EQ(Lines::duration_ns(1, 8'000'000'000), 1u);
}

}  // namespace
}  // namespace lambdacast::sim
