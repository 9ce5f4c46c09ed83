// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/repair_trace.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace lambdacast::reliability {
namespace {

std::vector<uint64_t> positions(const RepairTrace& trace) {
  std::vector<uint64_t> out;
  trace.for_each([&](const TraceEvent& event) { out.push_back(event.position); });
  return out;
}

TEST(RepairTrace, add__expect_the_events_oldest_first_with_all_they_say) {
  RepairTrace trace;
  EXPECT_TRUE(positions(trace).empty());
  trace.add(RepairStep::kMissed, 1'000, 3, 77);
  trace.add(RepairStep::kAsked, 1'001, 3, 77);
  std::vector<TraceEvent> events;
  trace.for_each([&](const TraceEvent& event) { events.push_back(event); });
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].step, RepairStep::kMissed);
  EXPECT_EQ(events[0].at_ns, 1'000u);
  EXPECT_EQ(events[0].peer, 3u);
  EXPECT_EQ(events[0].position, 77u);
  EXPECT_EQ(events[1].step, RepairStep::kAsked);
}

TEST(RepairTrace, fill_the_ring__expect_the_newest_kept) {
  RepairTrace trace;
  for (uint64_t i = 0; i < RepairTrace::kEvents + 10; ++i) trace.add(RepairStep::kSent, i, 0, i);
  EXPECT_EQ(trace.written(), RepairTrace::kEvents + 10);
  const auto all = positions(trace);
  ASSERT_EQ(all.size(), RepairTrace::kEvents);
  EXPECT_EQ(all.front(), 10u);
  EXPECT_EQ(all.back(), RepairTrace::kEvents + 9);
}

TEST(RepairTrace, name_each_step__expect_distinct_names) {
  std::set<std::string> names;
  for (uint8_t i = 0; i <= static_cast<uint8_t>(RepairStep::kLost); ++i) {
    EXPECT_TRUE(names.insert(name(static_cast<RepairStep>(i))).second);
  }
  EXPECT_FALSE(names.contains("invalid"));
  EXPECT_STREQ(name(static_cast<RepairStep>(200)), "invalid");
}

}  // namespace
}  // namespace lambdacast::reliability
