#include "sim/virtual_clock.h"

#include <gtest/gtest.h>

namespace lambdacast::sim {
namespace {

TEST(VirtualClock, advance__expect_time_to_move_forwards_only) {
  VirtualClock clock;
  EXPECT_EQ(clock.now_ns(), 0u);
  clock.advance_to(10);
  clock.advance_to(5);
  EXPECT_EQ(clock.now_ns(), 10u);
}

}  // namespace
}  // namespace lambdacast::sim
