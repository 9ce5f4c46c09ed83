#include "sim/engine/event_queue.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lambdacast::sim
