// SPDX-License-Identifier: BSD-3-Clause
// Receiving with faults: what each does, that it repeats, and that every frame is accounted for.
#include <gtest/gtest.h>
#include <rte_cycles.h>

#include <algorithm>
#include <numeric>

#include "drivers/net/odbss/odbss_control.h"
#include "fabric/fabric.h"
#include "support.h"

namespace lambdacast::odbss {
namespace {

using test::Pool;
using test::Port;

class RxFaultsTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string args(const std::string& more) const {
    return "fabric=" + fabric_ + ",wavelengths=4,slots=1024,frame_bytes=4464," + more;
  }
  std::string fabric_ = test::fresh_fabric();
  Pool pool_{8191, 4600};
};

// Until a whole number of frames has come out, however long that takes.
std::vector<test::Frame> receive_all(const Port& port, std::size_t count, uint16_t queue = 0) {
  std::vector<test::Frame> got;
  while (got.size() < count) {
    for (auto& frame : port.receive(queue)) got.push_back(std::move(frame));
  }
  return got;
}

TEST_F(RxFaultsTest, frames_held_back_expect_the_queue_to_count_them_until_they_are_taken) {
  const Port sender(args("wavelength=0"), pool_);
  const Port slow(args("wavelength=none,rx_rate=1000000,rx_buffer=2000000"), pool_);
  const Port late(args("wavelength=none,delay_ns=50000000"), pool_);
  const Port plain(args("wavelength=none"), pool_);
  for (const Port* port : {&slow, &late, &plain}) {
    EXPECT_TRUE(port->receive(0).empty());
    EXPECT_EQ(rte_eth_rx_queue_count(port->id(), 0), 0);
  }
  sender.send(test::frames(0, 20), pool_);
  for (const Port* port : {&slow, &late, &plain}) {
    EXPECT_EQ(rte_eth_rx_queue_count(port->id(), 0), 20);
    (void)port->receive(0, 3);
    // Frames that have been copied out of the ring are still in front of the application.
    const int left = rte_eth_rx_queue_count(port->id(), 0);
    const auto got = receive_all(*port, static_cast<std::size_t>(left));
    EXPECT_EQ(got.size(), static_cast<std::size_t>(left));
    EXPECT_EQ(rte_eth_rx_queue_count(port->id(), 0), 0);
    EXPECT_EQ(port->stats().ipackets, 20);
  }
}

TEST_F(RxFaultsTest, injected_loss_expect_fault_lost_repeatable_and_the_identity_exact) {
  const Port sender(args("wavelength=0"), pool_);
  const Port one(args("wavelength=none,loss=0.2,seed=5"), pool_);
  const Port same(args("wavelength=none,loss=0.2,seed=5"), pool_);
  const Port other(args("wavelength=none,loss=0.2,seed=6"), pool_);
  // Other faults beside do not change which are lost.
  const Port later(args("wavelength=none,loss=0.2,seed=5,delay_ns=1"), pool_);
  std::vector<test::Frame> got, got_same, got_other, got_later;
  for (uint32_t i = 0; i < 100; ++i) {
    sender.send(test::frames(i * 20, 20), pool_);
    for (auto& [port, list] :
         {std::pair{&one, &got}, {&same, &got_same}, {&other, &got_other}, {&later, &got_later}}) {
      // Whatever the bursts, the same frames.
      for (auto& frame : port->receive(0, port == &same ? 3 : 32)) list->push_back(frame);
    }
  }
  EXPECT_EQ(got, got_same);
  EXPECT_EQ(got, got_later);
  EXPECT_NE(got, got_other);
  EXPECT_NEAR(static_cast<double>(one.xstat("fault_lost")), 400, 90);
  EXPECT_EQ(one.xstat("fault_lost"), 2000 - got.size());
  for (const Port* port : {&one, &same, &other, &later}) {
    EXPECT_EQ(port->accounted(), sender.stats().opackets);
  }
}

TEST_F(RxFaultsTest, injected_corruption_expect_one_bit_flipped_and_the_frame_counted) {
  const Port sender(args("wavelength=0"), pool_);
  const Port receiver(args("wavelength=none,corrupt=1"), pool_);
  const auto sent = test::frames(0, 50, 100);
  sender.send(sent, pool_);
  const auto got = receiver.receive();
  ASSERT_EQ(got.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) {
    const int flipped =
        std::transform_reduce(sent[i].begin(), sent[i].end(), got[i].begin(), 0, std::plus<>(),
                              [](uint8_t a, uint8_t b) { return __builtin_popcount(a ^ b); });
    EXPECT_EQ(flipped, 1);
  }
  EXPECT_EQ(receiver.xstat("fault_corrupted"), 50u);
  EXPECT_EQ(receiver.accounted(), 50u);
}

TEST_F(RxFaultsTest,
       injected_duplication_on_two_wavelengths_at_once_expect_each_frame_twice_no_leak) {
  const Port a(args("wavelength=0"), pool_);
  const Port b(args("wavelength=1"), pool_);
  const Port receiver(args("wavelength=none,duplicate=1"), pool_);
  a.send(test::frames(0, 10), pool_);
  b.send(test::frames(100, 10), pool_);
  const auto got = receiver.receive();
  auto wanted = test::frames(0, 10);
  for (auto& frame : test::frames(100, 10)) wanted.push_back(frame);
  for (std::size_t i = 0, count = wanted.size(); i < count; ++i) wanted.push_back(wanted[i]);
  ASSERT_EQ(got.size(), wanted.size());
  EXPECT_TRUE(std::is_permutation(got.begin(), got.end(), wanted.begin()));
  EXPECT_EQ(receiver.xstat("fault_duplicated"), 20u);
  EXPECT_EQ(receiver.stats().ipackets, 40u);
}

TEST_F(RxFaultsTest, stopped_with_a_copy_waiting_expect_no_leak) {
  const Port a(args("wavelength=0"), pool_);
  const Port receiver(args("wavelength=none,duplicate=1"), pool_);
  a.send(test::frames(0, 1), pool_);
  rte_mbuf* m = nullptr;
  ASSERT_EQ(rte_eth_rx_burst(receiver.id(), 0, &m, 1), 1);
  rte_pktmbuf_free(m);
}

// The mean burst is ten frames: of those lost, nine in ten are followed by another.
TEST_F(RxFaultsTest, bursts_of_loss_expect_them_long_repeatable_and_the_identity_exact) {
  const Port sender(args("wavelength=0"), pool_);
  const std::string bursts = "wavelength=none,burst_enter=0.01,burst_leave=0.1,seed=3";
  const Port one(args(bursts), pool_);
  const Port same(args(bursts), pool_);
  std::vector<test::Frame> got, got_same;
  for (uint32_t i = 0; i < 200; ++i) {
    sender.send(test::frames(i * 50, 50), pool_);
    for (auto& frame : one.receive()) got.push_back(frame);
    for (auto& frame : same.receive(0, 3)) got_same.push_back(frame);
  }
  EXPECT_EQ(got, got_same);
  const uint64_t lost = one.xstat("fault_lost");
  EXPECT_EQ(lost, 10'000 - got.size());
  EXPECT_NEAR(static_cast<double>(lost), 10'000.0 / 11, 600);  // four standard deviations
  EXPECT_EQ(one.accounted(), sender.stats().opackets);
  EXPECT_EQ(same.accounted(), sender.stats().opackets);
}

TEST_F(RxFaultsTest, delay_expect_nothing_before_it_has_passed_and_then_all_in_order) {
  const Port sender(args("wavelength=0"), pool_);
  const Port receiver(args("wavelength=none,delay_ns=20000000,jitter_ns=1000000"), pool_);
  const uint64_t sent_at = rte_get_tsc_cycles();
  sender.send(test::frames(0, 500), pool_);
  const auto got = receive_all(receiver, 500);
  EXPECT_GE(rte_get_tsc_cycles() - sent_at, rte_get_tsc_hz() / 50);
  EXPECT_EQ(got, test::frames(0, 500));
  EXPECT_EQ(receiver.accounted(), 500u);
}

// What waited for so long that the clock in the frame came round: it seems to leave in an hour.
TEST_F(RxFaultsTest, delay_of_a_frame_of_days_ago_expect_it_at_once) {
  const Port receiver(args("wavelength=none,delay_ns=1000"), pool_);
  auto attached = fabric::Fabric::attach(fabric_, {});
  ASSERT_TRUE(attached) << attached.error().message;
  auto claimed = (*attached)->claim(0);
  ASSERT_TRUE(claimed) << claimed.error().message;
  fabric::Transmitter& transmitter = *claimed;
  const test::Frame frame = test::frame(7);
  std::copy(frame.begin(), frame.end(), transmitter.begin_frame());
  transmitter.end_frame(static_cast<uint32_t>(frame.size()), rte_rdtsc() + 3600 * rte_get_tsc_hz());
  transmitter.end_burst();
  EXPECT_EQ(receiver.receive(), test::frames(7, 1));
  EXPECT_EQ(receiver.accounted(), 1u);
}

TEST_F(RxFaultsTest, rx_rate_expect_what_fits_the_buffer_in_order_and_the_rest_dropped) {
  const Port sender(args("wavelength=0"), pool_);
  // 20 frames of 1024 bytes on the wire fit.
  const Port receiver(args("wavelength=none,rx_rate=100000000,rx_buffer=20480"), pool_);
  const uint64_t sent_at = rte_get_tsc_cycles();
  ASSERT_EQ(sender.send_burst(test::frames(0, 30, 1000), pool_), 30);  // they leave at one time
  EXPECT_EQ(receive_all(receiver, 20), test::frames(0, 20, 1000));
  EXPECT_GE(rte_get_tsc_cycles() - sent_at, rte_get_tsc_hz() / 1'000'000 * 81 * 20);
  EXPECT_TRUE(receiver.receive().empty());
  EXPECT_EQ(receiver.xstat("rx_rate_dropped"), 10u);
  EXPECT_EQ(receiver.xstat("wl0_rx_rate_dropped"), 10u);
  EXPECT_EQ(receiver.xstat("wl1_rx_rate_dropped"), 0u);
  EXPECT_EQ(receiver.xstat("wl0_missed"), 10u);
  EXPECT_EQ(receiver.stats().imissed, 10u);
  EXPECT_EQ(receiver.accounted(), 30u);
}

TEST_F(RxFaultsTest, rx_rate_over_two_wavelengths_expect_one_buffer_and_the_earlier_frames_first) {
  const Port a(args("wavelength=0"), pool_);
  const Port b(args("wavelength=1"), pool_);
  const Port receiver(args("wavelength=none,rx_rate=1000000,rx_buffer=20480"), pool_);
  ASSERT_EQ(b.send_burst(test::frames(100, 30, 1000), pool_), 30);
  ASSERT_EQ(a.send_burst(test::frames(0, 30, 1000), pool_), 30);
  (void)receiver.receive();
  // The second's met a buffer that was full, but for what it had let go by then.
  EXPECT_EQ(receiver.xstat("wl1_rx_rate_dropped"), 10u);
  EXPECT_GT(receiver.xstat("wl0_rx_rate_dropped"), 0u);
}

// Two queues have half of the rate and of the buffer each, whatever the other does.
TEST_F(RxFaultsTest, rx_rate_with_a_queue_per_wavelength_expect_it_shared_out_evenly) {
  const Port a(args("wavelength=0"), pool_);
  const Port b(args("wavelength=1"), pool_);
  const Port receiver(args("wavelength=none,select=0:1,rx_queues=wavelength,rx_rate=200000000,"
                           "rx_buffer=40960"),
                      pool_, {.rx_queues = 2});
  ASSERT_EQ(a.send_burst(test::frames(0, 30, 1000), pool_), 30);
  EXPECT_EQ(receive_all(receiver, 20, 0), test::frames(0, 20, 1000));
  ASSERT_EQ(b.send_burst(test::frames(100, 25, 1000), pool_), 25);
  EXPECT_EQ(receive_all(receiver, 20, 1), test::frames(100, 20, 1000));
  EXPECT_EQ(receiver.xstat("wl0_rx_rate_dropped"), 10u);
  EXPECT_EQ(receiver.xstat("wl1_rx_rate_dropped"), 5u);
  EXPECT_EQ(receiver.accounted(), 55u);
}

// What a wavelength loses does not depend on which queue hears it, nor on the others.
TEST_F(RxFaultsTest, losses_with_a_queue_per_wavelength_expect_those_of_one_queue) {
  const Port a(args("wavelength=0"), pool_);
  const Port b(args("wavelength=1"), pool_);
  const std::string faults =
      "wavelength=none,select=0:1,loss=0.05,burst_enter=0.02,corrupt=0.1,delay_ns=1000,"
      "jitter_ns=500,seed=8";
  const Port one(args(faults), pool_);
  const Port two(args(faults + ",rx_queues=wavelength"), pool_, {.rx_queues = 2});
  std::vector<test::Frame> from_one, from_two;
  for (uint32_t i = 0; i < 20; ++i) {
    a.send_burst(test::frames(i * 50, 50), pool_);
    b.send_burst(test::frames(i * 50, 50), pool_);
    for (auto& frame : one.receive()) from_one.push_back(frame);
    for (const uint16_t queue : {0, 1}) {
      for (auto& frame : two.receive(queue)) from_two.push_back(frame);
    }
  }
  ASSERT_EQ(from_one.size(), from_two.size());
  EXPECT_TRUE(std::is_permutation(from_one.begin(), from_one.end(), from_two.begin()));
  for (const char* xstat : {"wl0_fault_lost", "wl1_fault_lost", "wl0_fault_corrupted"}) {
    EXPECT_GT(one.xstat(xstat), 0u) << xstat;
    EXPECT_EQ(one.xstat(xstat), two.xstat(xstat)) << xstat;
  }
  EXPECT_EQ(one.accounted(), 2000u);
  EXPECT_EQ(two.accounted(), 2000u);
}

TEST_F(RxFaultsTest, chains_held_and_copied_at_a_rate_expect_the_same_bytes_and_no_leak) {
  const Port sender(args("wavelength=0"), pool_);
  const Pool small(2047, RTE_PKTMBUF_HEADROOM + 192);
  const Port receiver(args("wavelength=none,duplicate=1,rx_rate=1000000000"), small,
                      {.mtu = 4404, .rx_offloads = RTE_ETH_RX_OFFLOAD_SCATTER});
  const auto sent = test::frames(0, 5, 4000);
  ASSERT_EQ(sender.send_burst(sent, pool_), 5);
  const auto got = receive_all(receiver, 10);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(got[i], sent[i / 2]) << i;
  EXPECT_EQ(receiver.xstat("fault_duplicated"), 5u);
}

TEST_F(RxFaultsTest, buffer_larger_than_the_mempool_expect_rx_nombuf_and_the_identity_exact) {
  const Port sender(args("wavelength=0"), pool_);
  const Pool tiny(127, 4600);
  const Port receiver(args("wavelength=none,rx_rate=1000000"), tiny);
  ASSERT_EQ(sender.send_burst(test::frames(0, 200), pool_), 200);
  (void)receiver.receive();
  EXPECT_GT(receiver.stats().rx_nombuf, 70u);
  EXPECT_LE(receiver.accounted(), 200u);
  ASSERT_TRUE(set_faults(receiver.id(), {}));
  (void)receiver.receive();
  EXPECT_EQ(receiver.accounted(), 200u);
}

}  // namespace
}  // namespace lambdacast::odbss
