// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/gap_timers.h"

#include <gtest/gtest.h>

namespace lambdacast::reliability {
namespace {

constexpr uint64_t kRetryNs = 100;

TEST(GapTimers, reveal__expect_due_when_said_and_the_earliest_known) {
  GapTimers timers(64);
  EXPECT_EQ(timers.next_due_ns(), GapTimers::kNever);
  timers.reveal(5, 1'000, 7, 1'050);
  timers.reveal(6, 1'000, 7, 1'020);
  EXPECT_EQ(timers.next_due_ns(), 1'020u);
  EXPECT_EQ(timers.revealed_ns(5), 1'000u);
  EXPECT_TRUE(timers.was_missing(5));
  EXPECT_EQ(timers.revealed_uptime_ns(5), 7u);
  EXPECT_FALSE(timers.due(5, 1'049));
  EXPECT_TRUE(timers.due(5, 1'050));
}

TEST(GapTimers, ask_in_vain__expect_the_wait_to_double_up_to_four_times) {
  GapTimers timers(64);
  timers.reveal(5, 1'000, 0, 1'000);
  uint64_t now_ns = 1'000;
  for (const uint64_t times : {1, 2, 4, 4, 4}) {
    timers.asked(5, now_ns, kRetryNs);
    EXPECT_EQ(timers.due_ns(5), now_ns + times * kRetryNs);
    now_ns = timers.due_ns(5);
  }
}

constexpr uint64_t kListenNs = 30;

TEST(GapTimers, hear_another_ask__expect_our_own_asking_put_off_and_counted_once) {
  GapTimers timers(64);
  timers.reveal(5, 1'000, 0, 1'010);
  EXPECT_FALSE(timers.asked_for(5));
  EXPECT_TRUE(timers.heard(5, 1'000, kRetryNs, kListenNs));
  EXPECT_EQ(timers.due_ns(5), 1'130u);
  EXPECT_FALSE(timers.heard(5, 1'000, kRetryNs, kListenNs));
  EXPECT_FALSE(timers.due(5, 1'129));
  EXPECT_TRUE(timers.asked_for(5));
}

// Or whoever had left the asking to others would overtake their second repetition.
TEST(GapTimers, hear_others_ask_again__expect_our_wait_to_double_with_theirs) {
  GapTimers timers(64);
  timers.reveal(5, 1'000, 0, 1'010);
  uint64_t now_ns = 1'000;
  for (const uint64_t times : {1, 2, 4, 4}) {
    for (const uint64_t later_ns : {0, 10, 60}) {  // several of them: one round
      (void)timers.heard(5, now_ns + later_ns, kRetryNs, kListenNs);
      EXPECT_EQ(timers.due_ns(5), now_ns + later_ns + times * kRetryNs + kListenNs);
    }
    now_ns += times * kRetryNs;
  }
}

TEST(GapTimers, hear_others_ask_in_the_round_of_our_own__expect_our_retry_where_it_was) {
  GapTimers timers(64);
  timers.reveal(5, 1'000, 0, 1'000);
  timers.asked(5, 1'000, kRetryNs);
  EXPECT_FALSE(timers.heard(5, 1'050, kRetryNs, kListenNs));
  EXPECT_EQ(timers.due_ns(5), 1'100u);
  EXPECT_TRUE(timers.heard(5, 1'090, kRetryNs, kListenNs));  // the next round: they were sooner
  EXPECT_EQ(timers.due_ns(5), 1'290u);
}

TEST(GapTimers, put_off__expect_it_due_then) {
  GapTimers timers(64);
  timers.reveal(5, 1'000, 0, 1'000);
  timers.put_off(5, 1'200);
  EXPECT_FALSE(timers.due(5, 1'199));
  EXPECT_TRUE(timers.due(5, 1'200));
}

// Not due, and yet named in a frame that goes out anyway: only what was asked for a retry ago.
TEST(GapTimers, ask_along__expect_what_is_due_or_was_asked_for_long_ago) {
  GapTimers timers(64);
  timers.reveal(5, 1'000, 0, 5'000);
  EXPECT_FALSE(timers.worth_asking(5, 4'999, kRetryNs));  // reordering may still bring it
  EXPECT_TRUE(timers.worth_asking(5, 5'000, kRetryNs));
  timers.asked(5, 5'000, kRetryNs);
  timers.asked(5, 5'100, kRetryNs);  // due at 5300
  EXPECT_FALSE(timers.worth_asking(5, 5'199, kRetryNs));
  EXPECT_TRUE(timers.worth_asking(5, 5'200, kRetryNs));
}

TEST(GapTimers, forget_and_reset__expect_places_that_were_never_missing) {
  GapTimers timers(64);
  timers.reveal(5, 1'000, 0, 1'000);
  timers.forget(5);
  EXPECT_FALSE(timers.was_missing(5));
  timers.reveal(6, 1'000, 0, 1'000);
  timers.reset();
  EXPECT_FALSE(timers.was_missing(6));
  EXPECT_EQ(timers.next_due_ns(), GapTimers::kNever);
}

TEST(GapTimers, reveal_a_window_later__expect_the_same_place_begun_anew) {
  GapTimers timers(64);
  timers.reveal(5, 1'000, 0, 1'000);
  for (int i = 0; i < 3; ++i) timers.asked(5, 1'000, kRetryNs);
  timers.reveal(5 + 64, 9'000, 0, 9'000);
  timers.asked(5 + 64, 9'000, kRetryNs);
  EXPECT_EQ(timers.due_ns(5 + 64), 9'000 + kRetryNs);
}

}  // namespace
}  // namespace lambdacast::reliability
