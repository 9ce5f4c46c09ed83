// SPDX-License-Identifier: BSD-3-Clause
// LossDetector alone: any set of missing positions, any delay.
#include "reliability/loss_detector.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace lambdacast::reliability {
namespace loss_detector_test {

constexpr uint64_t kRttNs = 100'000;

class LossDetectorTest : public ::testing::Test {
 protected:
  struct Missing {
    std::set<uint64_t> positions;
    template <typename Visitor>
    void for_each_missing(uint64_t from, Visitor&& visit) const {
      for (auto at = positions.lower_bound(from); at != positions.end(); ++at) {
        if (!visit(*at)) return;
      }
    }
  };

  void reveal(uint64_t position, uint64_t due_ns) {
    missing_.positions.insert(position);
    detector_.reveal(position, now_ns_, now_ns_ + 7, due_ns);
  }
  void came(uint64_t position) {
    missing_.positions.erase(position);
    detector_.forget(position);
  }
  // The positions asked for now; those from `end` on cannot be taken, and `places` fit the frame.
  std::vector<uint64_t> scan(uint64_t end = ~uint64_t{0}, size_t places = 100) {
    std::vector<uint64_t> asked;
    const bool any = detector_.scan(
        missing_, 0, end, now_ns_, round_trip_,
        [&](uint64_t, uint64_t revealed_ns) { return revealed_ns + delay_ns_; },
        [&](uint64_t position) {
          if (asked.size() == places) return false;
          asked.push_back(position);
          return true;
        });
    EXPECT_EQ(any, !asked.empty());
    return asked;
  }
  [[nodiscard]] uint64_t next_ns() const { return detector_.next_scan_ns(round_trip_); }

