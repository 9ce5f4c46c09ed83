// SPDX-License-Identifier: BSD-3-Clause
#include "counters/neighbor_event.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace lambdacast::counters {
namespace {

TEST(NeighborEvent, name_each__expect_its_own_snake_case) {
  EXPECT_STREQ(name(NeighborEvent::kSolicitationReceived), "solicitation_received");
  EXPECT_STREQ(name(NeighborEvent::kNoMbuf), "no_mbuf");
  EXPECT_STREQ(name(NeighborEvent::kCount), "invalid");
  std::set<std::string> seen;
  for (size_t i = 0; i < kNeighborEvents; ++i) {
    EXPECT_TRUE(seen.insert(name(static_cast<NeighborEvent>(i))).second) << i;
  }
}

TEST(NeighborEvent, help_for_each__expect_a_sentence) {
  for (size_t i = 0; i <= kNeighborEvents; ++i) {
    const std::string sentence = help(static_cast<NeighborEvent>(i));
    ASSERT_FALSE(sentence.empty());
    EXPECT_EQ(sentence.back(), '.');
  }
}

TEST(NeighborEvent, count_one__expect_only_that) {
  NeighborCounters counters;
  counters.add(NeighborEvent::kConflict, 3);
  for (size_t i = 0; i < kNeighborEvents; ++i) {
    const auto event = static_cast<NeighborEvent>(i);
    EXPECT_EQ(counters[event], event == NeighborEvent::kConflict ? 3u : 0u);
  }
}

}  // namespace
}  // namespace lambdacast::counters
