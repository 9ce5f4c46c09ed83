// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/water_level.h"

#include <gtest/gtest.h>

namespace lambdacast::sim {
namespace {

using Rates = std::vector<uint64_t>;
constexpr uint64_t kAny = ~uint64_t{0};

TEST(WaterLevel, caps_below_the_room__expect_the_caps) {
  EXPECT_EQ(water_levels({{3, 4}, {10, 10}}), (Rates{3, 4}));
  EXPECT_EQ(water_levels({{3, kAny}, {kAny, kAny}}), (Rates{3, kAny}));
}

TEST(WaterLevel, equal_rooms__expect_equal_parts_rounded_down) {
  EXPECT_EQ(water_levels({{kAny, kAny, kAny}, {11, 11, 11}}), (Rates{5, 5, 5}));
}

TEST(WaterLevel, one_takes_less_than_the_others__expect_who_it_does_not_hear_to_have_more) {
  // Node 2 takes 12 of the others; node 0 takes 10 of nodes 1 and 2.
  EXPECT_EQ(water_levels({{100, 100, 0}, {10, 100, 12}}), (Rates{6, 6, 0}));
  EXPECT_EQ(water_levels({{100, 100, 100}, {10, 100, 12}}), (Rates{7, 5, 5}));
}

}  // namespace
}  // namespace lambdacast::sim
