// SPDX-License-Identifier: BSD-3-Clause
// Transmitting: gathered, counted, and every mbuf back in its pool (~Pool checks).
#include <gtest/gtest.h>
#include <rte_cycles.h>
#include <rte_mbuf_dyn.h>

#include <cstring>

#include "drivers/net/odbss/odbss_control.h"
#include "fabric/keep_flag.h"
#include "support.h"

namespace lambdacast::odbss {
namespace {

using test::Pool;
using test::Port;

class TxTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string args(const std::string& more, uint32_t frame_bytes = 2000) const {
    return "fabric=" + fabric_ +
           ",wavelengths=2,slots=64,frame_bytes=" + std::to_string(frame_bytes) + "," + more;
  }
  // `bytes` in segments of these lengths, the last repeated.
  static rte_mbuf* chain(const test::Frame& bytes, const std::vector<uint16_t>& lengths,
                         const Pool& pool) {
    rte_mbuf* head = nullptr;
    std::size_t done = 0;
    for (std::size_t i = 0; done < bytes.size(); ++i) {
      const auto length = static_cast<uint16_t>(
          std::min<std::size_t>(lengths[std::min(i, lengths.size() - 1)], bytes.size() - done));
      rte_mbuf* m = rte_pktmbuf_alloc(pool.get());
      std::memcpy(rte_pktmbuf_append(m, length), bytes.data() + done, length);
      done += length;
      if (head == nullptr) {
        head = m;
      } else {
        EXPECT_EQ(rte_pktmbuf_chain(head, m), 0);
      }
    }
    return head;
  }
  std::string fabric_ = test::fresh_fabric();
  Pool pool_{1023, 3000};
};

TEST_F(TxTest, bursts_of_every_size_expect_all_taken_and_counted) {
  const Port sender(args("wavelength=0"), pool_);
  const Port receiver(args("wavelength=1"), pool_);
  uint64_t total = 0;
  for (const uint16_t count : {0, 1, 31, 32, 33, 63}) {
    std::vector<rte_mbuf*> mbufs;
    const auto frames = test::frames(count, count, 100);
    for (const auto& frame : frames) mbufs.push_back(chain(frame, {100}, pool_));
    ASSERT_EQ(rte_eth_tx_burst(sender.id(), 0, mbufs.data(), count), count);
    ASSERT_EQ(receiver.receive(), frames);
    total += count;
  }
  EXPECT_EQ(sender.stats().opackets, total);
  EXPECT_EQ(sender.stats().obytes, total * 100);
  EXPECT_EQ(sender.stats().oerrors, 0u);
}

TEST_F(TxTest, segments_of_any_length_expect_the_whole_frame) {
  const Port sender(args("wavelength=0"), pool_, {.tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS});
  const Port receiver(args("wavelength=1"), pool_, {.mtu = 1982});
  for (const std::vector<uint16_t>& lengths :
       {std::vector<uint16_t>{14, 28, 60}, {7}, {63, 65}, {64, 64}, {1000, 999}, {1999, 1}}) {
    for (const std::size_t bytes : {64u, 65u, 200u, 2000u}) {
      const auto frame = test::frame(static_cast<uint32_t>(bytes), bytes);
      rte_mbuf* m = chain(frame, lengths, pool_);
      ASSERT_EQ(rte_eth_tx_burst(sender.id(), 0, &m, 1), 1);
      ASSERT_EQ(receiver.receive(), std::vector<test::Frame>(1, frame))
          << lengths[0] << " " << bytes;
    }
  }
}

// The slots of these fabrics end right behind the frame: nothing may be written past its end.
TEST_F(TxTest, longest_frames_in_segments_expect_the_neighbouring_slots_unharmed) {
  for (const uint32_t bytes : {112u, 1136u}) {  // with the slot's header an odd number of 128
    const std::string fabric = "fabric=" + test::fresh_fabric() +
                               ",wavelengths=2,slots=64,frame_bytes=" + std::to_string(bytes);
    const Port sender(
        fabric + ",wavelength=0", pool_,
        {.mtu = static_cast<uint16_t>(bytes - 18), .tx_offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS});
    const Port receiver(fabric + ",wavelength=1", pool_,
                        {.mtu = static_cast<uint16_t>(bytes - 18)});
    const auto frames = test::frames(0, 64, bytes);
    for (std::size_t i = 0; i < 64; ++i) {  // fills the ring, the slots in falling order of age
      rte_mbuf* m = chain(frames[i], {static_cast<uint16_t>(bytes - 1), 1}, pool_);
      ASSERT_EQ(rte_eth_tx_burst(sender.id(), 0, &m, 1), 1);
    }
    EXPECT_EQ(receiver.receive(), frames);
    for (uint32_t round = 0; round < 64; ++round) {  // a slot's left neighbour is written last
      rte_mbuf* m = chain(frames[round], {static_cast<uint16_t>(bytes - 1), 1}, pool_);
      ASSERT_EQ(rte_eth_tx_burst(sender.id(), 0, &m, 1), 1);
    }
    EXPECT_EQ(receiver.receive(), frames);
    EXPECT_EQ(receiver.stats().imissed, 0u);
  }
}

TEST_F(TxTest, data_at_the_very_end_of_the_mbuf_expect_the_frame) {
  const Port sender(args("wavelength=0"), pool_);
  const Port receiver(args("wavelength=1"), pool_);
  const auto frame = test::frame(3, 60);
  rte_mbuf* m = rte_pktmbuf_alloc(pool_.get());
  m->data_off = static_cast<uint16_t>(m->buf_len - 60);
  std::memcpy(rte_pktmbuf_append(m, 60), frame.data(), 60);
  ASSERT_EQ(rte_eth_tx_burst(sender.id(), 0, &m, 1), 1);
  EXPECT_EQ(receiver.receive(), std::vector<test::Frame>(1, frame));
}

TEST_F(TxTest, longer_than_the_fabric_carries_expect_oerrors_and_the_rest_sent) {
  const Port sender(args("wavelength=0"), pool_);
  const Port receiver(args("wavelength=1"), pool_, {.mtu = 1982});
  const std::vector<test::Frame> frames = {test::frame(0, 2000), test::frame(1, 2001),
                                           test::frame(2, 64)};
  std::vector<rte_mbuf*> mbufs;
  for (const auto& frame : frames) mbufs.push_back(chain(frame, {2500}, pool_));
  ASSERT_EQ(rte_eth_tx_burst(sender.id(), 0, mbufs.data(), 3), 3);
  EXPECT_EQ(receiver.receive(), (std::vector<test::Frame>{frames[0], frames[2]}));
  EXPECT_EQ(sender.stats().opackets, 2u);
  EXPECT_EQ(sender.stats().oerrors, 1u);
}

TEST_F(TxTest, receive_only_port_expect_all_in_oerrors) {
  const Port port(args("wavelength=none"), pool_);
  EXPECT_EQ(port.send(test::frames(0, 4), pool_), 4);
  EXPECT_EQ(port.stats().opackets, 0u);
  EXPECT_EQ(port.stats().oerrors, 4u);
}

TEST_F(TxTest, fast_free_expect_the_mbufs_back_in_their_pool) {
  const Port sender(args("wavelength=0"), pool_,
                    {.tx_offloads = RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE});
  const uint32_t before = pool_.available();
  sender.send(test::frames(0, 300), pool_);
  EXPECT_EQ(pool_.available(), before);
}

TEST_F(TxTest, shared_mbuf_expect_only_one_reference_given_back) {
  const Port sender(args("wavelength=0"), pool_);
  rte_mbuf* m = chain(test::frame(0), {64}, pool_);
  rte_mbuf_refcnt_update(m, 1);
  ASSERT_EQ(rte_eth_tx_burst(sender.id(), 0, &m, 1), 1);
  EXPECT_EQ(rte_mbuf_refcnt_read(m), 1);
  rte_pktmbuf_free(m);
}

TEST_F(TxTest, keep_flag_on_every_other_frame_expect_all_sent_and_those_left_to_the_caller) {
  const Port listener(args("wavelength=none"), pool_);
  const Port sender(args("wavelength=0"), pool_);
  const int bit = rte_mbuf_dynflag_lookup(fabric::kKeepFlagName, nullptr);
  ASSERT_GE(bit, 0);
  const auto frames = test::frames(0, 10, 100);
  for (const Port* port : {&sender, &listener}) {  // one without a wavelength sends nothing
    std::vector<rte_mbuf*> mbufs;
    for (const auto& frame : frames) mbufs.push_back(chain(frame, {100}, pool_));
    for (std::size_t i = 0; i < mbufs.size(); i += 2) mbufs[i]->ol_flags |= uint64_t{1} << bit;
    std::vector<rte_mbuf*> offered = mbufs;
    const uint32_t before = pool_.available();
    ASSERT_EQ(rte_eth_tx_burst(port->id(), 0, offered.data(), 10), 10);
    EXPECT_EQ(pool_.available(), before + 5);
    for (std::size_t i = 0; i < mbufs.size(); i += 2) {
      EXPECT_EQ(rte_mbuf_refcnt_read(mbufs[i]), 1);
      EXPECT_EQ(std::memcmp(rte_pktmbuf_mtod(mbufs[i], void*), frames[i].data(), 100), 0);
      rte_pktmbuf_free(mbufs[i]);
    }
  }
  EXPECT_EQ(listener.receive(), frames);
}

uint32_t link_speed(const Port& port) {
  rte_eth_link link;
  EXPECT_EQ(rte_eth_link_get_nowait(port.id(), &link), 0);
  return link.link_speed;
}

// 20 us of 1 Gbit/s are 2500 bytes: less than two of the longest frames, which always fit.
TEST_F(TxTest, line_rate_expect_what_the_queue_holds_taken_and_the_rest_left_to_the_caller) {
  const Port sender(args("wavelength=0,line_rate=1000000"), pool_);
  const Port receiver(args("wavelength=1"), pool_);
  const uint32_t before = pool_.available();
  // At 1 Mbit/s none leaves meanwhile: 4048 bytes on the wire hold three frames of 1024.
  EXPECT_EQ(sender.send_burst(test::frames(0, 10, 1000), pool_), 3);
  EXPECT_EQ(sender.send_burst(test::frames(0, 10, 1000), pool_), 0);
  EXPECT_EQ(pool_.available(), before);
  EXPECT_EQ(sender.stats().opackets, 3u);
  EXPECT_EQ(sender.stats().oerrors, 0u);
  EXPECT_EQ(sender.xstat("line_rate_held_back"), 2u);
  EXPECT_EQ(receiver.receive(), test::frames(0, 3, 1000));
}

TEST_F(TxTest, line_rate_expect_it_as_the_speed_of_the_link) {
  EXPECT_EQ(link_speed(Port(args("wavelength=0,line_rate=100000000000"))), 100'000u);
  EXPECT_EQ(link_speed(Port(args("wavelength=0"))), uint32_t{RTE_ETH_SPEED_NUM_UNKNOWN});
  const Port port(args("wavelength=0,line_rate=10000000000"), pool_);
  EXPECT_EQ(link_speed(port), 10'000u);
  ASSERT_TRUE(set_line_rate_bps(port.id(), 25'000'000'000));
  EXPECT_EQ(link_speed(port), 25'000u);
}

TEST_F(TxTest, line_rate_over_a_while_expect_no_more_than_it_carries) {
  constexpr uint64_t kRate = 1'000'000'000;
  const Port sender(args("wavelength=0,line_rate=1000000000"), pool_);
  const uint64_t start = rte_get_tsc_cycles();
  uint64_t bits = 0;
  while (bits < 20'000'000) bits += sender.send_burst(test::frames(0, 4, 1000), pool_) * 8192u;
  const uint64_t elapsed = rte_get_tsc_cycles() - start;
  EXPECT_LE(bits, elapsed * kRate / rte_get_tsc_hz() + 4 * 8192 + 4048 * 8);
}

TEST_F(TxTest, line_rate_set_and_lifted_while_running_expect_it_at_once) {
  const Port sender(args("wavelength=0"), pool_);
  EXPECT_EQ(sender.send_burst(test::frames(0, 20, 1000), pool_), 20);
  ASSERT_TRUE(set_line_rate_bps(sender.id(), 1'000'000));
  EXPECT_EQ(line_rate_bps(sender.id()).value(), 1'000'000u);
  EXPECT_EQ(sender.send_burst(test::frames(0, 20, 1000), pool_), 3);
  ASSERT_TRUE(set_line_rate_bps(sender.id(), 0));
  EXPECT_EQ(sender.send_burst(test::frames(0, 20, 1000), pool_), 20);
  EXPECT_FALSE(set_line_rate_bps(sender.id(), 999'999));
}

TEST_F(TxTest, line_rate_with_frames_too_long_expect_them_in_oerrors_and_no_room_taken) {
  const Port sender(args("wavelength=0,line_rate=1000000"), pool_);
  std::vector<test::Frame> frames = test::frames(0, 3, 1000);
  frames.insert(frames.begin() + 1, test::frame(9, 2001));
  EXPECT_EQ(sender.send_burst(frames, pool_), 4);
  EXPECT_EQ(sender.stats().opackets, 3u);
  EXPECT_EQ(sender.stats().oerrors, 1u);
}

}  // namespace
}  // namespace lambdacast::odbss
