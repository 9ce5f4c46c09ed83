// SPDX-License-Identifier: BSD-3-Clause
#include "node/stage_counters.h"

#include <gtest/gtest.h>

namespace lambdacast::node {
namespace {

using counters::DropReason;

TEST(StageCounters, count__expect_received_to_be_forwarded_plus_dropped) {
  StageCounters counters;
  EXPECT_EQ(counters.count(DropReason::kNone), DropReason::kNone);
  EXPECT_EQ(counters.count(DropReason::kTooOld), DropReason::kTooOld);
  EXPECT_EQ(counters.received, 2u);
  EXPECT_EQ(counters.forwarded, 1u);
  EXPECT_EQ(counters.drops.total(), 1u);
}

}  // namespace
}  // namespace lambdacast::node
