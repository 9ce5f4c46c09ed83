// SPDX-License-Identifier: BSD-3-Clause
#include "sim/engine/event_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/random.h"

namespace lambdacast::sim {
namespace {

TEST(EventQueue, pop__expect_order_of_time) {
  EventQueue<char> queue;
  queue.push(30, 'c');
  queue.push(10, 'a');
  queue.push(20, 'b');
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(queue.pop().event, 'a');
  EXPECT_EQ(queue.pop().event, 'b');
  EXPECT_EQ(queue.pop().at_ns, 30u);
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, equal_times__expect_order_of_pushing) {
  base::SplitMix64 random(1);
  EventQueue<uint64_t> queue;
  for (uint64_t i = 0; i < 1000; ++i) queue.push(random.below(10), i);
  uint64_t last_ns = 0;
  uint64_t last_event = 0;
  while (!queue.empty()) {
    const auto entry = queue.pop();
    ASSERT_GE(entry.at_ns, last_ns);
    if (entry.at_ns == last_ns) {
      ASSERT_GE(entry.event, last_event);
    }
    last_ns = entry.at_ns;
    last_event = entry.event;
  }
}

TEST(EventQueue, cancel__expect_it_never_popped_and_its_place_used_again) {
  EventQueue<char> queue;
  const EventId first = queue.push(10, 'a');
  queue.push(20, 'b');
  const EventId last = queue.push(30, 'c');
  EXPECT_TRUE(queue.cancel(first));
  EXPECT_TRUE(queue.cancel(last));
  EXPECT_FALSE(queue.cancel(first)) << "once is enough";
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(queue.next_ns(), 20u);
  const EventId again = queue.push(5, 'd');
  EXPECT_FALSE(queue.cancel(first)) << "another event has its place";
  EXPECT_EQ(queue.pop().event, 'd');
  EXPECT_FALSE(queue.cancel(again)) << "it has been popped";
  EXPECT_EQ(queue.pop().event, 'b');
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.cancel(EventId{}));
}

// Against a set that is searched.
TEST(EventQueue, push_cancel_and_pop_at_random__expect_what_a_naive_queue_gives) {
  base::SplitMix64 random(2);
  EventQueue<uint64_t> queue;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> naive;  // (time, number of pushing): event
  std::vector<std::pair<EventId, std::pair<uint64_t, uint64_t>>> pushed;
  uint64_t now_ns = 0;
  for (uint64_t i = 0; i < 20'000; ++i) {
    const uint64_t draw = random.below(10);
    if (draw < 5) {
      const uint64_t at_ns = now_ns + random.below(50);
      pushed.push_back({queue.push(at_ns, i), {at_ns, i}});
      naive.emplace(std::pair{at_ns, i}, i);
    } else if (draw < 7 && !pushed.empty()) {
      const auto& [id, place] = pushed[random.below(pushed.size())];
      ASSERT_EQ(queue.cancel(id), naive.erase(place) == 1);
    } else if (!naive.empty()) {
      const auto entry = queue.pop();
      ASSERT_EQ(entry.event, naive.begin()->second);
      ASSERT_EQ(entry.at_ns, naive.begin()->first.first);
      now_ns = entry.at_ns;
      naive.erase(naive.begin());
    }
    ASSERT_EQ(queue.size(), naive.size());
    ASSERT_EQ(queue.empty(), naive.empty());
  }
}

TEST(EventQueue, more_events_than_it_has_room_for__expect_an_error_and_nothing_lost) {
  EventQueue<char, 3> queue;
  for (const char event : {'a', 'b', 'c'}) queue.push(7, event);
  EXPECT_THROW(queue.push(0, 'd'), std::length_error);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(queue.pop().event, 'a');
  queue.push(0, 'e');
  EXPECT_EQ(queue.pop().event, 'e');
}

}  // namespace
}  // namespace lambdacast::sim
