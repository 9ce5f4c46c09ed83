// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast-bench/cases/latency_recorder.h"

#include <gtest/gtest.h>

#include <array>

namespace lambdacast::bench {
namespace {

class LatencyRecorderTest : public ::testing::Test {
 protected:
  // Two ticks a nanosecond; messages 100 to 109, 50 ticks apart from tick 1000 on.
  LatencyRecorderTest() { recorder_.begin({100, 10, 1000, 50}); }

  void deliver(uint64_t sequence, uint64_t sent_tsc, uint64_t now_tsc) {
    std::array<uint8_t, sizeof(Stamp) + 5> message{};
    Stamp{sequence, sent_tsc}.write(message.data());
    recorder_.record(message, now_tsc);
  }

  LatencyRecorder recorder_{0.5, 200};
};

TEST_F(LatencyRecorderTest, deliver_a_message__expect_both_times_in_nanoseconds) {
  deliver(102, 1140, 1200);  // due at 1100
  EXPECT_EQ(recorder_.received(), 1u);
  EXPECT_EQ(recorder_.sent_to_delivered().max(), 30u);
  EXPECT_EQ(recorder_.due_to_delivered().max(), 50u);
}

TEST_F(LatencyRecorderTest, deliver_one_twice__expect_it_recorded_once) {
  deliver(102, 1100, 1200);
  deliver(102, 1100, 1300);
  EXPECT_EQ(recorder_.received(), 1u);
  EXPECT_EQ(recorder_.repeated(), 1u);
  EXPECT_EQ(recorder_.sent_to_delivered().count(), 1u);
}

TEST_F(LatencyRecorderTest, deliver_what_is_not_of_this_slice__expect_it_strange) {
  deliver(99, 900, 1200);
  deliver(110, 1600, 1700);
  deliver(~uint64_t{0}, 0, 1700);
  const std::array<uint8_t, sizeof(Stamp) - 1> short_message{};
  recorder_.record(short_message, 1700);
  EXPECT_EQ(recorder_.strange(), 4u);
  EXPECT_EQ(recorder_.received(), 0u);
}

TEST_F(LatencyRecorderTest, deliver_before_it_was_sent__expect_it_told) {
  deliver(100, 1100, 1099);
  EXPECT_EQ(recorder_.negative(), 1u);
  EXPECT_EQ(recorder_.sent_to_delivered().max(), 0u);
}

TEST_F(LatencyRecorderTest, clear_after_a_warm_up__expect_its_messages_to_be_new_again) {
  deliver(100, 1000, 1100);
  recorder_.clear();
  EXPECT_EQ(recorder_.sent_to_delivered().count(), 0u);
  deliver(100, 1000, 1200);
  EXPECT_EQ(recorder_.repeated(), 0u);
  EXPECT_EQ(recorder_.sent_to_delivered().max(), 100u);
}

TEST(ScheduleTest, ask_when_messages_are_due__expect_no_drift) {
  const Schedule schedule{7, 1'000'000'001, 10, 2.5};
  EXPECT_EQ(schedule.due_tsc(7), 10u);
  EXPECT_EQ(schedule.due_tsc(8), 12u);
  EXPECT_EQ(schedule.due_tsc(7 + 1'000'000'000), 10u + 2'500'000'000u);
  EXPECT_FALSE(schedule.holds(6));
  EXPECT_TRUE(schedule.holds(7));
  EXPECT_TRUE(schedule.holds(schedule.end() - 1));
  EXPECT_FALSE(schedule.holds(schedule.end()));
}

}  // namespace
}  // namespace lambdacast::bench
