// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/link.h"

#include <gtest/gtest.h>

#include "support.h"

namespace lambdacast::dpdk {
namespace {

Link link_of(uint32_t slots) {
  static int next = 0;
  auto link = Link::create("test_link" + std::to_string(next++), slots);
  EXPECT_TRUE(link) << link.error().message;
  return std::move(*link);
}

TEST(LinkTest, make_a_link__expect_every_slot_to_be_usable) {
  test::Pool pool;
  Link link = link_of(64);
  EXPECT_TRUE(link.empty());
  EXPECT_EQ(link.room(), 64u);
  const auto packets = pool.packets(64);
  link.push(packets.data(), 64);
  EXPECT_EQ(link.room(), 0u);
  EXPECT_EQ(link.size(), 64u);
}

TEST(LinkTest, pull_more_than_there_is__expect_all_in_order_and_no_more) {
  test::Pool pool;
  Link link = link_of(64);
  const auto packets = pool.packets(5);
  link.push(packets.data(), 3);
  link.push(packets.data() + 3, 2);
  rte_mbuf* pulled[8];
  ASSERT_EQ(link.pull(pulled, 8), 5u);
  EXPECT_TRUE(std::equal(packets.begin(), packets.end(), pulled));
  EXPECT_EQ(link.pull(pulled, 8), 0u);
  EXPECT_TRUE(link.empty());
  rte_pktmbuf_free_bulk(pulled, 5);
}

TEST(LinkTest, go_round_a_small_link_many_times__expect_nothing_lost) {
  test::Pool pool;
  Link link = link_of(4);
  for (uint64_t i = 0; i < 1000; ++i) {
    rte_mbuf* in[3] = {pool.packet(3 * i), pool.packet(3 * i + 1), pool.packet(3 * i + 2)};
    link.push(in, 3);
    rte_mbuf* out[4];
    ASSERT_EQ(link.pull(out, 4), 3u);
    EXPECT_EQ(info_of(out[2]).frame_seq, 3 * i + 2);
    rte_pktmbuf_free_bulk(out, 3);
  }
  EXPECT_EQ(pool.away(), 0u);
}

TEST(LinkTest, destroy_a_link_with_packets_inside__expect_them_back_in_their_pool) {
  test::Pool pool;
  {
    Link link = link_of(64);
    const auto packets = pool.packets(40);
    link.push(packets.data(), 40);
    EXPECT_EQ(pool.away(), 40u);
  }
  EXPECT_EQ(pool.away(), 0u);
}

TEST(LinkTest, make_two_links_of_one_name__expect_one_sentence) {
  auto first = Link::create("test_link_twice", 64);
  ASSERT_TRUE(first);
  const auto second = Link::create("test_link_twice", 64);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message,
            "cannot make the link test_link_twice of 64 packets: File exists");
}

}  // namespace
}  // namespace lambdacast::dpdk
