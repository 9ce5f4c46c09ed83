// SPDX-License-Identifier: BSD-3-Clause
#include "node/turns.h"

#include <gtest/gtest.h>

namespace lambdacast::node {
namespace turns_test {

enum class Kind : uint8_t { kA, kB, kC };

class TurnsTest : public ::testing::Test {
 protected:
  Turns<Kind, 3> turns_;
};

TEST_F(TurnsTest, nobody_waits__expect_who_comes_to_go) {
  EXPECT_TRUE(turns_.may_go(Kind::kA, true));
  EXPECT_TRUE(turns_.may_go(Kind::kA, true));
  EXPECT_TRUE(turns_.may_go(Kind::kB, true));
}

TEST_F(TurnsTest, two_are_refused__expect_them_to_go_in_that_order) {
  EXPECT_FALSE(turns_.may_go(Kind::kB, false));
  EXPECT_FALSE(turns_.may_go(Kind::kA, false));
  EXPECT_FALSE(turns_.may_go(Kind::kC, true));  // behind those that wait
  EXPECT_FALSE(turns_.may_go(Kind::kA, true));
  EXPECT_TRUE(turns_.may_go(Kind::kB, true));
  EXPECT_TRUE(turns_.may_go(Kind::kA, true));
  EXPECT_TRUE(turns_.may_go(Kind::kC, true));
}

// Whoever is asked first each time has no advantage.
TEST_F(TurnsTest, all_want_to_go_all_the_time__expect_equal_turns) {
  std::array<int, 3> went{};
  for (int turn = 0; turn < 300; ++turn) {
    bool allowed = true;
    for (const Kind kind : {Kind::kA, Kind::kB, Kind::kC}) {
      if (!turns_.may_go(kind, allowed)) continue;
      ++went[static_cast<size_t>(kind)];
      allowed = false;
    }
  }
  for (const int times : went) EXPECT_NEAR(times, 100, 2);
}

TEST_F(TurnsTest, one_has_nothing_to_say_any_more__expect_the_next_to_go) {
  EXPECT_FALSE(turns_.may_go(Kind::kA, false));
  EXPECT_FALSE(turns_.may_go(Kind::kB, false));
  turns_.withdraw(Kind::kA);
  EXPECT_TRUE(turns_.may_go(Kind::kB, true));
  turns_.withdraw(Kind::kC);
  EXPECT_TRUE(turns_.may_go(Kind::kA, true));
}

}  // namespace turns_test
}  // namespace lambdacast::node
