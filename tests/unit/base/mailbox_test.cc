// SPDX-License-Identifier: BSD-3-Clause
#include "base/mailbox.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace lambdacast::base {
namespace {

TEST(MailboxTest, fill_and_empty__expect_the_order_and_the_bound) {
  Mailbox<int, 4> box;
  EXPECT_EQ(box.front(), nullptr);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) {
      int* slot = box.begin();
      ASSERT_NE(slot, nullptr);
      *slot = i;
      box.push();
    }
    EXPECT_EQ(box.begin(), nullptr);
    for (int i = 0; i < 4; ++i) {
      ASSERT_NE(box.front(), nullptr);
      EXPECT_EQ(*box.front(), i);
      box.pop();
    }
    EXPECT_EQ(box.front(), nullptr);
  }
}

TEST(MailboxTest, look_without_taking__expect_the_same_again) {
  Mailbox<int, 2> box;
  *box.begin() = 7;
  EXPECT_EQ(box.front(), nullptr);  // not pushed yet
  box.push();
  EXPECT_EQ(*box.front(), 7);
  EXPECT_EQ(*box.front(), 7);
}

TEST(MailboxTest, pass_many_between_two_threads__expect_each_once_and_in_order) {
  constexpr uint64_t kMany = 100'000;
  Mailbox<uint64_t, 16> box;
  std::thread producer([&] {
    for (uint64_t i = 0; i < kMany;) {
      uint64_t* slot = box.begin();
      if (slot == nullptr) {
        std::this_thread::yield();
        continue;
      }
      *slot = i++;
      box.push();
    }
  });
  for (uint64_t i = 0; i < kMany;) {
    const uint64_t* slot = box.front();
    if (slot == nullptr) {
      std::this_thread::yield();
      continue;
    }
    EXPECT_EQ(*slot, i++);
    box.pop();
  }
  producer.join();
}

TEST(Mailbox, take__expect_the_oldest_message_and_nothing_of_an_empty_box) {
  Mailbox<std::unique_ptr<int>, 2> box;
  EXPECT_FALSE(box.take());
  for (const int value : {7, 8}) {
    *box.begin() = std::make_unique<int>(value);
    box.push();
  }
  EXPECT_EQ(**box.take(), 7);
  EXPECT_NE(box.begin(), nullptr);
  EXPECT_EQ(**box.take(), 8);
  EXPECT_FALSE(box.take());
}

}  // namespace
}  // namespace lambdacast::base
