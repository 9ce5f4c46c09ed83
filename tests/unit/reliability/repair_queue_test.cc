// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/repair_queue.h"

#include <gtest/gtest.h>

namespace lambdacast::reliability {
namespace {

void use_up(RepairQueue& queue) {
  while (queue.may_send(true)) queue.sent_repair();
}

// Repairs sent among `frames` of data.
uint64_t repairs_among(RepairQueue& queue, uint64_t frames) {
  uint64_t repairs = 0;
  for (uint64_t i = 0; i < frames; ++i) {
    queue.sent_data(1);
    for (; queue.may_send(true); ++repairs) queue.sent_repair();
  }
  return repairs;
}

TEST(RepairQueue, push_and_pop__expect_the_oldest_first) {
  RepairQueue queue(64, 50);
  EXPECT_TRUE(queue.empty());
  queue.push(7);
  queue.push(3);
  EXPECT_EQ(queue.front(), 7u);
  queue.pop();
  EXPECT_EQ(queue.front(), 3u);
  EXPECT_EQ(queue.size(), 1u);
  queue.pop();
  EXPECT_TRUE(queue.empty());
}

TEST(RepairQueue, send_while_data_waits__expect_the_share_and_no_more) {
  for (const uint32_t share : {1, 25, 50, 75, 99}) {
    RepairQueue queue(64, share);
    use_up(queue);
    const uint64_t repairs = repairs_among(queue, 9'900);
    EXPECT_NEAR(static_cast<double>(repairs), 9'900.0 * share / (100.0 - share), 2.0) << share;
  }
}

TEST(RepairQueue, send_while_no_data_waits__expect_no_limit) {
  RepairQueue queue(64, 1);
  use_up(queue);
  EXPECT_FALSE(queue.may_send(true));
  EXPECT_TRUE(queue.may_send(false));
}

TEST(RepairQueue, send_data_for_long__expect_a_bounded_burst_of_repairs) {
  RepairQueue queue(64, 50);
  queue.sent_data(1'000'000);
  uint64_t burst = 0;
  for (; queue.may_send(true); ++burst) queue.sent_repair();
  EXPECT_LE(burst, 64u * 99 / 50 + 1);
}

// Of a window of 64 the oldest waits while 64 others are asked for, some of them released since.
TEST(RepairQueue, queue_more_than_a_window__expect_the_oldest_still_in_front) {
  RepairQueue queue(64, 50);
  queue.push(63);
  for (uint64_t at = 0; at < 63; ++at) queue.push(at);
  for (uint64_t at = 64; at < 63 + 64; ++at) queue.push(at);
  EXPECT_EQ(queue.front(), 63u);
}

TEST(RepairQueue, set_a_share_beyond_its_range__expect_the_nearest_one) {
  RepairQueue none(64, 0);
  use_up(none);
  EXPECT_EQ(repairs_among(none, 99), 1u);
  RepairQueue all(64, 100);
  use_up(all);
  EXPECT_EQ(repairs_among(all, 1), 99u);
}

}  // namespace
}  // namespace lambdacast::reliability
