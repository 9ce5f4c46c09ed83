// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"
#include "verbs_ring.h"

namespace lambdacast::net_verbs {
namespace {

TEST(Ring, of_any_depth_expect_mbufs_back_in_their_order) {
  const test::Pool pool;
  Ring ring(48);  // no power of two
  EXPECT_EQ(ring.room(), 48u);
  for (int round = 0; round < 5; ++round) {
    rte_mbuf* mbufs[48];
    ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool.get(), mbufs, 48), 0);
    for (rte_mbuf* m : mbufs) ring.push(m);
    EXPECT_EQ(ring.room(), 0u);
    for (int i = 0; i < 17; ++i) {
      EXPECT_EQ(ring.pop(), mbufs[i]);
      rte_pktmbuf_free(mbufs[i]);
    }
    EXPECT_EQ(ring.room(), 17u);
    ring.release(ring.posted());
    EXPECT_TRUE(ring.empty());
  }
}

TEST(Ring, released_up_to_one_of_the_past_expect_nothing_freed) {
  const test::Pool pool;
  Ring ring(4);
  ring.push(rte_pktmbuf_alloc(pool.get()));
  ring.push(nullptr);  // holds no mbuf
  ring.release(2);
  ring.push(rte_pktmbuf_alloc(pool.get()));
  ring.release(1);
  EXPECT_EQ(rte_mempool_in_use_count(pool.get()), 1u);
}  // and the last is freed with the ring

}  // namespace
}  // namespace lambdacast::net_verbs
