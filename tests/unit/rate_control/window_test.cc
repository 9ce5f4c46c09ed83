// SPDX-License-Identifier: BSD-3-Clause
#include "rate_control/window.h"

#include <gtest/gtest.h>

namespace lambdacast::rate_control {
namespace window_test {

constexpr uint64_t kFrame = 1'000;
constexpr uint64_t kUs = 1'000;
constexpr uint64_t kTurnNs = 150 * kUs;  // of kPath
constexpr Window::Path kPath{50 * kUs, 10 * kUs, 100 * kUs};
constexpr uint64_t kIncarnation = 7;

class WindowTest : public ::testing::Test {
 protected:
  WindowTest() { heard(0); }

  void send(uint64_t frames) {
    for (; frames != 0; --frames) window_.sent(++last_, kFrame);
  }
  // Sends as long as the window lets it, and has more.
  uint64_t fill() {
    uint64_t sent = 0;
    for (; window_.frames() != 0; ++sent) send(1);
    window_.refused(now_ns_);
    return sent;
  }
  void heard(uint64_t position) { window_.heard(position, kPath); }
  void status(size_t peer, uint64_t heard_of, uint64_t losses) {
    window_.status(peer, {kIncarnation, heard_of, losses});
  }
  // A turn in which everything arrives, and everybody has lost so many so far.
  void turn() {
    fill();
    now_ns_ += kTurnNs;
    heard(last_);
  }
  [[nodiscard]] uint64_t window_frames() const { return window_.report().bytes / kFrame; }

