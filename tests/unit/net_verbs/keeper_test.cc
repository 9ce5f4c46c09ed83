// SPDX-License-Identifier: BSD-3-Clause
// A queue pair that goes out of service is set up anew, under its number and in its group.
#include "support.h"

namespace lambdacast::net_verbs {
namespace {

using test::Frame;

TEST(Keeper, failed_queue_pair_expect_it_mended_and_in_service) {
  const test::Pool pool(1023);
  const test::TestPort a(pool), b(pool);
  for (uint64_t round = 1; round <= 5; ++round) {
    const uint32_t number = b.pair(0).number();
    b.pair(0).flush();  // as a datagram would that is longer than its receive
    rte_mbuf* none[8];
    ASSERT_TRUE(test::await([&] {
      EXPECT_EQ(rte_eth_rx_burst(b.id(), 0, none, 8), 0);
      return b.xstat("queue_pairs_mended") == round;
    }));
    EXPECT_EQ(b.xstat("queue_pair_failures"), round);
    EXPECT_EQ(b.pair(0).number(), number);
    EXPECT_FALSE(b.pair(0).failed());
    const Frame frame = test::frame_of(a.fields(0), test::message(1, 700));
    ASSERT_EQ(a.send({frame}, pool), 1);
    EXPECT_EQ(b.receive(1).size(), 1u);
    EXPECT_EQ(a.receive(1).size(), 1u);
    ASSERT_EQ(b.send({test::frame_of(b.fields(0), test::message(2, 700))}, pool), 1);
    EXPECT_EQ(b.receive(1).size(), 1u);
    EXPECT_EQ(a.receive(1).size(), 1u);
  }
  // What it gave back are no frames, and no errors.
  EXPECT_GT(b.xstat("rx_wc_flushed"), 0u);
  EXPECT_EQ(b.stats().ierrors, 0u);
}

TEST(Keeper, frames_of_a_failed_queue_pair_expect_them_counted) {
  const test::Pool pool;
  const test::TestPort a(pool);
  a.port().keeper->stop();  // it stays so
  ASSERT_TRUE(a.pair(0).mark_failed());
  EXPECT_EQ(a.send({test::frame_of(a.fields(0), test::message(1, 64))}, pool), 1);
  EXPECT_EQ(a.xstat("tx_queue_pair_failed"), 1u);
  EXPECT_EQ(a.send({test::frame_of(a.fields(1, test::kControlGroup), test::message(1, 64))}, pool),
            1);
  EXPECT_EQ(a.stats().opackets, 1u);
  EXPECT_EQ(a.receive(1).size(), 1u);
}

TEST(Keeper, stopped_and_started_expect_the_port_to_go_on) {
  const test::Pool pool;
  const test::TestPort a(pool);
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(a.send({test::frame_of(a.fields(0), test::message(1, 900))}, pool), 1);
    EXPECT_EQ(a.receive(1).size(), 1u);
    ASSERT_EQ(rte_eth_dev_stop(a.id()), 0);
    EXPECT_EQ(rte_mempool_in_use_count(pool.get()), 0u);
    ASSERT_EQ(rte_eth_dev_start(a.id()), 0);
  }
}

}  // namespace
}  // namespace lambdacast::net_verbs
