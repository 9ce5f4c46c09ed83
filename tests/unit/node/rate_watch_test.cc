// SPDX-License-Identifier: BSD-3-Clause
#include "node/rate_watch.h"

#include <gtest/gtest.h>

namespace lambdacast::node {
namespace rate_watch_test {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kShare = 80'000'000;  // bits a second: 10'000 bytes a millisecond
constexpr uint64_t kBurst = 5'000;

// This endpoint and two peers, at places 3 and 1.
class RateWatchTest : public ::testing::Test {
 protected:
  RateWatchTest() {
    const size_t peers[] = {8, 3, 1};
    watch_.begin(peers);
    watch_.set_on(true, now_ns_);
    look();
  }
  void look(uint64_t passed_ns = 10 * kMs) {
    now_ns_ += passed_ns;
    watch_.look(may_send_, kBurst, now_ns_);
  }
  // So many looks at which peer 3 has sent that part of its share.
  void run(int looks, uint64_t percent) {
    for (; looks != 0; --looks) {
      watch_.heard(3, 100'000 * percent / 100);
      look();
    }
  }
  using What = RateEvent::What;

  RateWatch watch_{8};
  uint64_t may_send_[3] = {kShare, kShare, kShare};
  uint64_t now_ns_ = 1'000 * kMs;
};

TEST_F(RateWatchTest, exactly_its_share__expect_nothing_told_however_long) {
  run(1'000, 100);
  EXPECT_FALSE(watch_.seen(1).over);
  EXPECT_EQ(watch_.seen(1).bps, kShare);
  EXPECT_FALSE(watch_.take_event());
}

TEST_F(RateWatchTest, more_than_its_share__expect_it_told_once_and_when_it_is_down_again) {
  run(100, 120);
  EXPECT_TRUE(watch_.seen(1).over);
  EXPECT_EQ(watch_.times_over(), 1u);
  const auto event = watch_.take_event();
  ASSERT_TRUE(event);
  EXPECT_EQ(event->what, What::kOverShare);
  EXPECT_EQ(event->peer, 3);
  EXPECT_EQ(event->bps, kShare);
  EXPECT_FALSE(watch_.take_event());
  run(20, 0);
  EXPECT_FALSE(watch_.seen(1).over);
  const auto down = watch_.take_event();
  ASSERT_TRUE(down);
  EXPECT_EQ(down->what, What::kWithinShare);
  EXPECT_FALSE(watch_.seen(2).over);
}

TEST_F(RateWatchTest, receiver_that_did_not_run__expect_what_came_meanwhile_not_to_count) {
  run(50, 100);
  // For 80 ms nothing is taken, and then all of it at once.
  watch_.heard(3, 900'000);
  look(90 * kMs);
  run(50, 100);
  look(50 * kMs);
  watch_.heard(3, 600'000);
  look();
  run(50, 100);
  EXPECT_FALSE(watch_.take_event());
}

TEST_F(RateWatchTest, longer_pause_that_is_forgiven__expect_nothing_told) {
  watch_.forgive();
  watch_.heard(3, 5'000'000);
  look();
  run(50, 100);
  EXPECT_FALSE(watch_.take_event());
}

TEST_F(RateWatchTest, share_without_limit__expect_nothing_told) {
  may_send_[1] = RateWatch::kAnything;
  run(100, 500);
  EXPECT_FALSE(watch_.take_event());
  may_send_[1] = kShare;
  run(100, 100);
  EXPECT_FALSE(watch_.take_event());
}

TEST_F(RateWatchTest, switched_on_late__expect_what_was_heard_before_not_to_count) {
  watch_.set_on(false, now_ns_);
  EXPECT_EQ(watch_.next_look_ns(), ~uint64_t{0});
  watch_.heard(3, 50'000'000);
  watch_.set_on(true, now_ns_);
  EXPECT_EQ(watch_.next_look_ns(), now_ns_ + RateWatch::kLookNs);
  look();
  look();
  EXPECT_FALSE(watch_.take_event());
}

}  // namespace rate_watch_test
}  // namespace lambdacast::node
