// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/heartbeat_schedule.h"

#include <gtest/gtest.h>

namespace lambdacast::reliability {
namespace {

constexpr uint64_t kCeilingNs = 10'000;
constexpr uint64_t kUrgentNs = 100;
constexpr uint64_t kRttNs = 40;

TEST(HeartbeatSchedule, begin__expect_one_at_once_then_the_ceiling) {
  HeartbeatSchedule schedule(kCeilingNs, kUrgentNs);
  EXPECT_TRUE(schedule.due(0));
  schedule.said(1'000);
  EXPECT_EQ(schedule.next_ns(), 1'000 + kCeilingNs);
}

TEST(HeartbeatSchedule, fall_silent__expect_one_a_round_trip_later_then_doubling_distances) {
  HeartbeatSchedule schedule(kCeilingNs, kUrgentNs);
  schedule.said(1'000);
  schedule.packet_sent(2'000, kRttNs);
  uint64_t at_ns = schedule.next_ns();
  EXPECT_EQ(at_ns, 2'000 + kRttNs);
  uint64_t distance_ns = kRttNs;
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(schedule.due(at_ns - 1));
    EXPECT_TRUE(schedule.due(at_ns));
    schedule.said(at_ns);
    distance_ns = std::min(2 * distance_ns, kCeilingNs);
    EXPECT_EQ(schedule.next_ns() - at_ns, distance_ns);
    at_ns = schedule.next_ns();
  }
}

TEST(HeartbeatSchedule, send_now_and_then__expect_one_a_packet_and_no_more) {
  HeartbeatSchedule schedule(kCeilingNs, kUrgentNs);
  schedule.said(1'000);
  int said = 0;
  uint64_t first_ns = 0;  // behind the last packet
  for (uint64_t now_ns = 10'000; now_ns < 10'000 + 100 * 400; now_ns += 10) {
    if (now_ns % 400 == 0) schedule.packet_sent(now_ns, kRttNs);
    if (!schedule.due(now_ns)) continue;
    schedule.said(now_ns);
    ++said;
    first_ns = now_ns % 400;
  }
  EXPECT_NEAR(said, 100, 5);
  EXPECT_EQ(first_ns, kRttNs);
  // Silence for longer than that is silence.
  const uint64_t silent_ns = 10'000 + 100 * 400 + 2 * kCeilingNs;
  schedule.packet_sent(silent_ns, kRttNs);
  schedule.said(silent_ns + kRttNs);
  EXPECT_EQ(schedule.next_ns(), silent_ns + 3 * kRttNs);
}

TEST(HeartbeatSchedule, keep_sending__expect_one_a_ceiling_and_no_more) {
  HeartbeatSchedule schedule(kCeilingNs, kUrgentNs);
  schedule.said(1'000);
  int said = 0;
  for (uint64_t now_ns = 1'000; now_ns < 1'000 + 5 * kCeilingNs; now_ns += 10) {
    schedule.packet_sent(now_ns, kRttNs);
    if (!schedule.due(now_ns)) continue;
    schedule.said(now_ns);
    ++said;
  }
  EXPECT_EQ(said, 4);
}

TEST(HeartbeatSchedule, hurry__expect_one_at_once_but_never_closer_than_allowed) {
  HeartbeatSchedule schedule(kCeilingNs, kUrgentNs);
  schedule.said(1'000);
  schedule.hurry();
  EXPECT_FALSE(schedule.due(1'000 + kUrgentNs - 1));
  EXPECT_TRUE(schedule.due(1'000 + kUrgentNs));
  schedule.said(1'000 + kUrgentNs);
  EXPECT_EQ(schedule.next_ns(), 1'000 + kUrgentNs + kCeilingNs);
}

TEST(HeartbeatSchedule, hurry_when_one_is_due_sooner__expect_it_not_put_off) {
  HeartbeatSchedule schedule(kCeilingNs, kUrgentNs);
  schedule.said(1'000);
  schedule.packet_sent(1'010, kRttNs);
  schedule.hurry();
  EXPECT_EQ(schedule.next_ns(), 1'010 + kRttNs);
}

TEST(HeartbeatSchedule, data_waits__expect_none_before_the_ceiling_but_urgent_ones) {
  HeartbeatSchedule schedule(kCeilingNs, kUrgentNs);
  schedule.said(1'000);
  schedule.packet_sent(1'010, kRttNs);
  EXPECT_EQ(schedule.next_ns(false), 1'010 + kRttNs);
  EXPECT_EQ(schedule.next_ns(true), 1'000 + kCeilingNs);
  schedule.hurry();
  EXPECT_EQ(schedule.next_ns(true), 1'000 + kUrgentNs);
}

TEST(HeartbeatSchedule, send_with_a_round_trip_above_the_ceiling__expect_the_ceiling) {
  HeartbeatSchedule schedule(kCeilingNs, kUrgentNs);
  schedule.said(1'000);
  schedule.packet_sent(1'000, 5 * kCeilingNs);
  EXPECT_EQ(schedule.next_ns(), 1'000 + kCeilingNs);
}

}  // namespace
}  // namespace lambdacast::reliability
