// SPDX-License-Identifier: BSD-3-Clause
// Receiving: every frame ends in exactly one counter, and every mbuf in its pool (~Pool checks).
#include <gtest/gtest.h>

#include "support.h"

namespace lambdacast::odbss {
namespace {

using test::Pool;
using test::Port;

class RxTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string args(const std::string& more) const {
    return "fabric=" + fabric_ + ",wavelengths=4,slots=64,frame_bytes=4464," + more;
  }
  std::string fabric_ = test::fresh_fabric();
  Pool pool_{2047, 4600};
};

TEST_F(RxTest, frames_of_every_length_expect_the_same_bytes) {
  const Port sender(args("wavelength=0"), pool_);
  const Port receiver(args("wavelength=1"), pool_, {.mtu = 4404});
  for (uint32_t bytes = 14; bytes <= 4422; bytes += bytes < 300 ? 1 : 61) {
    const auto sent = test::frames(bytes, 3, bytes);
    ASSERT_EQ(sender.send(sent, pool_), 3);
    ASSERT_EQ(receiver.receive(), sent) << bytes;
  }
  EXPECT_EQ(receiver.accounted(), sender.stats().opackets);
}

TEST_F(RxTest, several_transmitters_expect_each_in_order_and_none_starved) {
  const Port a(args("wavelength=0"), pool_);
  const Port b(args("wavelength=1"), pool_);
  const Port receiver(args("wavelength=none"), pool_);
  a.send(test::frames(0, 40), pool_);
  b.send(test::frames(100, 40), pool_);
  const auto got = receiver.receive(0, 8);
  ASSERT_EQ(got.size(), 80u);
  std::vector<test::Frame> from_a, from_b;
  for (const auto& frame : got) {
    const auto expected = test::frame(static_cast<uint32_t>(from_a.size()));
    (frame == expected ? from_a : from_b).push_back(frame);
  }
  EXPECT_EQ(from_a, test::frames(0, 40));
  EXPECT_EQ(from_b, test::frames(100, 40));
  EXPECT_NE(std::vector(got.begin(), got.begin() + 40), from_a);  // they took turns
}

TEST_F(RxTest, loopback_expect_own_frames_only_if_asked_for) {
  const Port deaf(args("wavelength=0"), pool_);
  const Port self(args("wavelength=1,loopback=1"), pool_);
  deaf.send(test::frames(0, 2), pool_);
  EXPECT_TRUE(deaf.receive().empty());
  self.send(test::frames(9, 2), pool_);
  EXPECT_EQ(self.receive().size(), 4u);
}

TEST_F(RxTest, selection_expect_the_others_neither_received_nor_counted) {
  const Port a(args("wavelength=0"), pool_);
  const Port b(args("wavelength=1"), pool_);
  const Port receiver(args("wavelength=none,select=C22:3"), pool_);
  a.send(test::frames(0, 3), pool_);
  b.send(test::frames(10, 3), pool_);
  EXPECT_EQ(receiver.receive(), test::frames(10, 3));
  EXPECT_EQ(receiver.accounted(), 3u);
}

TEST_F(RxTest, queue_per_wavelength_expect_each_on_its_own) {
  const Port a(args("wavelength=0"), pool_);
  const Port b(args("wavelength=1"), pool_);
  const Port receiver(args("wavelength=none,select=0:1,rx_queues=wavelength"), pool_,
                      {.rx_queues = 2});
  a.send(test::frames(0, 3), pool_);
  b.send(test::frames(10, 5), pool_);
  EXPECT_EQ(receiver.receive(0), test::frames(0, 3));
  EXPECT_EQ(receiver.receive(1), test::frames(10, 5));
  EXPECT_EQ(receiver.xstat("wl0_frames"), 3u);
  EXPECT_EQ(receiver.xstat("wl1_frames"), 5u);
}

TEST_F(RxTest, fewer_queues_than_wavelengths_expect_them_shared_out) {
  const Port a(args("wavelength=0"), pool_);
  const Port b(args("wavelength=1"), pool_);
  const Port c(args("wavelength=2"), pool_);
  const Port receiver(args("wavelength=none,rx_queues=wavelength"), pool_, {.rx_queues = 2});
  for (const Port* port : {&a, &b, &c}) port->send(test::frames(0, 3), pool_);
  EXPECT_EQ(receiver.receive(0).size(), 6u);
  EXPECT_EQ(receiver.receive(1).size(), 3u);
}

TEST_F(RxTest, transmitter_comes_later_expect_its_first_frame) {
  const Port receiver(args("wavelength=none"), pool_);
  EXPECT_TRUE(receiver.receive().empty());
  const Port sender(args("wavelength=2"), pool_);
  sender.send(test::frames(0, 1), pool_);
  EXPECT_EQ(receiver.receive(), test::frames(0, 1));
}

TEST_F(RxTest, receiver_comes_later_expect_only_what_comes_after) {
  const Port sender(args("wavelength=0"), pool_);
  sender.send(test::frames(0, 7), pool_);
  const Port receiver(args("wavelength=none"), pool_);
  sender.send(test::frames(7, 2), pool_);
  EXPECT_EQ(receiver.receive(), test::frames(7, 2));
}

TEST_F(RxTest, lapped_expect_the_overrun_in_imissed_and_the_identity_exact) {
  const Port sender(args("wavelength=0"), pool_);
  const Port receiver(args("wavelength=none"), pool_);
  for (int i = 0; i < 10; ++i) {
    sender.send(test::frames(0, 50 + 30 * static_cast<uint32_t>(i)), pool_);
    (void)receiver.receive(0, 5);
    EXPECT_EQ(receiver.accounted(), sender.stats().opackets);
  }
  EXPECT_GT(receiver.stats().imissed, 0u);
  EXPECT_EQ(receiver.stats().imissed, receiver.xstat("wl0_missed"));
}

TEST_F(RxTest, longer_than_the_mtu_expect_too_long) {
  const Port sender(args("wavelength=0"), pool_);
  const Port receiver(args("wavelength=none"), pool_, {.mtu = 1500});
  sender.send({test::frame(0, 1518), test::frame(1, 1519), test::frame(2, 4464)}, pool_);
  EXPECT_EQ(receiver.receive().size(), 1u);
  EXPECT_EQ(receiver.xstat("too_long"), 2u);
  ASSERT_EQ(rte_eth_dev_set_mtu(receiver.id(), 4446), 0);
  sender.send({test::frame(0, 1519), test::frame(1, 4464)}, pool_);
  EXPECT_EQ(receiver.receive().size(), 2u);
  EXPECT_EQ(receiver.accounted(), sender.stats().opackets);
}

TEST_F(RxTest, scatter_into_small_mbufs_expect_chains_with_the_same_bytes) {
  const Port sender(args("wavelength=0"), pool_);
  // Rooms of 192 bytes, and of 100: no multiple of anything.
  for (const uint16_t room : {192, 100}) {
    const Pool small(511, static_cast<uint16_t>(RTE_PKTMBUF_HEADROOM + room));
    const Port receiver(args("wavelength=none"), small,
                        {.mtu = 4404, .rx_offloads = RTE_ETH_RX_OFFLOAD_SCATTER});
    for (const uint32_t bytes : {60u, 100u, 101u, 192u, 193u, 384u, 1500u, 4422u}) {
      const auto sent = test::frames(bytes, 5, bytes);
      sender.send(sent, pool_);
      EXPECT_EQ(receiver.receive(), sent) << bytes;
    }
    EXPECT_EQ(receiver.stats().rx_nombuf, 0u);
  }
}

TEST_F(RxTest, no_mbufs_expect_rx_nombuf_and_none_lost_for_good) {
  const Port sender(args("wavelength=0"), pool_);
  const Pool tiny(95, 4600);
  const Port receiver(args("wavelength=none"), tiny);
  std::vector<rte_mbuf*> held(95);
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(tiny.get(), held.data(), 95), 0);
  sender.send(test::frames(0, 10), pool_);
  EXPECT_TRUE(receiver.receive().empty());
  EXPECT_EQ(receiver.stats().rx_nombuf, 10u);
  rte_pktmbuf_free_bulk(held.data(), 3);
  sender.send(test::frames(0, 10), pool_);
  EXPECT_EQ(receiver.accounted(), 10u);
  EXPECT_EQ(receiver.receive(0, 3).size(), 10u);  // freed between bursts, they go round
  rte_pktmbuf_free_bulk(held.data() + 3, 92);
  EXPECT_EQ(receiver.accounted(), sender.stats().opackets);
}

