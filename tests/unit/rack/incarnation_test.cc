// SPDX-License-Identifier: BSD-3-Clause
#include "rack/incarnation.h"

#include <gtest/gtest.h>

namespace lambdacast::rack {
namespace {

TEST(IncarnationTest, ask_for_incarnations__expect_them_to_grow_serially) {
  const uint32_t first = incarnation_now();
  const uint32_t second = incarnation_now();
  EXPECT_LE(second - first, 1u << 20);
}

TEST(IncarnationTest, begin_a_life_after_another__expect_it_to_be_later_even_in_the_same_moment) {
  const uint32_t now = incarnation_now();
  EXPECT_LE(incarnation_after(now - 100) - now, 1u << 20);
  EXPECT_EQ(incarnation_after(now + 1000), now + 1001);
}

}  // namespace
}  // namespace lambdacast::rack
