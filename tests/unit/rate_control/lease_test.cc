// SPDX-License-Identifier: BSD-3-Clause
#include "rate_control/lease.h"

#include <gtest/gtest.h>

namespace lambdacast::rate_control {
namespace {

constexpr uint64_t kLength = 1'000;
constexpr uint64_t kGap = 300;

class LeaseTest : public ::testing::Test {
 protected:
  LeaseTest() { lease_.emptied(now_ns_); }
  // In steps that are no gap, with a port that is empty all the time.
  void pass_to(uint64_t now_ns) {
    for (; now_ns_ + 100 < now_ns; now_ns_ += 100) lease_.pass(now_ns_);
    lease_.pass(now_ns_ = now_ns);
    lease_.emptied(now_ns);
  }

  uint64_t now_ns_ = 10'000;
  Lease lease_{kLength, kGap};
};

TEST_F(LeaseTest, a_view_begins__expect_none_before_a_quorum_has_renewed_it) {
  lease_.begin(5, 0, std::nullopt);
  lease_.renew(1, now_ns_);
  lease_.pass(now_ns_);
  EXPECT_FALSE(lease_.valid());
  lease_.renew(3, now_ns_);
  lease_.pass(now_ns_);
  EXPECT_TRUE(lease_.valid());
  EXPECT_EQ(lease_.until_ns(), now_ns_ + kLength);
}

TEST_F(LeaseTest, nobody_renews__expect_it_over_behind_the_last_of_a_quorum) {
  lease_.begin(5, 0, std::nullopt);
  lease_.renew(1, 10'000);
  pass_to(10'200);
  lease_.renew(2, 10'200);
  lease_.renew(3, 10'200);
  pass_to(11'199);
  EXPECT_TRUE(lease_.valid());
  pass_to(11'200);
  EXPECT_FALSE(lease_.valid());
}

TEST_F(LeaseTest, less_than_a_quorum_renews__expect_it_over) {
  lease_.begin(5, 0, std::nullopt);
  lease_.renew(1, 10'000);
  lease_.renew(2, 10'000);
  for (; now_ns_ < 11'000; now_ns_ += 100) {
    lease_.renew(1, now_ns_);
    lease_.pass(now_ns_);
    EXPECT_TRUE(lease_.valid());
  }
  lease_.pass(11'000);
  EXPECT_FALSE(lease_.valid());
}

TEST_F(LeaseTest, half_of_a_view__expect_the_tie_breaker_to_decide) {
  lease_.begin(4, 0, 2);
  lease_.renew(1, now_ns_);
  lease_.pass(now_ns_);
  EXPECT_FALSE(lease_.valid());
  lease_.renew(2, now_ns_);
  lease_.pass(now_ns_);
  EXPECT_TRUE(lease_.valid());

  Lease breaks_ties(kLength, kGap);
  breaks_ties.emptied(now_ns_);
  breaks_ties.begin(4, 2, 2);
  breaks_ties.renew(0, now_ns_);
  breaks_ties.pass(now_ns_);
  EXPECT_TRUE(breaks_ties.valid());
}

TEST_F(LeaseTest, a_view_of_one__expect_it_always) {
  lease_.begin(1, 0, std::nullopt);
  pass_to(100'000);
  EXPECT_TRUE(lease_.valid());
}

TEST_F(LeaseTest, another_view_begins__expect_what_was_granted_to_last_and_nothing_of_it_to_renew) {
  lease_.begin(3, 0, std::nullopt);
  lease_.renew(1, now_ns_);
  lease_.pass(now_ns_);
  lease_.begin(3, 0, std::nullopt);
  pass_to(10'999);
  EXPECT_TRUE(lease_.valid());
  pass_to(11'000);
  EXPECT_FALSE(lease_.valid());
}

TEST_F(LeaseTest, it_did_not_run__expect_nothing_to_count_before_it_has_caught_up) {
  lease_.begin(3, 0, std::nullopt);
  lease_.renew(1, now_ns_);
  lease_.pass(now_ns_);
  lease_.pass(10'301);
  EXPECT_TRUE(lease_.paused());
  lease_.renew(1, 10'301);
  lease_.emptied(10'300);
  EXPECT_TRUE(lease_.paused()) << "it was asked before the gap was found";
  lease_.emptied(10'301);
  EXPECT_FALSE(lease_.paused());
  pass_to(11'000);
  EXPECT_FALSE(lease_.paused());
  EXPECT_FALSE(lease_.valid()) << "what was heard in the pause renews nothing";
  lease_.renew(1, 11'000);
  lease_.pass(11'000);
  EXPECT_TRUE(lease_.valid());
}

TEST_F(LeaseTest, hear_the_past_before_the_first_look__expect_it_not_to_count) {
  lease_.begin(3, 0, std::nullopt);
  lease_.pass(now_ns_);
  lease_.renew(1, now_ns_ + kGap + 1);
  lease_.pass(now_ns_ + kGap + 1);
  EXPECT_TRUE(lease_.paused());
  EXPECT_FALSE(lease_.valid());
}

TEST_F(LeaseTest, the_port_is_not_emptied__expect_a_lease_later_what_is_heard_not_to_count) {
  lease_.begin(3, 0, std::nullopt);
  for (; now_ns_ <= 11'000; now_ns_ += 100) {
    lease_.renew(1, now_ns_);
    lease_.pass(now_ns_);
  }
  for (; now_ns_ < 12'000; now_ns_ += 100) {
    lease_.renew(1, now_ns_);
    lease_.pass(now_ns_);
    EXPECT_TRUE(lease_.valid());
  }
  EXPECT_EQ(lease_.until_ns(), 12'000u) << "what was heard at the end of the lease counted last";
  lease_.renew(1, now_ns_);
  lease_.pass(now_ns_);
  EXPECT_FALSE(lease_.valid());
  lease_.emptied(now_ns_ - kLength);
  lease_.renew(1, now_ns_);
  lease_.pass(now_ns_);
  EXPECT_TRUE(lease_.valid());
}

TEST_F(LeaseTest, it_is_out__expect_none) {
  lease_.begin(3, 0, std::nullopt);
  lease_.renew(1, now_ns_);
  lease_.pass(now_ns_);
  lease_.end();
  lease_.pass(now_ns_ + 1);
  EXPECT_FALSE(lease_.valid());
}

}  // namespace
}  // namespace lambdacast::rate_control
