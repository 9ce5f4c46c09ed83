// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/sequence_tracker.h"

#include <gtest/gtest.h>

namespace lambdacast::reliability {
namespace {

constexpr uint64_t kWindow = SequenceTracker::kWindow;

void expect_invariant(const SequenceTracker& tracker) {
  const SequenceCounters counters = tracker.counters();
  EXPECT_EQ(counters.received + counters.missing, tracker.highest() - tracker.first() + 1);
}

TEST(SequenceTracker, receive_nothing__expect_all_counters_zero) {
  const SequenceTracker tracker;
  EXPECT_FALSE(tracker.started());
  EXPECT_EQ(tracker.counters(), SequenceCounters{});
}

class SequenceTrackerFrom : public ::testing::TestWithParam<uint64_t> {
 protected:
  const uint64_t start_ = GetParam();
  SequenceTracker tracker_;
};

TEST_P(SequenceTrackerFrom, receive_in_order__expect_first_then_in_order) {
  EXPECT_EQ(tracker_.accept(start_).verdict, Verdict::kFirst);
  for (uint64_t i = 1; i < 3 * kWindow; ++i) {
    ASSERT_EQ(tracker_.accept(start_ + i).verdict, Verdict::kInOrder);
  }
  EXPECT_EQ(tracker_.received(), 3 * kWindow);
  EXPECT_EQ(tracker_.missing(), 0u);
  EXPECT_EQ(tracker_.first(), start_);
  EXPECT_EQ(tracker_.highest(), start_ + 3 * kWindow - 1);
}

TEST_P(SequenceTrackerFrom, receive_beyond_a_hole__expect_gap_with_its_size) {
  (void)tracker_.accept(start_);
  const Arrival arrival = tracker_.accept(start_ + 6);
  EXPECT_EQ(arrival.verdict, Verdict::kGap);
  EXPECT_EQ(arrival.opened, 5u);
  EXPECT_EQ(tracker_.missing(), 5u);
  EXPECT_EQ(tracker_.counters().gaps, 1u);
  expect_invariant(tracker_);
}

TEST_P(SequenceTrackerFrom, receive_what_was_missing__expect_late_and_the_gap_closed) {
  (void)tracker_.accept(start_);
  (void)tracker_.accept(start_ + 3);
  EXPECT_EQ(tracker_.accept(start_ + 1).verdict, Verdict::kLate);
  EXPECT_EQ(tracker_.accept(start_ + 2).verdict, Verdict::kLate);
  EXPECT_EQ(tracker_.missing(), 0u);
  EXPECT_EQ(tracker_.counters().late, 2u);
  EXPECT_EQ(tracker_.counters().gaps, 1u);  // it opened, once
}

TEST_P(SequenceTrackerFrom, receive_twice__expect_duplicate) {
  (void)tracker_.accept(start_);
  EXPECT_EQ(tracker_.accept(start_).verdict, Verdict::kDuplicate);
  (void)tracker_.accept(start_ + 2);
  (void)tracker_.accept(start_ + 1);
  EXPECT_EQ(tracker_.accept(start_ + 1).verdict, Verdict::kDuplicate);
  EXPECT_EQ(tracker_.counters().duplicates, 2u);
  EXPECT_EQ(tracker_.received(), 3u);
}

TEST_P(SequenceTrackerFrom, receive_at_the_windows_edge__expect_duplicate_inside_too_old_outside) {
  for (uint64_t i = 0; i < kWindow; ++i) (void)tracker_.accept(start_ + i);
  EXPECT_EQ(tracker_.accept(start_).verdict, Verdict::kDuplicate);  // oldest position
  (void)tracker_.accept(start_ + kWindow);
  EXPECT_EQ(tracker_.accept(start_).verdict, Verdict::kTooOld);
  EXPECT_EQ(tracker_.counters().too_old, 1u);
}

TEST_P(SequenceTrackerFrom, receive_a_gap_longer_than_the_window__expect_old_bits_forgotten) {
  for (uint64_t i = 0; i < 100; ++i) (void)tracker_.accept(start_ + i);
  const uint64_t far = start_ + 100 + 5 * kWindow;
  EXPECT_EQ(tracker_.accept(far).opened, 5 * kWindow);
  EXPECT_EQ(tracker_.accept(far - kWindow + 1).verdict, Verdict::kLate);
  EXPECT_EQ(tracker_.accept(far - kWindow).verdict, Verdict::kTooOld);
  EXPECT_EQ(tracker_.missing(), 5 * kWindow - 1);  // what left the window stays missing
  expect_invariant(tracker_);
}

TEST_P(SequenceTrackerFrom, receive_just_before_the_first__expect_late_and_the_stream_longer) {
  (void)tracker_.accept(start_ + 10);
  const Arrival arrival = tracker_.accept(start_ + 7);
  EXPECT_EQ(arrival.verdict, Verdict::kLate);
  EXPECT_EQ(arrival.opened, 2u);
  EXPECT_EQ(tracker_.first(), start_ + 7);
  EXPECT_EQ(tracker_.missing(), 2u);
  EXPECT_EQ(tracker_.accept(start_ + 7).verdict, Verdict::kDuplicate);
  expect_invariant(tracker_);
}

TEST_P(SequenceTrackerFrom, finish_beyond_the_highest__expect_the_tail_missing) {
  (void)tracker_.accept(start_);
  tracker_.finish(start_ + 4);
  EXPECT_EQ(tracker_.missing(), 4u);
  EXPECT_EQ(tracker_.counters().gaps, 1u);
  tracker_.finish(start_ + 4);  // saying it again changes nothing
  EXPECT_EQ(tracker_.missing(), 4u);
  EXPECT_EQ(tracker_.accept(start_ + 4).verdict, Verdict::kLate);  // it was only delayed
  EXPECT_EQ(tracker_.missing(), 3u);
}

TEST_P(SequenceTrackerFrom, finish_with_nothing_received__expect_all_missing_after_begin) {
  tracker_.finish(start_ + 9);
  EXPECT_EQ(tracker_.missing(), 0u);  // where it began is not known
  tracker_.begin(start_);
  tracker_.finish(start_ + 9);
  EXPECT_EQ(tracker_.missing(), 10u);
  EXPECT_EQ(tracker_.received(), 0u);
}

TEST_P(SequenceTrackerFrom, begin_before_the_first_heard__expect_the_head_missing) {
  (void)tracker_.accept(start_ + 5);
  tracker_.begin(start_);
  EXPECT_EQ(tracker_.missing(), 5u);
  tracker_.begin(start_ + 5);  // a later begin takes nothing back
  EXPECT_EQ(tracker_.first(), start_);
  expect_invariant(tracker_);
}

TEST_P(SequenceTrackerFrom, receive_after_begin__expect_in_order) {
  tracker_.begin(start_);
  EXPECT_EQ(tracker_.accept(start_).verdict, Verdict::kInOrder);
  EXPECT_EQ(tracker_.received(), 1u);
}

TEST_P(SequenceTrackerFrom, receive_a_mad_jump__expect_too_far_ahead_and_the_stream_unharmed) {
  (void)tracker_.accept(start_);
  const uint64_t mad = start_ + SequenceTracker::kMaxJump + 2;
  EXPECT_EQ(tracker_.accept(mad).verdict, Verdict::kTooFarAhead);
  EXPECT_EQ(tracker_.accept(start_ + 1).verdict, Verdict::kInOrder);
  EXPECT_EQ(tracker_.accept(mad).verdict, Verdict::kGap);  // sensitivity: one less is believed
  EXPECT_EQ(tracker_.missing(), SequenceTracker::kMaxJump);
}

INSTANTIATE_TEST_SUITE_P(starts, SequenceTrackerFrom,
                         ::testing::Values(0, 1, 777, (uint64_t{1} << 24) - 3,
                                           (uint64_t{1} << 32) - 3, (uint64_t{1} << 63) - 3));

TEST(SequenceTracker, receive_above_the_last_sequence__expect_too_far_ahead) {
  SequenceTracker tracker;
  EXPECT_EQ(tracker.accept(~uint64_t{0}).verdict, Verdict::kTooFarAhead);
  EXPECT_FALSE(tracker.started());
  EXPECT_EQ(tracker.accept(SequenceTracker::kMaxSequence).verdict, Verdict::kFirst);
  EXPECT_EQ(tracker.accept(SequenceTracker::kMaxSequence + 1).verdict, Verdict::kTooFarAhead);
  EXPECT_EQ(tracker.accept(SequenceTracker::kMaxSequence).verdict, Verdict::kDuplicate);
  EXPECT_EQ(tracker.received(), 1u);
}

// The value of a tracker that nothing has reached is no sequence that could be next.
TEST(SequenceTracker, ask_an_empty_one_for_a_run__expect_none_is_next) {
  const SequenceTracker tracker;
  EXPECT_FALSE(tracker.is_next(0, 4));
  EXPECT_FALSE(tracker.is_next(~uint64_t{0}, 4));
}

TEST(SequenceTracker, receive_a_run__expect_each_of_it_once) {
  SequenceTracker tracker;
  (void)tracker.accept(60);
  EXPECT_FALSE(tracker.is_next(60, 4));
  EXPECT_FALSE(tracker.is_next(62, 4));
  ASSERT_TRUE(tracker.is_next(61, 100));
  tracker.accept_run(61, 100);
  EXPECT_EQ(tracker.received(), 101u);
  EXPECT_EQ(tracker.missing(), 0u);
  for (uint64_t i = 61; i < 161; ++i) ASSERT_EQ(tracker.accept(i).verdict, Verdict::kDuplicate);
  EXPECT_EQ(tracker.accept(161).verdict, Verdict::kInOrder);
  EXPECT_FALSE(tracker.is_next(162, SequenceTracker::kWindow));
}

TEST(SequenceTracker, ask_for_a_run_beyond_the_last_sequence__expect_it_is_not_next) {
  constexpr uint64_t kLast = SequenceTracker::kMaxSequence;
  SequenceTracker tracker;
  (void)tracker.accept(kLast - 5);
  EXPECT_TRUE(tracker.is_next(kLast - 4, 4));
  EXPECT_FALSE(tracker.is_next(kLast - 4, 6));
}

TEST(SequenceTracker, reset__expect_a_new_stream) {
  SequenceTracker tracker;
  (void)tracker.accept(5);
  tracker.reset();
  EXPECT_FALSE(tracker.started());
  EXPECT_EQ(tracker.accept(5).verdict, Verdict::kFirst);
}

TEST(SequenceCounters, add__expect_each_field_summed) {
  SequenceCounters sum{1, 2, 3, 4, 5, 6, 7};
  sum += SequenceCounters{10, 20, 30, 40, 50, 60, 70};
  EXPECT_EQ(sum, (SequenceCounters{11, 22, 33, 44, 55, 66, 77}));
}

}  // namespace
}  // namespace lambdacast::reliability
