// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

namespace lambdacast::net_verbs {
namespace {

TEST(Statistics, names_expect_each_once_and_short_enough) {
  const test::Pool pool;
  const test::TestPort a(pool);
  const int count = rte_eth_xstats_get_names(a.id(), nullptr, 0);
  ASSERT_GT(count, 0);
  std::vector<rte_eth_xstat_name> names(static_cast<size_t>(count));
  ASSERT_EQ(rte_eth_xstats_get_names(a.id(), names.data(), static_cast<unsigned>(count)), count);
  for (size_t i = 0; i < names.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_STRNE(names[i].name, names[j].name);
  }
}

TEST(Statistics, queue_pairs_expect_their_numbers_whatever_is_reset) {
  const test::Pool pool;
  const test::TestPort a(pool);
  EXPECT_EQ(a.xstat("queue_pair0"), a.pair(0).number());
  EXPECT_EQ(a.xstat("queue_pair1"), a.pair(1).number());
  rte_eth_xstats_reset(a.id());
  EXPECT_EQ(a.xstat("queue_pair0"), a.pair(0).number());
}

TEST(Statistics, reset_expect_all_of_them_to_begin_anew) {
  const test::Pool pool;
  const test::TestPort a(pool);
  const auto frame = test::frame_of(a.fields(0), test::message(1, 100));
  ASSERT_EQ(a.send({frame, test::Frame(64, 0xff)}, pool), 2);
  EXPECT_EQ(a.receive(1).size(), 1u);
  rte_eth_stats stats = a.stats();
  EXPECT_EQ(stats.opackets, 1u);
  EXPECT_EQ(stats.obytes, frame.size());
  EXPECT_EQ(stats.ibytes, frame.size());
  EXPECT_EQ(stats.oerrors, 1u);
  rte_eth_stats_reset(a.id());
  stats = a.stats();
  EXPECT_EQ(stats.opackets + stats.ipackets + stats.obytes + stats.ibytes + stats.oerrors, 0u);
  EXPECT_EQ(a.xstat("tx_not_roce"), 0u);
}

}  // namespace
}  // namespace lambdacast::net_verbs