  LossDetector detector_{64};
  RoundTrip round_trip_{kRttNs};
  Missing missing_;
  uint64_t now_ns_ = 1'000'000;
  uint64_t delay_ns_ = 0;
};

using Positions = std::vector<uint64_t>;

TEST_F(LossDetectorTest, reveal_nothing__expect_nothing_asked) {
  EXPECT_TRUE(scan().empty());
  EXPECT_EQ(next_ns(), LossDetector::kNever);
  EXPECT_EQ(detector_.asked_ns(), 0u);
}

TEST_F(LossDetectorTest, reveal__expect_all_that_is_due_asked_together) {
  reveal(5, now_ns_);
  reveal(6, now_ns_);
  reveal(9, now_ns_ + 50'000);
  EXPECT_TRUE(detector_.was_missing(5));
  EXPECT_EQ(detector_.revealed_ns(5), now_ns_);
  EXPECT_EQ(detector_.revealed_uptime_ns(5), now_ns_ + 7);
  EXPECT_EQ(next_ns(), now_ns_);
  EXPECT_EQ(scan(), (Positions{5, 6}));
  EXPECT_EQ(detector_.asked_ns(), now_ns_);
}

TEST_F(LossDetectorTest, ask__expect_the_next_scan_a_round_trip_later) {
  reveal(5, now_ns_);
  reveal(9, now_ns_ + 1);
  (void)scan();
  EXPECT_EQ(next_ns(), now_ns_ + kRttNs);
  now_ns_ += kRttNs;
  EXPECT_EQ(scan(), Positions{9}) << "the answer for 5 may still be on its way";
}

TEST_F(LossDetectorTest, ask_in_vain__expect_it_asked_for_again_after_the_retry_time) {
  reveal(5, now_ns_);
  (void)scan();
  now_ns_ += round_trip_.retry_ns() - 1;
  EXPECT_TRUE(scan().empty());
  EXPECT_EQ(next_ns(), now_ns_ + 1);
  ++now_ns_;
  EXPECT_EQ(scan(), Positions{5});
}

// A frame that goes out anyway takes along what is nearly due.
TEST_F(LossDetectorTest, ask_while_an_answer_is_overdue__expect_that_asked_along) {
  round_trip_ = RoundTrip(kRttNs);
  reveal(5, now_ns_);
  (void)scan();
  now_ns_ += kRttNs * 3 / 2;
  reveal(9, now_ns_);
  EXPECT_EQ(scan(), (Positions{5, 9}));
}

TEST_F(LossDetectorTest, find_the_delay_longer_at_the_scan__expect_it_put_off_until_then) {
  reveal(5, now_ns_);
  delay_ns_ = 30'000;
  EXPECT_TRUE(scan().empty());
  EXPECT_EQ(next_ns(), now_ns_ + 30'000);
  now_ns_ += 30'000;
  EXPECT_EQ(scan(), Positions{5});
  delay_ns_ = 60'000'000;  // of no meaning for what was asked for
  now_ns_ += round_trip_.retry_ns();
  EXPECT_EQ(scan(), Positions{5});
}

TEST_F(LossDetectorTest, have_more_than_a_frame_holds__expect_the_rest_a_round_trip_later) {
  for (const uint64_t at : {3, 5, 7}) reveal(at, now_ns_);
  EXPECT_EQ(scan(~uint64_t{0}, 2), (Positions{3, 5}));
  EXPECT_EQ(next_ns(), now_ns_ + kRttNs);
  now_ns_ += kRttNs;
  EXPECT_EQ(scan(), Positions{7});
}

TEST_F(LossDetectorTest, miss_what_cannot_be_taken__expect_it_asked_for_once_it_can) {
  reveal(5, now_ns_);
  reveal(9, now_ns_);
  EXPECT_TRUE(scan(5).empty());
  EXPECT_EQ(next_ns(), now_ns_ + kRttNs);
  EXPECT_EQ(scan(6), Positions{5});
  now_ns_ += kRttNs;
  came(5);
  EXPECT_EQ(scan(), Positions{9});
}

TEST_F(LossDetectorTest, hear_a_peer_ask__expect_ours_spared_until_the_answer_is_overdue) {
  reveal(5, now_ns_);
  EXPECT_TRUE(detector_.hear_nack(5, now_ns_, round_trip_));
  EXPECT_FALSE(detector_.hear_nack(5, now_ns_, round_trip_)) << "it was spared already";
  EXPECT_TRUE(scan().empty());
  now_ns_ += round_trip_.retry_ns() + kRttNs * 5 / 4;
  EXPECT_EQ(scan(), Positions{5});
}

TEST_F(LossDetectorTest, skip__expect_it_not_asked_for_until_it_is_reclaimed) {
  reveal(5, now_ns_);
  reveal(6, now_ns_);
  detector_.skip(5, 5);
  EXPECT_TRUE(detector_.skips_any());
  EXPECT_TRUE(detector_.skips(5));
  EXPECT_FALSE(detector_.skips(6));
  EXPECT_EQ(scan(), Positions{6});
  detector_.unskip();
  detector_.hurry();
  EXPECT_EQ(next_ns(), now_ns_ + kRttNs);
  now_ns_ += kRttNs;
  EXPECT_EQ(scan(), Positions{5});
}

TEST_F(LossDetectorTest, forget__expect_it_missing_no_more) {
  reveal(5, now_ns_);
  came(5);
  EXPECT_FALSE(detector_.was_missing(5));
  EXPECT_TRUE(scan().empty());
  EXPECT_EQ(next_ns(), LossDetector::kNever);
}

TEST_F(LossDetectorTest, reset__expect_nothing_missing_or_skipped) {
  reveal(5, now_ns_);
  detector_.skip(5, 5);
  detector_.reset();
  EXPECT_FALSE(detector_.was_missing(5));
  EXPECT_FALSE(detector_.skips_any());
  EXPECT_EQ(next_ns(), LossDetector::kNever);
}

}  // namespace loss_detector_test
}  // namespace lambdacast::reliability
