// SPDX-License-Identifier: BSD-3-Clause
#include "capture/capture_tap.h"

#include <gtest/gtest.h>
#include <rte_ethdev.h>

#include "support.h"

namespace lambdacast::capture {
namespace capture_tap_test {

constexpr size_t kRingBytes = 65536;

// Takes `most` frames and withholds the rest.
uint16_t take_at_most(uint16_t, uint16_t, rte_mbuf**, uint16_t count, void* most) {
  return std::min(count, *static_cast<uint16_t*>(most));
}

class CaptureTapTest : public ::testing::Test {
 protected:
  CaptureTapTest() { node_ = test::started(config_, 0); }
  ~CaptureTapTest() override { node_->port().stop(); }

  // `count` frames of `bytes`, each of them full of its number.
  std::vector<rte_mbuf*> frames(uint32_t count, uint16_t bytes) {
    std::vector<rte_mbuf*> all = pool_.packets(count);
    for (uint32_t i = 0; i < count; ++i) {
      all[i]->port = port();
      std::fill_n(rte_pktmbuf_append(all[i], bytes), bytes, static_cast<char>(i));
    }
    return all;
  }
  struct Taken {
    CapturedFrame frame;
    std::vector<uint8_t> data;
  };
  static std::vector<Taken> everything_in(CaptureTap& tap) {
    std::vector<Taken> taken;
    const uint64_t published = tap.ring().published();
    while (const CapturedFrame* front = tap.ring().front(published)) {
      const auto data = CaptureRing::data_of(*front);
      taken.push_back({*front, {data.begin(), data.end()}});
      tap.ring().pop(*front);
    }
    return taken;
  }
  uint16_t port() { return node_->port().id(); }

  config::Config config_ = test::rack_config({.nodes = 1});
  std::unique_ptr<rack::Endpoint> node_;
  test::Pool pool_;
  dpdk::TscClock clock_;
};

TEST_F(CaptureTapTest, receive_a_burst__expect_every_frame_with_its_bytes_and_one_time) {
  CaptureTap tap(clock_, {17, port()}, kRingBytes, 1000);
  auto burst = frames(32, 60);
  const uint64_t before_ns = clock_.now_ns();
  tap.received(burst.data(), 32);
  const auto taken = everything_in(tap);
  ASSERT_EQ(taken.size(), 32u);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(taken[i].data, std::vector<uint8_t>(60, static_cast<uint8_t>(i)));
    EXPECT_EQ(taken[i].frame.original_bytes, 60u);
    EXPECT_EQ(taken[i].frame.interface, 1u);
    EXPECT_EQ(taken[i].frame.direction, pcapng::Direction::kIn);
    EXPECT_EQ(taken[i].frame.time_ns, taken[0].frame.time_ns);
  }
  EXPECT_GE(taken[0].frame.time_ns, before_ns);
  EXPECT_EQ(tap.dropped(1), 0u);
  rte_pktmbuf_free_bulk(burst.data(), 32);
  EXPECT_EQ(pool_.away(), 0u);
}

TEST_F(CaptureTapTest, receive_a_burst_from_two_ports__expect_each_frame_under_its_own) {
  CaptureTap tap(clock_, {port(), 17}, 1024, 1000);
  auto burst = frames(10, 100);  // 128 bytes each in the ring: eight fit
  for (int i = 1; i < 10; i += 2) burst[i]->port = 17;
  tap.received(burst.data(), 10);
  const auto taken = everything_in(tap);
  ASSERT_EQ(taken.size(), 8u);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(taken[i].frame.interface, i % 2);
  EXPECT_EQ(tap.dropped(0), 1u);
  EXPECT_EQ(tap.dropped(1), 1u);
  rte_pktmbuf_free_bulk(burst.data(), 10);
}

TEST_F(CaptureTapTest, transmit_a_short_frame_where_a_long_one_had_no_room__expect_the_short_one) {
  CaptureTap tap(clock_, {port()}, 1024, 1000);
  auto burst = frames(2, 900);
  auto last = frames(1, 60);
  burst.push_back(last[0]);
  EXPECT_EQ(tap.transmit(port(), 0, burst.data(), 3), 3u);
  const auto taken = everything_in(tap);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[1].data.size(), 60u);
  EXPECT_EQ(tap.dropped(0), 1u);
}

TEST_F(CaptureTapTest, receive_frames_longer_than_the_snap_length__expect_their_beginnings) {
  CaptureTap tap(clock_, {port()}, kRingBytes, 64);
  auto burst = frames(1, 500);
  tap.received(burst.data(), 1);
  const auto taken = everything_in(tap);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].data.size(), 64u);
  EXPECT_EQ(taken[0].frame.original_bytes, 500u);
  rte_pktmbuf_free_bulk(burst.data(), 1);
}