  Window window_{{kFrame, 32, 1024, 8}};
  uint64_t last_ = 0;
  uint64_t now_ns_ = 1'000'000'000;
};

TEST_F(WindowTest, nobody_admitted__expect_no_limit) {
  window_.nobody();
  EXPECT_EQ(window_.frames(), Window::kAnyNumber);
  EXPECT_TRUE(window_.limits().unlimited());
  send(100);
  EXPECT_EQ(window_.deadline_ns(), ~uint64_t{0});
  // A receiver that is admitted now is not held responsible for what went before.
  heard(last_);
  EXPECT_EQ(window_.frames(), 4);
}

TEST_F(WindowTest, first_turn__expect_four_frames_and_then_none_until_a_status) {
  EXPECT_EQ(fill(), 4);
  EXPECT_EQ(window_.frames(), 0);
  heard(2);
  EXPECT_EQ(window_.frames(), 4);  // two were heard of, and the window grew by them
}

TEST_F(WindowTest, slow_start__expect_it_doubled_a_turn) {
  for (const uint64_t frames : {4, 8, 16, 32, 64}) {
    EXPECT_EQ(fill(), frames);
    heard(last_);
  }
}

TEST_F(WindowTest, turns_that_do_not_use_it__expect_no_growth) {
  for (int i = 0; i < 20; ++i) {
    send(3);
    heard(last_);
  }
  EXPECT_EQ(window_frames(), 4);
}

TEST_F(WindowTest, first_loss__expect_it_halved_once_and_then_a_frame_more_a_turn) {
  for (int i = 0; i < 4; ++i) turn();
  status(0, last_, 0);
  EXPECT_EQ(fill(), 64);
  status(0, last_ - 32, 1);
  EXPECT_EQ(window_frames(), 32);
  EXPECT_EQ(window_.report().threshold, 32 * kFrame);
  // More that was lost in the same turn has been answered.
  status(0, last_, 5);
  EXPECT_EQ(window_frames(), 32);
  EXPECT_EQ(window_.report().counters.reductions, 1);
  heard(last_);
  for (uint64_t more = 1; more <= 5; ++more) {
    turn();
    EXPECT_EQ(window_frames(), 32 + more);
  }
}

TEST_F(WindowTest, losses_of_others__expect_only_those_of_the_worst_receiver_to_count) {
  for (int i = 0; i < 4; ++i) turn();
  for (size_t peer = 0; peer < 3; ++peer) status(peer, last_, 0);
  uint64_t losses = 0;
  for (int i = 0; i < 4; ++i) {  // peer 1 loses something in each of four turns
    turn();
    status(1, last_, ++losses);
  }
  EXPECT_EQ(window_.slowest(), 1);
  const Window::Report before = window_.report();
  turn();
  status(0, last_, 1);
  status(2, last_, 1);
  EXPECT_EQ(window_.report().counters.reductions, before.counters.reductions);
  EXPECT_GE(window_.report().bytes, before.bytes);
  turn();
  status(1, last_, ++losses);
  EXPECT_EQ(window_.report().counters.reductions, before.counters.reductions + 1);
}

TEST_F(WindowTest, another_worst_receiver__expect_its_losses_to_count_once_it_missed_more_turns) {
  for (int i = 0; i < 4; ++i) turn();
  for (size_t peer = 0; peer < 2; ++peer) status(peer, last_, 0);
  turn();
  status(0, last_, 1);
  EXPECT_EQ(window_.slowest(), 0);
  for (uint64_t losses = 1; losses <= 2; ++losses) {
    turn();
    status(1, last_, losses);
  }
  EXPECT_EQ(window_.slowest(), 1);
}

TEST_F(WindowTest, another_incarnation__expect_its_count_of_losses_to_begin_anew) {
  for (int i = 0; i < 4; ++i) turn();
  status(0, last_, 1'000);  // what it says first is not a loss of this sender's
  const uint64_t before = window_frames();
  window_.status(0, {kIncarnation + 1, last_, 3});
  EXPECT_EQ(window_frames(), before);
  window_.status(0, {kIncarnation + 1, last_, 4});
  EXPECT_LT(window_frames(), before);
}

TEST_F(WindowTest, nothing_heard__expect_one_frame_and_patience_that_doubles) {
  for (int i = 0; i < 4; ++i) turn();
  fill();
  const uint64_t begin_ns = now_ns_;
  const uint64_t patience_ns = window_.deadline_ns() - begin_ns;
  EXPECT_EQ(patience_ns, 50 * kUs + 4 * 10 * kUs + 2 * 100 * kUs);
  now_ns_ = window_.deadline_ns() - 1;
  window_.look(now_ns_);
  EXPECT_EQ(window_.report().counters.timeouts, 0);
  now_ns_ = window_.deadline_ns();
  window_.look(now_ns_);
  EXPECT_EQ(window_frames(), 1);
  EXPECT_EQ(window_.frames(), 0);
  for (const uint64_t times : {2, 4, 8}) {
    EXPECT_EQ(fill(), 0);
    EXPECT_EQ(window_.deadline_ns() - now_ns_, times * patience_ns);
    now_ns_ = window_.deadline_ns();
    window_.look(now_ns_);
  }
  heard(last_);
  EXPECT_EQ(fill(), 1);
}

TEST_F(WindowTest, late_look__expect_a_sender_that_did_not_run_to_wait_once_more) {
  for (int i = 0; i < 4; ++i) turn();
  fill();
  now_ns_ = window_.deadline_ns() + 1'000'000;
  window_.look(now_ns_);
  EXPECT_EQ(window_.report().counters.timeouts, 0);
  EXPECT_EQ(fill(), 0);
  now_ns_ = window_.deadline_ns();
  window_.look(now_ns_);
  EXPECT_EQ(window_.report().counters.timeouts, 1);
}

TEST_F(WindowTest, closed__expect_patience_to_begin_once_until_more_is_heard_of) {
  EXPECT_EQ(window_.deadline_ns(), ~uint64_t{0});
  send(1);
  window_.refused(now_ns_);  // by the pace: it is not closed
  EXPECT_EQ(window_.deadline_ns(), ~uint64_t{0});
  fill();
  const uint64_t due_ns = now_ns_ + 290 * kUs;
  EXPECT_EQ(window_.deadline_ns(), due_ns);
  now_ns_ += 100 * kUs;
  fill();
  EXPECT_EQ(window_.deadline_ns(), due_ns);
  heard(1);
  EXPECT_EQ(window_.deadline_ns(), ~uint64_t{0});
  fill();
  EXPECT_EQ(window_.deadline_ns(), now_ns_ + 290 * kUs);
}

TEST_F(WindowTest, pace__expect_twice_the_window_a_turn_in_slow_start_and_a_quarter_more_behind) {
  for (int i = 0; i < 4; ++i) turn();
  EXPECT_EQ(window_.limits().bits_per_second, 2 * 64 * kFrame * 8 * 1'000'000'000 / kTurnNs);
  EXPECT_EQ(window_.limits().burst_bytes, 32 * kFrame);
  EXPECT_EQ(window_.limits().limited_by, LimitedBy::kWindow);
  EXPECT_EQ(window_.limits().control_bps, kUnlimitedBps);
  status(0, last_, 0);
  fill();
  status(0, last_, 1);
  EXPECT_EQ(window_.limits().bits_per_second, 40 * kFrame * 8 * 1'000'000'000 / kTurnNs);
  EXPECT_EQ(window_.limits().burst_bytes, 16 * kFrame);
  const uint64_t revision = window_.revision();
  heard(0);
  EXPECT_EQ(window_.revision(), revision);
}

TEST_F(WindowTest, receiver_admitted_late__expect_what_it_lacks_to_be_under_way) {
  for (int i = 0; i < 4; ++i) turn();
  fill();
  heard(last_);
  heard(last_ - 20);
  EXPECT_EQ(window_.report().under_way, 20 * kFrame);
  const uint64_t before = window_frames();
  heard(last_);
  EXPECT_EQ(window_frames(), before);  // it has grown by those already
}

}  // namespace window_test
}  // namespace lambdacast::rate_control
