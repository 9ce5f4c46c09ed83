// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

namespace lambdacast::net_verbs {
namespace {

using test::Frame;

rte_mbuf* mbuf_of(const Frame& frame, const test::Pool& pool) {
  rte_mbuf* const m = rte_pktmbuf_alloc(pool.get());
  std::memcpy(rte_pktmbuf_append(m, static_cast<uint16_t>(frame.size())), frame.data(),
              frame.size());
  return m;
}

TEST(Tx, frames_that_cannot_be_sent_expect_each_in_its_counter) {
  const test::Pool pool;
  const test::TestPort a(pool);
  const auto message = test::message(1, 50);
  auto foreign_gid = a.fields(0), foreign_qpn = a.fields(0), unheard = a.fields(0);
  foreign_gid.source_gid = test::gid("10.77.0.2");
  foreign_qpn.source_qpn = 0x777777;
  unheard.destination_gid = test::gid("239.9.9.9");
  Frame reliable = test::frame_of(a.fields(0), test::message(1, 60));
  reliable[14 + 20 + 8] = 0x04;  // RC SEND_ONLY
  const std::pair<Frame, const char*> cases[] = {
      {Frame(64, 0xff), "tx_not_roce"},
      {reliable, "tx_not_datagram"},
      {test::frame_of(foreign_gid, message), "tx_foreign_source"},
      {test::frame_of(foreign_qpn, message), "tx_foreign_source"},
      {test::frame_of(unheard, message), "tx_no_address_handle"},
  };
  for (const auto& [frame, counter] : cases) {
    const uint64_t before = a.xstat(counter);
    EXPECT_EQ(a.send({frame}, pool), 1) << counter;
    EXPECT_EQ(a.xstat(counter), before + 1) << counter;
  }
  EXPECT_EQ(a.stats().oerrors, 5u);
  EXPECT_EQ(a.stats().opackets, 0u);
}

TEST(Tx, refused_ones_among_others_expect_the_others_sent_in_order) {
  const test::Pool pool;
  const test::TestPort a(pool);
  std::vector<Frame> frames;
  for (uint32_t i = 0; i < 12; ++i) {
    frames.push_back(i % 3 == 1 ? Frame(60, 0xff)
                                : test::frame_of(a.fields(i % 2), test::message(i, 300)));
  }
  EXPECT_EQ(a.send(frames, pool), 12);
  const auto got = a.receive(8);
  ASSERT_EQ(got.size(), 8u);
  size_t next = 0;
  for (uint32_t i = 0; i < 12; ++i) {
    if (i % 3 == 1) continue;
    EXPECT_EQ(test::message_in(got[next++]), test::message(i, 300));
  }
}

TEST(Tx, chains_and_memory_that_is_not_registered_expect_copies) {
  const test::Pool pool, stranger;
  const test::TestPort a(pool);
  const Frame frame = test::frame_of(a.fields(0), test::message(3, 1000));
  ASSERT_EQ(a.send({frame}, stranger), 1);
  EXPECT_EQ(a.xstat("tx_copied"), 1u);
  rte_mbuf* head = mbuf_of(Frame(frame.begin(), frame.begin() + 61), pool);
  rte_mbuf* tail = mbuf_of(Frame(frame.begin() + 61, frame.end()), pool);
  ASSERT_EQ(rte_pktmbuf_chain(head, tail), 0);
  ASSERT_EQ(rte_eth_tx_burst(a.id(), 0, &head, 1), 1);
  EXPECT_EQ(a.xstat("tx_copied"), 2u);
  for (const Frame& each : a.receive(2)) EXPECT_EQ(test::message_in(each), test::message(3, 1000));
}

TEST(Tx, short_messages_expect_them_inline_and_their_mbufs_free_at_once) {
  const test::Pool pool, sending;
  const test::TestPort a(pool);
  ASSERT_GE(a.pair(0).inline_bytes(), 64u);
  // Registered, because frames of other pools are copied.
  ASSERT_TRUE(a.port().memory->add(sending.get()));
  EXPECT_EQ(a.send({test::frame_of(a.fields(0), test::message(1, 64))}, sending), 1);
  EXPECT_EQ(rte_mempool_in_use_count(sending.get()), 0u);
  EXPECT_EQ(a.xstat("tx_inline"), 1u);
  EXPECT_EQ(a.receive(1).size(), 1u);
}

TEST(Tx, a_second_reference_expect_it_back_when_the_device_is_done) {
  const test::Pool pool;
  const test::TestPort a(pool);
  rte_mbuf* m = mbuf_of(test::frame_of(a.fields(0), test::message(1, 2000)), pool);
  rte_mbuf_refcnt_set(m, 2);
  rte_mbuf* const kept = m;
  ASSERT_EQ(rte_eth_tx_burst(a.id(), 0, &m, 1), 1);
  EXPECT_TRUE(test::await([&] {
    rte_eth_tx_done_cleanup(a.id(), 0, 0);
    return rte_mbuf_refcnt_read(kept) == 1;
  }));
  rte_pktmbuf_free(kept);
  EXPECT_EQ(a.receive(1).size(), 1u);
}

// The device has 64 slots and lets half of them be ahead of the line; a queue pair has 64 too.
TEST(Tx, more_than_the_device_takes_expect_the_rest_left_with_the_caller) {
  const test::Pool pool(1023);
  const test::TestPort a(pool);
  std::vector<Frame> frames;
  for (uint32_t i = 0; i < 200; ++i) {
    frames.push_back(test::frame_of(a.fields(i % 2), test::message(i, 500)));
  }
  std::vector<rte_mbuf*> mbufs;
  for (const Frame& frame : frames) mbufs.push_back(mbuf_of(frame, pool));
  size_t sent = 0;
  std::vector<std::vector<uint8_t>> got;
  ASSERT_TRUE(test::await([&] {
    sent += rte_eth_tx_burst(a.id(), 0, mbufs.data() + sent,
                             static_cast<uint16_t>(std::min<size_t>(mbufs.size() - sent, 40)));
    rte_mbuf* heard[64];
    uint16_t found = 0;
    do {
      found = rte_eth_rx_burst(a.id(), 0, heard, 64);
      for (uint16_t i = 0; i < found; ++i) {
        const auto* bytes = rte_pktmbuf_mtod(heard[i], const uint8_t*);
        got.push_back(test::message_in(Frame(bytes, bytes + heard[i]->data_len)));
        rte_pktmbuf_free(heard[i]);
      }
    } while (found != 0);
    return got.size() == frames.size();
  }));
  for (uint32_t i = 0; i < 200; ++i) EXPECT_EQ(got[i], test::message(i, 500)) << i;
  EXPECT_EQ(a.stats().opackets, 200u);
}

}  // namespace
}  // namespace lambdacast::net_verbs
