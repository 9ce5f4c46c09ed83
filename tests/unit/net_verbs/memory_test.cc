// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"
#include "verbs_memory.h"

namespace lambdacast::net_verbs {
namespace {

TEST(Memory, of_a_pool_expect_keys_for_all_of_its_mbufs_and_no_other) {
  const test::Pool pool, other;
  const auto device = Device::open({.device = "lambdacast0"});
  ASSERT_TRUE(device) << device.error().message;
  Memory memory((*device)->pd());
  ASSERT_TRUE(memory.add(pool.get()));
  const size_t regions = memory.regions();
  EXPECT_GE(regions, 1u);
  ASSERT_TRUE(memory.add(pool.get()));
  EXPECT_EQ(memory.regions(), regions) << "registered twice";
  std::vector<rte_mbuf*> mbufs(511);
  ASSERT_EQ(rte_pktmbuf_alloc_bulk(pool.get(), mbufs.data(), 511), 0);
  for (const rte_mbuf* m : mbufs) EXPECT_TRUE(memory.key_of(m->buf_addr, m->buf_len));
  rte_pktmbuf_free_bulk(mbufs.data(), 511);
  rte_mbuf* const stranger = rte_pktmbuf_alloc(other.get());
  EXPECT_FALSE(memory.key_of(stranger->buf_addr, 1));
  rte_pktmbuf_free(stranger);
}

}  // namespace
}  // namespace lambdacast::net_verbs
