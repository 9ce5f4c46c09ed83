// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/owner_hold.h"

#include <gtest/gtest.h>

#include "owner_fixture.h"

namespace lambdacast::fabric {
namespace {

using test::Child;
using test::kSecondNs;
using test::named;
using test::OwnerTest;

TEST_F(OwnerTest, the_owner_is_killed__expect_those_who_wait_woken_and_it_gone) {
  const auto child = owner(1, 7);
  ASSERT_FALSE(watch_.look(1).gone);
  child->kill(SIGKILL);
  await_end(watch_, 1);
  EXPECT_EQ(watch_.look(1).name, named(7));
  EXPECT_FALSE(watch_.look(0).gone && watch_.look(0).number != 0);
}

TEST_F(OwnerTest, the_owner_exits_or_lets_go__expect_it_gone) {
  const auto child = owner(1, 7);
  child->tell();
  await_end(watch_, 1);
  ASSERT_TRUE(fabric_->claim(2));
  auto hold = fabric_->name_owner(2, named(3));
  ASSERT_TRUE(hold);
  EXPECT_FALSE(watch_.look(2).gone);
  hold->reset();
  EXPECT_TRUE(watch_.look(2).gone);
}

TEST_F(OwnerTest, the_owner_is_stopped__expect_it_to_be_there) {
  const auto child = owner(1, 7);
  ASSERT_FALSE(watch_.look(1).gone);
  child->stop();
  watch_.wait(kSecondNs / 50);
  EXPECT_FALSE(watch_.look(1).gone);
  child->kill(SIGCONT);
  EXPECT_FALSE(watch_.look(1).gone);
}

// A fork takes no part in what its parent holds.
TEST_F(OwnerTest, a_child_of_the_owner_ends__expect_the_owner_to_be_there) {
  ASSERT_TRUE(fabric_->claim(2));
  auto hold = fabric_->name_owner(2, named(3));
  ASSERT_TRUE(hold);
  Child child([&](Child&) {
    hold->reset();
    return 0;
  });
  EXPECT_EQ(child.join(), 0);
  EXPECT_FALSE(watch_.look(2).gone);
}

TEST_F(OwnerTest, a_wavelength_that_nobody_has_claimed__expect_an_error_that_names_it) {
  const auto none = fabric_->name_owner(1, named(1));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "wavelength 1 of fabric rack has no transmitter to be named; claim it first");
  ASSERT_TRUE(fabric_->claim(1)) << "asking has claimed nothing";
  EXPECT_FALSE(fabric_->name_owner(3, named(1)));
}

}  // namespace
}  // namespace lambdacast::fabric