TEST_F(RxTest, no_mbufs_in_the_middle_of_a_chain_expect_rx_nombuf_and_no_leak) {
  const Port sender(args("wavelength=0"), pool_);
  const Pool tiny(15, RTE_PKTMBUF_HEADROOM + 128);
  const Port receiver(args("wavelength=none"), tiny,
                      {.mtu = 4404, .rx_offloads = RTE_ETH_RX_OFFLOAD_SCATTER});
  sender.send({test::frame(0, 4000), test::frame(1, 1000), test::frame(2, 4000)}, pool_);
  EXPECT_EQ(receiver.receive().size(), 1u);
  EXPECT_EQ(receiver.stats().rx_nombuf, 2u);
}

TEST_F(RxTest, chain_that_is_filtered_or_lost_expect_counted_and_no_leak) {
  const Port sender(args("wavelength=0"), pool_);
  const Pool small(511, RTE_PKTMBUF_HEADROOM + 192);
  for (const bool lossy : {false, true}) {
    const Port receiver(
        args(lossy ? "wavelength=none,loss=1" : "wavelength=none,duplicate=1"), small,
        {.mtu = 4404, .rx_offloads = RTE_ETH_RX_OFFLOAD_SCATTER, .promiscuous = false});
    sender.send({test::frame(0, 4000, test::kGroup)}, pool_);
    EXPECT_TRUE(receiver.receive().empty());
    // What is lost on the fibre never meets the filter.
    EXPECT_EQ(receiver.xstat("filtered"), lossy ? 0u : 1u);
    EXPECT_EQ(receiver.xstat("fault_lost"), lossy ? 1u : 0u);
  }
}

}  // namespace
}  // namespace lambdacast::odbss
