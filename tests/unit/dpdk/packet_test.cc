// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/packet.h"

#include <gtest/gtest.h>

#include "support.h"

namespace lambdacast::dpdk {
namespace {

TEST(PacketTest, look_for_the_info__expect_one_cache_line_behind_the_mbuf) {
  test::Pool pool;
  rte_mbuf* m = pool.packet();
  auto* info = reinterpret_cast<uint8_t*>(&info_of(m));
  EXPECT_EQ(info, reinterpret_cast<uint8_t*>(m) + sizeof(rte_mbuf));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(info) % 64, 0u);
  EXPECT_GE(frame_of(m), info + sizeof(node::PacketInfo));
  rte_pktmbuf_free(m);
}

TEST(PacketTest, receive_a_payload__expect_the_span_that_its_info_describes) {
  test::Pool pool;
  rte_mbuf* m = pool.packet();
  info_of(m).payload_offset = 100;
  info_of(m).payload_bytes = 33;
  EXPECT_EQ(payload_of(m).data(), frame_of(m) + 100);
  EXPECT_EQ(payload_of(m).size(), 33u);
  rte_pktmbuf_free(m);
}

TEST(PacketTest, receive_the_longest_frame_there_is__expect_it_to_fit_one_buffer) {
  test::Pool pool;
  rte_mbuf* m = pool.packet();
  // Pad only fills up a payload that is shorter than the longest.
  EXPECT_EQ(rte_pktmbuf_tailroom(m), wire::kMaxFrameBytes - wire::kMaxPadBytes);
  rte_pktmbuf_free(m);
}

TEST(FreeReceived, plain_packets__expect_all_of_them_in_their_pool_as_new) {
  test::Pool pool;
  auto packets = pool.packets(40);
  free_plain(pool.get(), packets.data(), 40);
  EXPECT_EQ(pool.away(), 0u);
  const auto again = pool.packets(511);
  for (rte_mbuf* m : again) EXPECT_TRUE(is_plain(m) && m->next == nullptr);
  rte_pktmbuf_free_bulk(const_cast<rte_mbuf**>(again.data()), 511);
}

TEST(FreeReceived, a_chain_a_shared_one_and_a_strangers__expect_each_freed_as_it_must_be) {
  test::Pool pool, other;
  auto packets = pool.packets(4);
  rte_mbuf* shared = packets[1];
  rte_mbuf_refcnt_update(shared, 1);
  rte_pktmbuf_chain(packets[2], pool.packet());
  packets.push_back(other.packet());
  free_plain(pool.get(), packets.data(), 5);
  EXPECT_EQ(pool.away(), 1u);
  EXPECT_EQ(other.away(), 0u);
  rte_pktmbuf_free(shared);
  EXPECT_EQ(pool.away(), 0u);
}

}  // namespace
}  // namespace lambdacast::dpdk
