// SPDX-License-Identifier: BSD-3-Clause
#include "node/version_watch.h"

#include <gtest/gtest.h>

namespace lambdacast::node {
namespace version_watch_test {

constexpr uint64_t kSecond = 1'000'000'000;

TEST(VersionWatchTest, hear_nothing__expect_no_event) {
  VersionWatch watch;
  EXPECT_FALSE(watch.take_event());
}

TEST(VersionWatchTest, hear_two_strangers_at_once__expect_the_first_and_the_other_ten_seconds_on) {
  VersionWatch watch;
  const VersionEvent one{wire::gid_from_ipv4(0x0a000001), 3, false};
  const VersionEvent other{wire::gid_from_ipv4(0x0a000002), 2, true};
  watch.heard(one, 0);
  watch.heard(other, kSecond);
  const auto first = watch.take_event();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->gid, one.gid);
  EXPECT_EQ(first->version, 3);
  EXPECT_FALSE(first->control);
  EXPECT_FALSE(watch.take_event());
  watch.heard(other, 11 * kSecond);
  const auto second = watch.take_event();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->gid, other.gid);
  EXPECT_TRUE(second->control);
}

TEST(VersionWatchTest, nobody_takes_events_for_minutes__expect_the_oldest_kept) {
  VersionWatch watch;
  for (uint8_t version = 0; version < 100; ++version)
    watch.heard({wire::gid_from_ipv4(0x0a000001), version, false}, (1 + version) * 11 * kSecond);
  for (uint8_t version = 0; version < 16; ++version)
    EXPECT_EQ(watch.take_event()->version, version);
  EXPECT_FALSE(watch.take_event());
}

}  // namespace version_watch_test
}  // namespace lambdacast::node