TEST_F(CaptureTapTest, receive_a_frame_of_three_segments__expect_it_in_one_piece) {
  CaptureTap tap(clock_, {port()}, kRingBytes, 1000);
  auto parts = frames(3, 50);
  ASSERT_EQ(rte_pktmbuf_chain(parts[0], parts[1]), 0);
  ASSERT_EQ(rte_pktmbuf_chain(parts[0], parts[2]), 0);
  tap.received(parts.data(), 1);
  const auto taken = everything_in(tap);
  ASSERT_EQ(taken.size(), 1u);
  std::vector<uint8_t> wanted(150);
  for (size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<uint8_t>(i / 50);
  EXPECT_EQ(taken[0].data, wanted);
  rte_pktmbuf_free(parts[0]);
}

TEST_F(CaptureTapTest, overflow_the_ring__expect_the_rest_counted_and_what_fits_later_captured) {
  CaptureTap tap(clock_, {port()}, 4096, 1000);
  auto burst = frames(40, 100);  // 128 bytes each in the ring
  tap.received(burst.data(), 40);
  EXPECT_EQ(tap.dropped(0), 8u);
  EXPECT_EQ(everything_in(tap).size(), 32u);
  tap.received(burst.data(), 40);
  EXPECT_EQ(tap.dropped(0), 16u);
  EXPECT_EQ(everything_in(tap).size(), 32u);
  rte_pktmbuf_free_bulk(burst.data(), 40);
}

TEST_F(CaptureTapTest, transmit_what_the_port_refuses_at_first__expect_each_frame_once) {
  CaptureTap tap(clock_, {port()}, kRingBytes, 1000);
  uint16_t most = 0;
  const auto* callback = rte_eth_add_tx_callback(port(), 0, take_at_most, &most);
  ASSERT_NE(callback, nullptr);
  auto burst = frames(10, 60);
  EXPECT_EQ(tap.transmit(port(), 0, burst.data(), 10), 0u);
  EXPECT_EQ(tap.ring().front(tap.ring().published()), nullptr);
  most = 3;
  EXPECT_EQ(tap.transmit(port(), 0, burst.data(), 10), 3u);
  most = 10;
  EXPECT_EQ(tap.transmit(port(), 0, burst.data() + 3, 7), 7u);
  rte_eth_remove_tx_callback(port(), 0, callback);
  const auto taken = everything_in(tap);
  ASSERT_EQ(taken.size(), 10u);
  for (uint8_t i = 0; i < 10; ++i) {
    EXPECT_EQ(taken[i].data, std::vector<uint8_t>(60, i));
    EXPECT_EQ(taken[i].frame.direction, pcapng::Direction::kOut);
  }
  EXPECT_EQ(tap.dropped(0), 0u);
  EXPECT_EQ(node_->port().statistics().tx_packets, 10u);
}

TEST_F(CaptureTapTest, transmit_with_a_full_ring__expect_the_frames_sent_and_the_lack_counted) {
  CaptureTap tap(clock_, {port()}, 512, 1000);
  auto burst = frames(10, 100);
  EXPECT_EQ(tap.transmit(port(), 0, burst.data(), 10), 10u);
  EXPECT_EQ(everything_in(tap).size(), 4u);
  EXPECT_EQ(tap.dropped(0), 6u);
  EXPECT_EQ(node_->port().statistics().tx_packets, 10u);
}

TEST_F(CaptureTapTest, refuse_frames_that_the_ring_had_no_room_for__expect_them_not_yet_dropped) {
  CaptureTap tap(clock_, {port()}, 512, 1000);
  uint16_t most = 2;
  const auto* callback = rte_eth_add_tx_callback(port(), 0, take_at_most, &most);
  auto burst = frames(10, 100);
  EXPECT_EQ(tap.transmit(port(), 0, burst.data(), 10), 2u);
  EXPECT_EQ(tap.dropped(0), 0u);
  EXPECT_EQ(everything_in(tap).size(), 2u);
  rte_eth_remove_tx_callback(port(), 0, callback);
  rte_pktmbuf_free_bulk(burst.data() + 2, 8);
}

// While a port takes its time, the writer must not go past the frames it is being offered.
TEST_F(CaptureTapTest, look_at_a_tap_that_is_amid_a_burst__expect_the_time_it_began) {
  struct Look {
    CaptureTap* tap;
    const dpdk::TscClock* clock;
    uint64_t amid_ns = 0;
    uint64_t now_ns = 0;
  };
  CaptureTap tap(clock_, {port()}, kRingBytes, 1000);
  Look look{&tap, &clock_};
  const auto* callback = rte_eth_add_tx_callback(
      port(), 0,
      [](uint16_t, uint16_t, rte_mbuf**, uint16_t count, void* argument) {
        Look& seen = *static_cast<Look*>(argument);
        seen.now_ns = seen.clock->now_ns();
        seen.amid_ns = seen.tap->nothing_before_ns(seen.now_ns);
        return count;
      },
      &look);
  auto burst = frames(1, 60);
  EXPECT_EQ(tap.nothing_before_ns(5), 5u);
  EXPECT_EQ(tap.transmit(port(), 0, burst.data(), 1), 1u);
  rte_eth_remove_tx_callback(port(), 0, callback);
  const auto taken = everything_in(tap);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_LE(look.amid_ns, taken[0].frame.time_ns);
  EXPECT_LT(look.amid_ns, look.now_ns);
  EXPECT_EQ(tap.nothing_before_ns(look.now_ns), look.now_ns);
}

}  // namespace capture_tap_test
}  // namespace lambdacast::capture
