// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/stop_signal.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <span>

#include "dpdk/clock.h"

namespace lambdacast::dpdk {
namespace {

constexpr uint64_t kMinuteMs = 60'000;

TEST(StopSignalTest, wait_for_a_signal_that_is_there__expect_it_at_once) {
  for (const int signal : {SIGTERM, SIGINT}) {
    StopSignal stop;
    EXPECT_FALSE(stop.came());
    ::pthread_kill(::pthread_self(), signal);
    EXPECT_TRUE(stop.wait_ms(kMinuteMs));
    EXPECT_TRUE(stop.came());
    EXPECT_TRUE(stop.wait_ms(0));  // it has come: that stays true
  }
}

TEST(StopSignalTest, wait_in_vain__expect_the_time_to_pass_and_false) {
  StopSignal stop;
  const TscClock clock;
  EXPECT_FALSE(stop.wait_ms(20));
  EXPECT_GE(clock.now_ns(), 19'000'000u);
  EXPECT_FALSE(stop.came());
}

TEST(StopSignalTest, receive_a_second_signal__expect_a_later_wait_to_take_it) {
  StopSignal stop;
  ::pthread_kill(::pthread_self(), SIGTERM);
  ASSERT_TRUE(stop.wait_ms(kMinuteMs));
  ::pthread_kill(::pthread_self(), SIGINT);
  const TscClock clock;
  EXPECT_TRUE(stop.wait_ms(kMinuteMs));
  EXPECT_LT(clock.now_ns(), kMinuteMs * 1'000'000);
}

TEST(StopSignalTest, receive_another_signal__expect_it_not_to_be_taken_for_a_stop) {
  sigset_t usr1;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
  StopSignal stop;
  ::pthread_kill(::pthread_self(), SIGUSR1);
  EXPECT_FALSE(stop.wait_ms(1));
  const timespec none{0, 0};
  EXPECT_EQ(::sigtimedwait(&usr1, nullptr, &none), SIGUSR1);
  ::pthread_sigmask(SIG_UNBLOCK, &usr1, nullptr);
}

TEST(StopSignalTest, wait_for_inputs__expect_those_that_have_some_and_no_time_lost) {
  StopSignal stop;
  int silent[2], talks[2];
  ASSERT_EQ(::pipe(silent), 0);
  ASSERT_EQ(::pipe(talks), 0);
  ASSERT_EQ(::write(talks[1], "x", 1), 1);
  const int inputs[] = {-1, silent[0], talks[0]};
  bool ready[] = {true, true, false};
  stop.wait_inputs_ms(inputs, ready, kMinuteMs);
  EXPECT_FALSE(ready[0]);
  EXPECT_FALSE(ready[1]);
  EXPECT_TRUE(ready[2]);
  EXPECT_TRUE(stop.wait_input_ms(talks[0], kMinuteMs));
  EXPECT_FALSE(stop.wait_input_ms(silent[0], 1));
  ::pthread_kill(::pthread_self(), SIGTERM);
  stop.wait_inputs_ms(std::span(inputs).first(2), ready, kMinuteMs);
  EXPECT_TRUE(stop.came());
  for (const int fd : {silent[0], silent[1], talks[0], talks[1]}) ::close(fd);
}

}  // namespace
}  // namespace lambdacast::dpdk
