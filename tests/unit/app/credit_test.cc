// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast-bench/harness/credit.h"

#include <gtest/gtest.h>

namespace lambdacast::bench {
namespace {

TEST(CreditTest, begin__expect_one_window_for_every_sender) {
  const Credit credit(3, 100);
  for (uint32_t sender = 0; sender < 3; ++sender) EXPECT_EQ(credit.limit(sender), 100u);
}

TEST(CreditTest, let_receivers_advance__expect_the_slowest_to_decide) {
  Credit credit(3, 100);
  credit.taken(1, 0, 70);
  EXPECT_EQ(credit.limit(0), 100u);
  credit.taken(2, 0, 30);
  EXPECT_EQ(credit.limit(0), 130u);
  credit.taken(2, 0, 90);
  EXPECT_EQ(credit.limit(0), 170u);
  EXPECT_EQ(credit.limit(1), 100u);  // another sender's account
}

TEST(CreditTest, let_a_sender_take_its_own__expect_no_difference) {
  Credit credit(2, 100);
  credit.taken(0, 0, 1000);
  EXPECT_EQ(credit.limit(0), 100u);
}

TEST(CreditTest, have_nobody_to_hear__expect_no_limit) {
  EXPECT_EQ(Credit(1, 100).limit(0), ~uint64_t{0});
}

}  // namespace
}  // namespace lambdacast::bench
