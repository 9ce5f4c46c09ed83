// SPDX-License-Identifier: BSD-3-Clause
// Faults and line rate of a running port.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "drivers/net/odbss/odbss_control.h"
#include "support.h"

namespace lambdacast::odbss {
namespace {

using test::Pool;
using test::Port;

class ControlTest : public ::testing::Test {
 protected:
  std::string args_ =
      "fabric=" + test::fresh_fabric() + ",wavelengths=2,slots=256,frame_bytes=1522";
  Pool pool_;
  Port sender_{args_ + ",wavelength=0", pool_};
  Port receiver_{args_ + ",wavelength=1", pool_};
};

TEST_F(ControlTest, no_such_port_expect_a_sentence) {
  const auto none = faults(31);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "there is no port 31");
  EXPECT_FALSE(set_faults(31, {}));
  EXPECT_FALSE(line_rate_bps(31));
  EXPECT_FALSE(set_line_rate_bps(31, 0));
}

TEST_F(ControlTest, faults_expect_those_of_the_device_arguments) {
  const Port port(args_ +
                  ",wavelength=none,loss=0.25,burst_enter=0.5,burst_leave=1,burst_loss=0.5,"
                  "delay_ns=5,jitter_ns=6,rx_rate=1000000,rx_buffer=20000,seed=7");
  const auto rates = faults(port.id());
  ASSERT_TRUE(rates);
  fabric::FaultRates wanted;
  wanted.loss = 0.25;
  wanted.burst_enter = 0.5;
  wanted.burst_leave = 1;
  wanted.burst_loss = 0.5;
  wanted.delay_ns = 5;
  wanted.jitter_ns = 6;
  wanted.rx_rate_bps = 1'000'000;
  wanted.rx_buffer_bytes = 20'000;
  wanted.seed = 7;
  EXPECT_EQ(*rates, wanted);
  EXPECT_EQ(faults(receiver_.id()).value(), fabric::FaultRates());
}

TEST_F(ControlTest, set_faults_on_a_running_port_expect_them_with_the_next_burst_and_off_again) {
  fabric::FaultRates all_lost;
  all_lost.loss = 1;
  for (int again = 0; again < 3; ++again) {
    ASSERT_TRUE(set_faults(receiver_.id(), all_lost));
    sender_.send(test::frames(0, 10), pool_);
    EXPECT_TRUE(receiver_.receive().empty());
    ASSERT_TRUE(set_faults(receiver_.id(), {}));
    sender_.send(test::frames(10, 10), pool_);
    EXPECT_EQ(receiver_.receive(), test::frames(10, 10));
  }
  EXPECT_EQ(receiver_.xstat("fault_lost"), 30u);
  EXPECT_EQ(receiver_.accounted(), 60u);
}

TEST_F(ControlTest, set_faults_out_of_range_expect_a_sentence_and_the_old_ones_kept) {
  fabric::FaultRates rates;
  rates.loss = 2;
  const auto set = set_faults(receiver_.id(), rates);
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().message, "loss=2 is not allowed; allowed: a probability from 0 to 1");
  EXPECT_EQ(faults(receiver_.id()).value(), fabric::FaultRates());
}

TEST_F(ControlTest, rate_lifted_with_frames_held_expect_them_first_and_at_once) {
  fabric::FaultRates slow;
  slow.rx_rate_bps = 1'000'000;  // 12 ms a frame
  ASSERT_TRUE(set_faults(receiver_.id(), slow));
  sender_.send(test::frames(0, 100, 1500), pool_);
  EXPECT_LT(receiver_.receive().size(), 100u);
  ASSERT_TRUE(set_faults(receiver_.id(), {}));
  sender_.send(test::frames(100, 10, 1500), pool_);
  (void)receiver_.receive();
  EXPECT_EQ(receiver_.stats().ipackets, 110u);
  EXPECT_EQ(receiver_.accounted(), 110u);
}

TEST_F(ControlTest, port_stopped_with_frames_held_expect_no_leak) {
  fabric::FaultRates slow;
  slow.rx_rate_bps = 1'000'000;
  ASSERT_TRUE(set_faults(receiver_.id(), slow));
  sender_.send(test::frames(0, 100, 1500), pool_);
  (void)receiver_.receive();
}

// The polling lcore is in the middle of things all the time: no frame may be counted twice or not.
TEST_F(ControlTest, faults_set_by_another_thread_while_frames_flow_expect_the_identity_exact) {
  std::atomic<bool> done = false;
  std::thread console([&] {
    for (uint64_t i = 0; !done; ++i) {
      fabric::FaultRates rates;
      rates.seed = i;
      rates.loss = static_cast<double>(i % 3) * 0.2;
      rates.burst_enter = static_cast<double>(i % 5) * 0.01;
      rates.duplicate = static_cast<double>(i % 2) * 0.1;
      rates.delay_ns = i % 4 * 100;
      rates.rx_rate_bps = i % 7 == 0 ? 1'000'000'000 : 0;
      EXPECT_TRUE(set_faults(receiver_.id(), rates));
    }
  });
  for (uint32_t i = 0; i < 300 || receiver_.xstat("fault_lost") == 0; ++i) {
    sender_.send(test::frames(i, 20), pool_);
    (void)receiver_.receive(0, 8);
  }
  done = true;
  console.join();
  ASSERT_TRUE(set_faults(receiver_.id(), {}));
  (void)receiver_.receive();
  EXPECT_EQ(receiver_.accounted() - receiver_.xstat("fault_duplicated"), sender_.stats().opackets);
}

}  // namespace
}  // namespace lambdacast::odbss
