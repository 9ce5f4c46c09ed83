// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/receivers.h"

#include <gtest/gtest.h>

namespace lambdacast::reliability {
namespace {

TEST(Receivers, admit_nobody__expect_all_stable_and_no_limit) {
  const Receivers receivers(4, 1'000);
  EXPECT_EQ(receivers.stable(77), 77u);
  EXPECT_EQ(receivers.limit(), ~uint64_t{0});
  EXPECT_EQ(receivers.slowest(), 4u);
  EXPECT_TRUE(receivers.admitted_set().empty());
}

TEST(Receivers, admit_three__expect_the_slowest_to_say_what_is_stable_and_what_may_go) {
  Receivers receivers(4, 1'000);
  receivers.admit(0, 100, 50);
  receivers.admit(2, 90, 100);
  receivers.admit(3, 120, 20);
  EXPECT_EQ(receivers.stable(200), 90u);
  EXPECT_EQ(receivers.limit(), 140u);
  EXPECT_EQ(receivers.slowest(), 3u);
  EXPECT_EQ(receivers.admitted_set(), base::NodeSet::first(4) - base::NodeSet::of(1));
  EXPECT_EQ(receivers.rtt_ns(), 1'000u);
  receivers.progress(2, 110, 100);
  EXPECT_EQ(receivers.stable(200), 100u);
}

TEST(Receivers,
     set_what_may_be_in_flight__expect_the_limit_that_far_behind_what_all_have_heard_of) {
  Receivers receivers(4, 1'000, 64);
  EXPECT_EQ(receivers.heard_of(), Receivers::kUnlimited);
  receivers.admit(0, 100, 500);
  receivers.admit(1, 100, 500);
  EXPECT_EQ(receivers.heard_of(), Receivers::kUnlimited);
  receivers.progress(0, 100, 500, 130);
  receivers.progress(1, 100, 500, 120);
  EXPECT_EQ(receivers.heard_of(), 120u);
  EXPECT_EQ(receivers.limit(), 184u);
  receivers.set_in_flight(16);
  EXPECT_EQ(receivers.limit(), 136u);
  receivers.remove(1);
  EXPECT_EQ(receivers.limit(), 146u);
}

TEST(Receivers, remove_the_slowest__expect_the_window_to_forget_it) {
  Receivers receivers(4, 1'000);
  receivers.admit(0, 100, 50);
  receivers.admit(1, 10, 5);
  receivers.remove(1);
  EXPECT_EQ(receivers.stable(200), 100u);
  EXPECT_EQ(receivers.limit(), 150u);
  EXPECT_FALSE(receivers.at(1).admitted);
  EXPECT_EQ(receivers.admitted_set(), base::NodeSet::of(0));
  EXPECT_EQ(receivers.admitted(), 1u);
  receivers.remove(0);
  EXPECT_EQ(receivers.stable(200), 200u);
  EXPECT_EQ(receivers.slowest(), 4u);
}

TEST(Receivers, progress_by_an_old_status__expect_it_ignored) {
  Receivers receivers(4, 1'000);
  receivers.admit(0, 100, 50);
  receivers.progress(0, 99, 500);
  EXPECT_EQ(receivers.stable(200), 100u);
  EXPECT_EQ(receivers.limit(), 150u);
}

TEST(Receivers, admit_again__expect_one_place_and_the_new_position) {
  Receivers receivers(4, 1'000);
  receivers.admit(0, 100, 50);
  receivers.admit(0, 200, 60);
  EXPECT_EQ(receivers.admitted(), 1u);
  EXPECT_EQ(receivers.stable(300), 200u);
}

TEST(Receivers, admit_more_than_a_set_holds__expect_all_admitted_and_the_first_128_in_the_set) {
  Receivers receivers(130, 1'000);
  for (size_t peer = 0; peer < 130; ++peer) receivers.admit(peer, 100 + peer, 10);
  EXPECT_EQ(receivers.admitted(), 130u);
  EXPECT_EQ(receivers.admitted_set(), base::NodeSet::first(128));
  receivers.remove(129);
  receivers.remove(79);
  EXPECT_EQ(receivers.admitted_set(), base::NodeSet::first(128) - base::NodeSet::of(79));
}

}  // namespace
}  // namespace lambdacast::reliability
