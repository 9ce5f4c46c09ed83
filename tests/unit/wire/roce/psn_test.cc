// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/psn.h"

#include <gtest/gtest.h>

namespace lambdacast::wire {
namespace {

TEST(PsnDistance, AheadBehindAndSame) {
  EXPECT_EQ(psn_distance(5, 5), 0);
  EXPECT_EQ(psn_distance(5, 8), 3);
  EXPECT_EQ(psn_distance(8, 5), -3);
}

TEST(PsnDistance, AcrossTheWrap) {
  EXPECT_EQ(psn_distance(0xffffff, 0), 1);
  EXPECT_EQ(psn_distance(0, 0xffffff), -1);
  EXPECT_EQ(psn_distance(0xfffffe, 1), 3);
}

TEST(PsnDistance, HalfTheRangeIsUndecidableAndItsNeighboursAreNot) {
  EXPECT_EQ(psn_distance(0, 0x7fffff), 0x7fffff);
  EXPECT_EQ(psn_distance(0, 0x800000), std::nullopt);
  EXPECT_EQ(psn_distance(0, 0x800001), -0x7fffff);
  EXPECT_EQ(psn_distance(0x800000, 0), std::nullopt);
}

TEST(PsnDistance, HighBitsAreIgnored) { EXPECT_EQ(psn_distance(0xab000001, 0xcd000002), 1); }

TEST(PsnOrder, FollowsTheDistance) {
  EXPECT_EQ(psn_order(0xffffff, 0), PsnOrder::kLater);
  EXPECT_EQ(psn_order(0, 0xffffff), PsnOrder::kEarlier);
  EXPECT_EQ(psn_order(7, 7), PsnOrder::kSame);
  EXPECT_EQ(psn_order(1, 0x800001), PsnOrder::kUndecidable);
}

TEST(ExtendPsn, NearestOfAllCandidates) {
  EXPECT_EQ(extend_psn(0x5fffffe, 1), 0x6000001u);         // ahead, across the wrap
  EXPECT_EQ(extend_psn(0x6000001, 0xfffffe), 0x5fffffeu);  // behind, across the wrap
  EXPECT_EQ(extend_psn(0x6000001, 1), 0x6000001u);
}

TEST(ExtendPsn, HalfTheRangeIsUndecidable) {
  EXPECT_EQ(extend_psn(0x6000000, 0x800000), std::nullopt);
  EXPECT_EQ(extend_psn(0x6000000, 0x7fffff), 0x67fffffu);
  EXPECT_EQ(extend_psn(0x6000000, 0x800001), 0x5800001u);
}

TEST(ExtendPsn, NothingBelowZeroOrAboveTheTop) {
  EXPECT_EQ(extend_psn(1, 0xffffff), std::nullopt);
  EXPECT_EQ(extend_psn(1, 0), 0u);
  EXPECT_EQ(extend_psn(~uint64_t{0}, 0), std::nullopt);
  EXPECT_EQ(extend_psn(~uint64_t{0}, 0xfffffe), ~uint64_t{0} - 1);
}

}  // namespace
}  // namespace lambdacast::wire
