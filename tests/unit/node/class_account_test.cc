// SPDX-License-Identifier: BSD-3-Clause
#include "node/class_account.h"

#include <gtest/gtest.h>

namespace lambdacast::node {
namespace {

using Waits = std::array<uint64_t, ClassReport::kWaits>;

TEST(ClassAccount, control_that_goes_when_it_is_due__expect_no_wait) {
  ClassAccount account;
  account.wants(Lazy::kMarks, true, 100);
  account.goes(Lazy::kMarks, 100);
  EXPECT_EQ(account.report().waits, (Waits{1, 0, 0, 0}));
  EXPECT_EQ(account.report().wait_ns, 0u);
}

TEST(ClassAccount, control_behind_data__expect_the_bursts_counted_from_when_it_might_have_gone) {
  ClassAccount account;
  account.wants(Lazy::kStatuses, false, 100);
  for (int i = 0; i < 5; ++i) account.burst();
  account.wants(Lazy::kStatuses, false, 200);  // its part of the share does not let it go yet
  account.burst();
  account.wants(Lazy::kStatuses, true, 300);
  account.burst();
  account.goes(Lazy::kStatuses, 400);
  EXPECT_EQ(account.report().waits, (Waits{0, 0, 1, 0}));
  EXPECT_EQ(account.report().wait_ns, 300u);
  account.wants(Lazy::kStatuses, true, 1'000);
  for (int i = 0; i < 9; ++i) account.burst();
  account.goes(Lazy::kStatuses, 1'010);
  EXPECT_EQ(account.report().waits, (Waits{0, 0, 1, 1}));
  EXPECT_EQ(account.report().longest_wait_ns, 300u);
}

TEST(ClassAccount, control_that_is_not_due_any_more__expect_it_not_to_count) {
  ClassAccount account;
  account.wants(Lazy::kAcknowledgements, true, 100);
  account.withdraw(Lazy::kAcknowledgements);
  account.goes(Lazy::kAcknowledgements, 500);
  EXPECT_EQ(account.report().waits, Waits{});
  account.wants(Lazy::kAcknowledgements, true, 600);
  account.goes(Lazy::kAcknowledgements, 610);
  EXPECT_EQ(account.report().wait_ns, 10u);
}

TEST(ClassAccount, data_that_waits__expect_the_time_between_turns_in_which_it_did) {
  ClassAccount account;
  account.held(true, 100);
  account.held(true, 150);
  account.held(false, 200);
  account.held(false, 300);
  account.held(true, 400);
  account.held(true, 420);
  EXPECT_EQ(account.report().held_ns, 70u);
}

}  // namespace
}  // namespace lambdacast::node
