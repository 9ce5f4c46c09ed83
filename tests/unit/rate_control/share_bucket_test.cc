// SPDX-License-Identifier: BSD-3-Clause
#include "rate_control/share_bucket.h"

#include <gtest/gtest.h>

namespace lambdacast::rate_control {
namespace share_bucket_test {

constexpr uint64_t kMbps = 8;  // a byte a microsecond
constexpr uint64_t kFrame = 1'000;
constexpr uint64_t kSecond = 1'000'000'000;

class ShareBucketTest : public ::testing::Test {
 protected:
  void set(uint64_t mbps, uint64_t control_mbps = 0) {
    bucket_.set({mbps * 1'000'000, control_mbps * 1'000'000, kFrame, LimitedBy::kNeed, 0}, now_ns_);
  }
  // What data gets in a second in which it never rests, in frames.
  uint64_t data_frames(uint64_t control_frames_a_ms = 0) {
    uint64_t frames = 0;
    for (const uint64_t end_ns = now_ns_ + kSecond; now_ns_ < end_ns; now_ns_ += 10'000) {
      if (now_ns_ % 1'000'000 == 0) {
        for (uint64_t i = 0; i < control_frames_a_ms; ++i) bucket_.spend_control(100, now_ns_);
      }
      for (; bucket_.allows(now_ns_); ++frames) bucket_.spend(kFrame);
    }
    return frames;
  }

  ShareBucket bucket_;
  uint64_t now_ns_ = kSecond;
};

TEST_F(ShareBucketTest, rate_of_nothing__expect_no_frame_and_no_deadline) {
  set(8 * kMbps);
  set(0);
  EXPECT_FALSE(bucket_.allows(now_ns_));
  EXPECT_FALSE(bucket_.allows(now_ns_ + kSecond));
  EXPECT_EQ(bucket_.next_deadline_ns(), ~uint64_t{0});
  set(8 * kMbps);
  EXPECT_TRUE(bucket_.allows(now_ns_ + kSecond));
}

TEST_F(ShareBucketTest, no_limit__expect_all_allowed) {
  EXPECT_FALSE(bucket_.limited());
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_TRUE(bucket_.allows(0));
    bucket_.spend(1'000'000);
    bucket_.spend_control(1'000'000, 0);
  }
  EXPECT_TRUE(bucket_.allows_lazy(0));
  EXPECT_EQ(bucket_.next_deadline_ns(), 0u);
}

TEST_F(ShareBucketTest, frames_allowed__expect_as_many_as_one_by_one) {
  EXPECT_EQ(bucket_.frames_allowed(kFrame, now_ns_), Pacer::kUnlimited);
  set(0);
  EXPECT_EQ(bucket_.frames_allowed(kFrame, now_ns_), 0u);
  set(kMbps);
  for (const uint64_t bytes : {kFrame, kFrame / 2, kFrame / 3}) {
    now_ns_ += kSecond;
    const uint64_t frames = bucket_.frames_allowed(bytes, now_ns_);
    EXPECT_EQ(frames, kFrame / bytes + (kFrame % bytes != 0 ? 1 : 0));
    for (uint64_t i = 0; i < frames; ++i) {
      EXPECT_TRUE(bucket_.allows(now_ns_)) << i << " of " << frames << " of " << bytes;
      bucket_.spend(bytes);
    }
    EXPECT_FALSE(bucket_.allows(now_ns_));
    EXPECT_EQ(bucket_.frames_allowed(bytes, now_ns_), 0u);
  }
}

TEST_F(ShareBucketTest, data_without_rest__expect_the_share) {
  set(kMbps);
  EXPECT_NEAR(static_cast<double>(data_frames()), 1'000, 3);
}

TEST_F(ShareBucketTest, control_within_its_own_bucket__expect_data_not_to_pay) {
  set(kMbps, kMbps);
  EXPECT_NEAR(static_cast<double>(data_frames(5)), 1'000, 5);
}

TEST_F(ShareBucketTest, control_beyond_its_bucket__expect_data_to_pay) {
  set(kMbps);
  EXPECT_NEAR(static_cast<double>(data_frames(3)), 700, 20);
}

TEST_F(ShareBucketTest, control_without_end__expect_half_of_the_share_left_to_data) {
  set(kMbps);
  EXPECT_NEAR(static_cast<double>(data_frames(50)), 500, 20);
}

TEST_F(ShareBucketTest, a_lower_share__expect_no_credit_of_the_higher_one) {
  set(1'000 * kMbps);
  now_ns_ += kSecond;
  set(kMbps);
  uint64_t frames = 0;
  for (; bucket_.allows(now_ns_); ++frames) bucket_.spend(kFrame);
  EXPECT_LE(frames, 2u);
}

TEST_F(ShareBucketTest, what_can_wait__expect_an_eighth_of_the_share_and_a_64th_beside_data) {
  for (const auto& [waits, part] : {std::pair{false, 8u}, std::pair{true, 64u}}) {
    set(64 * kMbps);
    bucket_.data_waits(waits, now_ns_);
    uint64_t bytes = 0;
    for (const uint64_t end_ns = now_ns_ + kSecond; now_ns_ < end_ns; now_ns_ += 10'000) {
      for (; bucket_.allows_lazy(now_ns_); bytes += 100) bucket_.spend_lazy(100, now_ns_);
    }
    EXPECT_NEAR(static_cast<double>(bytes), 64e6 / part, 64e6 / part / 20) << part;
  }
}

TEST_F(ShareBucketTest, no_share_at_all__expect_no_more_than_a_frame) {
  set(0);
  EXPECT_LE(data_frames(), 2u);
}

}  // namespace share_bucket_test
}  // namespace lambdacast::rate_control
