// SPDX-License-Identifier: BSD-3-Clause
#include "pauses.h"

#include <gtest/gtest.h>

namespace lambdacast::verbs {
namespace {

using std::chrono::microseconds;

TEST(Pauses, GrowTwofoldUpToTheLongest) {
  Pauses pauses(microseconds(50), microseconds(300));
  for (const int expected : {50, 100, 200, 300, 300}) {
    EXPECT_EQ(pauses.take(), microseconds(expected));
  }
}

TEST(Pauses, BeginAnewWhenSomethingCame) {
  Pauses pauses(microseconds(50), microseconds(4000));
  for (int i = 0; i < 20; ++i) (void)pauses.take();
  pauses.restart();
  EXPECT_EQ(pauses.take(), microseconds(50));
}

TEST(Pauses, AreNeverLongerThanTheSilenceBeforeAndTheFirst) {
  Pauses pauses(microseconds(50), microseconds(4000));
  microseconds silence{0};
  for (int i = 0; i < 100; ++i) {
    const microseconds pause = pauses.take();
    EXPECT_LE(pause, silence + microseconds(50));
    silence += pause;
  }
}

TEST(Pauses, OfALongestBelowTheFirstAreTheFirst) {
  Pauses pauses(microseconds(100), microseconds(1));
  EXPECT_EQ(pauses.take(), microseconds(100));
  EXPECT_EQ(pauses.take(), microseconds(100));
}

}  // namespace
}  // namespace lambdacast::verbs
