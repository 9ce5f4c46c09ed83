// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/release_ring.h"

#include <gtest/gtest.h>

namespace lambdacast::dpdk {
namespace {

TEST(ReleaseRingTest, give_back_as_many_as_it_has_slots__expect_all_in_order_and_then_none) {
  auto ring = ReleaseRing::create("test_release_ring", 5);
  ASSERT_TRUE(ring) << ring.error().message;
  uint16_t handle = 0;
  EXPECT_FALSE(ring->pull(handle));
  for (const uint16_t each : {0, 7, 65535, 2, 3}) ring->push(each);
  for (const uint16_t each : {0, 7, 65535, 2, 3}) {
    ASSERT_TRUE(ring->pull(handle));
    EXPECT_EQ(handle, each);
  }
  EXPECT_FALSE(ring->pull(handle));
}

TEST(ReleaseRingTest, name_one_as_another_is_named__expect_the_sentence) {
  const auto ring = ReleaseRing::create("test_release_ring", 4);
  ASSERT_TRUE(ring);
  const auto second = ReleaseRing::create("test_release_ring", 4);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "cannot make the ring test_release_ring: File exists");
}

}  // namespace
}  // namespace lambdacast::dpdk
