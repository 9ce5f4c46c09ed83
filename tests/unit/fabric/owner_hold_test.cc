// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/owner_hold.h"

#include <gtest/gtest.h>

#include <memory>

#include "support.h"

namespace lambdacast::fabric {
namespace {

using test::Child;

constexpr uint64_t kSecondNs = 1'000'000'000;

OwnerName named(uint8_t number) {
  OwnerName name;
  name.fill(number);
  return name;
}

class OwnerTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Fabric> attach() const {
    auto fabric = Fabric::attach("rack", {3, 64, 300, directories_.plain(), {}});
    return fabric ? std::move(*fabric) : nullptr;
  }
  // A process that owns the wavelength and goes by that name, until it is told to go on.
  std::unique_ptr<Child> owner(uint32_t wavelength, uint8_t number) {
    auto child = std::make_unique<Child>([=, this](Child& parent) {
      auto fabric = attach();
      if (fabric == nullptr || !fabric->claim(wavelength)) return 1;
      auto hold = fabric->name_owner(wavelength, named(number));
      if (!hold) return 2;
      parent.tell();
      (void)parent.wait();
      return 0;
    });
    EXPECT_TRUE(child->wait());
    return child;
  }
  static void await_end(OwnerWatch& watch, uint32_t wavelength) {
    while (!watch.look(wavelength).gone) watch.wait(10 * kSecondNs);
  }

  test::Directories directories_;
  std::unique_ptr<Fabric> fabric_ = attach();
  OwnerWatch watch_ = fabric_->watch_owners();
};

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
