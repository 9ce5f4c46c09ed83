// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/rate_queue.h"

#include <gtest/gtest.h>

namespace lambdacast::fabric {
namespace {

constexpr uint64_t kHz = 1'000'000'000;  // ticks are nanoseconds
constexpr uint64_t kStart = 5'000'000;

TEST(RateQueue, by_default_or_without_a_rate_expect_inactive) {
  EXPECT_FALSE(RateQueue().active());
  EXPECT_FALSE(RateQueue(0, 1000, kHz).active());
  EXPECT_TRUE(RateQueue(kMinRateBps, 1000, kHz).active());
}

TEST(RateQueue, frames_one_after_the_other_expect_departures_a_frame_apart) {
  RateQueue queue(8'000'000'000, 10'000, kHz);  // a byte each ns
  ASSERT_TRUE(queue.offer(kStart, 976));
  EXPECT_EQ(queue.departure(), kStart + 1000);
  ASSERT_TRUE(queue.offer(kStart, 976));
  EXPECT_EQ(queue.departure(), kStart + 2000);
  ASSERT_TRUE(queue.offer(kStart + 500, 976));
  EXPECT_EQ(queue.departure(), kStart + 3000);
  ASSERT_TRUE(queue.offer(kStart + 9000, 976));  // it was empty by then
  EXPECT_EQ(queue.departure(), kStart + 10'000);
}

TEST(RateQueue, full_expect_refused_until_exactly_enough_is_served) {
  RateQueue queue(8'000'000'000, 3000, kHz);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.offer(kStart, 976)) << i;
  EXPECT_FALSE(queue.offer(kStart, 60));
  EXPECT_FALSE(queue.offer(kStart + 83, 60));  // of its 84 bytes
  EXPECT_TRUE(queue.offer(kStart + 84, 60));
  EXPECT_FALSE(queue.offer(kStart + 84, 60));
}

TEST(RateQueue, frame_longer_than_the_queue_expect_refused_even_when_empty) {
  RateQueue queue(8'000'000'000, 1000, kHz);
  EXPECT_FALSE(queue.offer(kStart, 977));
  EXPECT_TRUE(queue.offer(kStart, 976));
}

TEST(RateQueue, time_that_goes_back_expect_it_to_stand_still) {
  RateQueue queue(8'000'000'000, 10'000, kHz);
  ASSERT_TRUE(queue.offer(kStart, 976));
  ASSERT_TRUE(queue.offer(kStart - 700, 976));
  EXPECT_EQ(queue.departure(), kStart + 2000);
  ASSERT_TRUE(queue.offer(kStart + 2000, 976));
  ASSERT_TRUE(queue.offer(kStart + 1000, 976));
  EXPECT_EQ(queue.departure(), kStart + 4000);
}

TEST(RateQueue, ticks_that_divide_no_frame_expect_departures_rounded_up_and_no_drift) {
  constexpr uint64_t kTicksHz = 2'399'999'983;
  RateQueue queue(10'000'000'000, 1 << 20, kTicksHz);
  for (int i = 0; i < 10'000; ++i) ASSERT_TRUE(queue.offer(kStart, 64));
  // 10 000 frames of 88 bytes: 704 us, within a tick.
  EXPECT_EQ(queue.departure() - kStart, (7'040'000ull * kTicksHz + 9'999'999'999) / 10'000'000'000);
}

TEST(RateQueue, extremes_expect_no_overflow) {
  constexpr uint64_t kTicksHz = 8'000'000'000;
  RateQueue slow(kMinRateBps, kMaxQueueBytes, kTicksHz);
  RateQueue fast(kMaxRateBps, kMaxQueueBytes, kTicksHz);
  uint64_t frames = 0;
  while (slow.offer(kStart, 16'360)) ++frames;
  EXPECT_EQ(frames, kMaxQueueBytes / 16'384);
  EXPECT_EQ(slow.departure() - kStart, kMaxQueueBytes * 8 * (kTicksHz / kMinRateBps));
  while (fast.offer(kStart, 16'360)) {
  }
  EXPECT_TRUE(fast.offer(uint64_t{1} << 62, 16'360));
  EXPECT_LT(fast.departure() - (uint64_t{1} << 62), 1000u);
}

}  // namespace
}  // namespace lambdacast::fabric
