// SPDX-License-Identifier: BSD-3-Clause
// Basic and extended statistics.
#include <gtest/gtest.h>

#include <set>

#include "support.h"

namespace lambdacast::odbss {
namespace {

using test::Pool;
using test::Port;

class StatsTest : public ::testing::Test {
 protected:
  std::string args_ = "fabric=" + test::fresh_fabric() + ",wavelengths=3,slots=64,frame_bytes=1522";
  Pool pool_;
  Port a_{args_ + ",wavelength=0", pool_};
  Port b_{args_ + ",wavelength=1", pool_};
  Port receiver_{args_ + ",wavelength=2", pool_};
};

TEST_F(StatsTest, traffic_expect_frames_and_bytes_by_wavelength_and_in_all) {
  a_.send(test::frames(0, 3, 100), pool_);
  b_.send(test::frames(0, 5, 200), pool_);
  (void)receiver_.receive();
  EXPECT_EQ(receiver_.stats().ipackets, 8u);
  EXPECT_EQ(receiver_.stats().ibytes, 1300u);
  EXPECT_EQ(receiver_.xstat("rx_good_packets"), 8u);
  EXPECT_EQ(receiver_.xstat("wl0_frames"), 3u);
  EXPECT_EQ(receiver_.xstat("wl0_bytes"), 300u);
  EXPECT_EQ(receiver_.xstat("wl1_frames"), 5u);
  EXPECT_EQ(receiver_.xstat("wl1_bytes"), 1000u);
  EXPECT_EQ(a_.stats().obytes, 300u);
}

TEST_F(StatsTest, names_expect_each_once_and_the_own_wavelength_left_out) {
  const int count = rte_eth_xstats_get_names(receiver_.id(), nullptr, 0);
  ASSERT_GT(count, 0);
  std::vector<rte_eth_xstat_name> names(static_cast<std::size_t>(count));
  std::vector<rte_eth_xstat> values(names.size());
  ASSERT_EQ(rte_eth_xstats_get_names(receiver_.id(), names.data(), names.size()), count);
  ASSERT_EQ(rte_eth_xstats_get(receiver_.id(), values.data(), values.size()), count);
  std::set<std::string> seen;
  for (const auto& name : names) EXPECT_TRUE(seen.insert(name.name).second) << name.name;
  for (const char* name :
       {"filtered", "too_long", "fault_lost", "rx_rate_dropped", "wl0_missed", "wl1_no_mbuf"}) {
    EXPECT_TRUE(seen.contains(name)) << name;
  }
  EXPECT_FALSE(seen.contains("wl2_frames"));
}

TEST_F(StatsTest, too_little_room_for_xstats_expect_the_number_needed) {
  const int count = rte_eth_xstats_get(receiver_.id(), nullptr, 0);
  std::vector<rte_eth_xstat> values(static_cast<std::size_t>(count) - 1);
  EXPECT_EQ(rte_eth_xstats_get(receiver_.id(), values.data(), values.size()), count);
}

TEST_F(StatsTest, reset_of_either_kind_expect_both_from_zero_and_the_identity_to_hold) {
  for (const auto reset : {rte_eth_stats_reset, rte_eth_xstats_reset}) {
    a_.send(test::frames(0, 100), pool_);  // more than the ring holds
    (void)receiver_.receive();
    EXPECT_GT(receiver_.stats().imissed, 0u);
    ASSERT_EQ(reset(receiver_.id()), 0);
    ASSERT_EQ(reset(a_.id()), 0);
    EXPECT_EQ(receiver_.accounted(), 0u);
    EXPECT_EQ(receiver_.xstat("wl0_frames"), 0u);
    a_.send(test::frames(0, 10), pool_);
    (void)receiver_.receive();
    EXPECT_EQ(receiver_.accounted(), a_.stats().opackets);
    EXPECT_EQ(receiver_.xstat("wl0_frames"), 10u);
  }
}

}  // namespace
}  // namespace lambdacast::odbss
