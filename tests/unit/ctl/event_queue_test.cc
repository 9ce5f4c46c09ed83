// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/event_queue.h"

#include <gtest/gtest.h>

namespace lambdacast::ctl {
namespace {

std::string all(EventQueue& queue) {
  std::string text;
  while (const auto event = queue.pop()) text += *event + ";";
  return text;
}

TEST(EventQueueTest, push_as_many_as_fit__expect_them_in_order) {
  EventQueue queue(2);
  EXPECT_TRUE(queue.empty());
  queue.push("a");
  queue.push("b");
  EXPECT_FALSE(queue.empty());
  EXPECT_EQ(all(queue), "a;b;");
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueueTest, push_more_than_fit__expect_the_count_where_they_are_missing) {
  EventQueue queue(2);
  for (const char* event : {"a", "b", "c", "d"}) queue.push(event);
  EXPECT_EQ(*queue.pop(), "a");
  queue.push("e");
  queue.push("f");
  EXPECT_EQ(all(queue),
            "b;{\"event\":\"overflow\",\"lost\":2};e;{\"event\":\"overflow\",\"lost\":1};");
}

TEST(EventQueueTest, overflow_and_nothing_behind_it__expect_to_be_told_once) {
  EventQueue queue(1);
  queue.push("a");
  queue.push("b");
  EXPECT_EQ(all(queue), "a;{\"event\":\"overflow\",\"lost\":1};");
  EXPECT_TRUE(queue.empty());
  queue.push("c");
  EXPECT_EQ(all(queue), "c;");
}

}  // namespace
}  // namespace lambdacast::ctl
