// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/owner_watch.h"

#include <gtest/gtest.h>

#include "owner_fixture.h"

namespace lambdacast::fabric {
namespace {

using test::Child;
using test::kSecondNs;
using test::named;
using test::OwnerTest;

TEST_F(OwnerTest, nobody_and_somebody_without_a_name__expect_no_owner) {
  EXPECT_EQ(watch_.look(0).number, 0u);
  ASSERT_TRUE(fabric_->claim(0));
  EXPECT_EQ(watch_.look(0).number, 0u);
}

TEST_F(OwnerTest, a_named_owner__expect_its_name_and_that_it_is_there) {
  const auto child = owner(1, 7);
  const Owner found = watch_.look(1);
  EXPECT_EQ(found.number, 1u);
  EXPECT_EQ(found.name, named(7));
  EXPECT_FALSE(found.gone);
}

TEST_F(OwnerTest, another_owner_after_a_killed_one__expect_the_new_name) {
  auto first = owner(1, 7);
  first->kill(SIGKILL);
  EXPECT_EQ(first->join(), -SIGKILL);
  const auto second = owner(1, 8);
  const Owner found = watch_.look(1);
  EXPECT_EQ(found.number, 2u);
  EXPECT_EQ(found.name, named(8));
  EXPECT_FALSE(found.gone);
}

// As a program does that knows nothing of names.
TEST_F(OwnerTest, a_claim_without_a_name_after_a_killed_owner__expect_the_named_one_gone) {
  auto first = owner(1, 7);
  first->kill(SIGKILL);
  EXPECT_EQ(first->join(), -SIGKILL);
  ASSERT_TRUE(fabric_->claim(1));
  EXPECT_TRUE(watch_.look(1).gone);
  EXPECT_EQ(watch_.look(1).name, named(7));
}

// The kernel wakes one of those who wait.
TEST_F(OwnerTest, several_wait_for_an_end__expect_all_woken) {
  const auto dies = owner(1, 7);
  std::vector<std::unique_ptr<Child>> others;
  for (int i = 0; i < 3; ++i) {
    others.push_back(std::make_unique<Child>([&](Child& parent) {
      auto fabric = attach();
      OwnerWatch watch = fabric->watch_owners();
      if (watch.look(1).gone) return 1;
      parent.tell();
      await_end(watch, 1);
      return 0;
    }));
    ASSERT_TRUE(others.back()->wait());
  }
  dies->kill(SIGKILL);
  for (const auto& each : others) EXPECT_EQ(each->join(), 0);
}

TEST_F(OwnerTest, somebody_takes_a_name__expect_those_who_wait_woken) {
  ASSERT_EQ(watch_.look(1).number, 0u);
  const auto child = owner(1, 7);
  watch_.wait(10 * kSecondNs);
  EXPECT_EQ(watch_.look(1).name, named(7));
}

TEST_F(OwnerTest, the_watch_is_woken__expect_it_to_wait_no_more) {
  watch_.wake();
  watch_.wait(10 * kSecondNs);
  watch_.wait(10 * kSecondNs);
}

}  // namespace
}  // namespace lambdacast::fabric
