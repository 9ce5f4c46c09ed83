// SPDX-License-Identifier: BSD-3-Clause
// A sender that always has something to send, polled now and then: the bytes of every window of
// time are compared with the rate, all at once.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/random.h"
#include "rate_control/share_bucket.h"

namespace lambdacast::rate_control {
namespace {

using Wide = __int128;

constexpr uint64_t kFrame = 4'186;  // bytes on the wire of 4048 of the application
constexpr uint64_t kBurstNs = 10'000;
constexpr uint64_t kMostBetweenPollsNs = 5'000;
constexpr uint64_t kSecond = 1'000'000'000;

// Bits of a billionth of a second, as the rate brings them in nanoseconds.
constexpr Wide bits(uint64_t bytes) { return Wide{bytes} * 8 * kSecond; }

// By how much any window so far had more or less than the rate brings. A window may end behind any
// frames and begin in front of any others, or the other way round.
class Windows {
 public:
  void look(Wide ahead_before, Wide ahead_behind) {
    least_before_ = std::min(least_before_, ahead_before);
    more_ = std::max(more_, ahead_behind - least_before_);
    less_ = std::max(less_, most_behind_ - ahead_before);
    most_behind_ = std::max(most_behind_, ahead_behind);
  }
  [[nodiscard]] Wide more() const { return more_; }
  [[nodiscard]] Wide less() const { return less_; }

 private:
  Wide least_before_ = std::numeric_limits<int64_t>::max() * Wide{kSecond};
  Wide most_behind_ = -least_before_;
  Wide more_ = 0;
  Wide less_ = 0;
};

class Pacing : public ::testing::TestWithParam<uint64_t> {
 protected:
  Pacing() {
    bucket_.set({bps_, 0, std::max(bps_ / 8 * kBurstNs / kSecond, kFrame), LimitedBy::kNeed, 0},
                now_ns_);
  }
  // As many frames as may go, at polls a random time apart.
  uint64_t send_for(uint64_t ns) {
    uint64_t sent = 0;
    const uint64_t begin_ns = now_ns_;
    while (now_ns_ < begin_ns + ns) {
      now_ns_ += 1 + random_.below(kMostBetweenPollsNs);
      const Wide before = bits(bytes_) - Wide{bps_} * now_ns_;
      for (; bucket_.allows(now_ns_); sent += kFrame, bytes_ += kFrame) bucket_.spend(kFrame);
      windows_.look(before, bits(bytes_) - Wide{bps_} * now_ns_);
    }
    return sent;
  }
  [[nodiscard]] Wide most_off() const { return bits(kFrame) + Wide{bps_} * kBurstNs; }

  const uint64_t bps_ = GetParam() * 1'000'000'000;
  base::SplitMix64 random_{bps_};
  ShareBucket bucket_;
  Windows windows_;
  uint64_t now_ns_ = kSecond;
  uint64_t bytes_ = 0;
};

TEST_P(Pacing, flood_for_ten_seconds__expect_each_window_near_the_rate_and_the_mean_at_it) {
  (void)send_for(1);  // the burst that it begins with
  windows_ = {};
  const uint64_t begin_ns = now_ns_;
  const uint64_t sent = send_for(10 * kSecond);
  EXPECT_LE(windows_.more(), most_off());
  EXPECT_LE(windows_.less(), most_off());
  const double bps = static_cast<double>(sent) * 8e9 / static_cast<double>(now_ns_ - begin_ns);
  EXPECT_NEAR(bps / static_cast<double>(bps_), 1, 0.001);
}

// Behind a pause there is a burst, which is no shorter than a frame, and what a pacer keeps of the
// last nanosecond.
TEST_P(Pacing, flood_between_pauses__expect_no_window_with_more_than_a_burst_ahead) {
  for (int flood = 0; flood < 1'000; ++flood) {
    (void)send_for(random_.below(100'000));
    now_ns_ += random_.below(1'000'000);
  }
  EXPECT_LE(windows_.more(), std::max(most_off(), bits(2 * kFrame)) + Wide{bps_});
}

INSTANTIATE_TEST_SUITE_P(Gbps, Pacing, ::testing::Values(1, 10, 25, 100));

}  // namespace
}  // namespace lambdacast::rate_control
