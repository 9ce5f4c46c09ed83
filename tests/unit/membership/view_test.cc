// SPDX-License-Identifier: BSD-3-Clause
#include "membership/view.h"

#include <gtest/gtest.h>

#include "names.h"

namespace lambdacast::membership {
namespace {

TEST(View, rank_of__expect_the_place_and_no_rank_for_another_life) {
  const View view{{1, 1, 1}, {named(3), named(1)}};
  EXPECT_EQ(view.rank_of(named(3)), 0u);
  EXPECT_EQ(view.rank_of(named(1)), 1u);
  EXPECT_EQ(view.rank_of(named(1, 2)), kNoRank);
  EXPECT_EQ(view.rank_of(named(2)), kNoRank);
}

TEST(View, is_quorum__expect_more_than_half_or_half_with_the_tie_breaker) {
  EXPECT_TRUE(is_quorum(1, 1, false));
  EXPECT_FALSE(is_quorum(0, 1, true));
  EXPECT_FALSE(is_quorum(1, 2, false));
  EXPECT_TRUE(is_quorum(1, 2, true));
  EXPECT_TRUE(is_quorum(2, 3, false));
  EXPECT_FALSE(is_quorum(1, 3, true));
  EXPECT_FALSE(is_quorum(2, 4, false));
  EXPECT_TRUE(is_quorum(2, 4, true));
  EXPECT_FALSE(is_quorum(0, 0, true));
}

// Any two quorums of one view have a member in common: every pair of sets of up to six members.
TEST(View, two_quorums__expect_a_common_member) {
  for (unsigned members = 1; members <= 6; ++members) {
    const unsigned sets = 1u << members;
    const auto quorum = [&](unsigned set) {  // member 0 breaks ties
      return is_quorum(static_cast<size_t>(__builtin_popcount(set)), members, (set & 1) != 0);
    };
    for (unsigned a = 0; a < sets; ++a) {
      for (unsigned b = 0; b < sets; ++b) {
        if (!quorum(a) || !quorum(b)) continue;
        EXPECT_NE(a & b, 0u) << members << " members";
      }
    }
  }
}

}  // namespace
}  // namespace lambdacast::membership
