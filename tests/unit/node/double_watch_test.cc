// SPDX-License-Identifier: BSD-3-Clause
#include "node/double_watch.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::node {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kWay = 2'000 * kMs;
const wire::Gid kGid = wire::gid_from_ipv4(0x0a000001);

class DoubleWatchTest : public ::testing::Test {
 protected:
  // Each of these lives is heard every ten milliseconds.
  void hear_ms(uint64_t ms, const std::vector<uint32_t>& lives) {
    for (; ms >= 10; ms -= 10, now_ns_ += 10 * kMs) {
      for (const uint32_t life : lives) watch_.heard(1, kGid, life, now_ns_);
    }
  }

  DoubleWatch watch_{4, kWay};
  uint64_t now_ns_ = 5'000 * kMs;
};

TEST_F(DoubleWatchTest, hear_one_life__expect_nothing) {
  hear_ms(10'000, {7});
  EXPECT_FALSE(watch_.take_event());
  EXPECT_EQ(watch_.doubles(), 0u);
}

TEST_F(DoubleWatchTest, a_life_follows_another__expect_nothing) {
  for (uint32_t life = 1; life < 5; ++life) hear_ms(3'000, {life});
  EXPECT_FALSE(watch_.take_event());
}

// They may have been on their way.
TEST_F(DoubleWatchTest, frames_of_the_earlier_life_come_late__expect_nothing) {
  hear_ms(3'000, {7});
  hear_ms(1'990, {7, 8});
  hear_ms(3'000, {8});
  EXPECT_FALSE(watch_.take_event());
}

TEST_F(DoubleWatchTest, hear_two_lives_at_a_time__expect_both_named_and_seldom) {
  hear_ms(3'000, {7});
  hear_ms(9'000, {7, 8});
  const auto event = watch_.take_event();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->gid, kGid);
  EXPECT_EQ(event->one, 7u);
  EXPECT_EQ(event->other, 8u);
  EXPECT_FALSE(event->own || event->lost);
  EXPECT_FALSE(watch_.take_event());
  hear_ms(4'000, {7, 8});
  EXPECT_TRUE(watch_.take_event());
  EXPECT_EQ(watch_.doubles(), 2u);
}

TEST_F(DoubleWatchTest, the_older_number_is_the_later_life__expect_both_named) {
  hear_ms(3'000, {8});
  hear_ms(3'000, {7, 8});
  EXPECT_TRUE(watch_.take_event());
}

TEST_F(DoubleWatchTest, be_told_by_one_of_them__expect_them_named_at_once_and_once) {
  hear_ms(3'000, {7});
  for (int i = 0; i < 3; ++i) watch_.told(1, kGid, 7, 8, now_ns_ + static_cast<uint64_t>(i));
  const auto event = watch_.take_event();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->other, 8u);
  EXPECT_FALSE(watch_.take_event());
  watch_.told(2, kGid, 1, 2, now_ns_);
  EXPECT_TRUE(watch_.take_event()) << "of another peer";
}

TEST_F(DoubleWatchTest, another_peer_has_the_place__expect_the_lives_before_forgotten) {
  hear_ms(3'000, {7});
  hear_ms(1'000, {7, 8});
  watch_.succeed(1);
  hear_ms(1'500, {7, 8});
  EXPECT_FALSE(watch_.take_event());
}

}  // namespace
}  // namespace lambdacast::node
