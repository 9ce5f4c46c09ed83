// SPDX-License-Identifier: BSD-3-Clause
#include "counters/drop_reason.h"

#include <gtest/gtest.h>

#include <cctype>
#include <set>
#include <string>

namespace lambdacast::counters {
namespace {

std::string text(DropReason reason) { return name(reason); }

TEST(Name, SnakeCaseOfTheEnumerator) {
  EXPECT_EQ(text(DropReason::kNone), "none");
  EXPECT_EQ(text(DropReason::kTooShort), "too_short");
  EXPECT_EQ(text(DropReason::kIpv6MappedAddress), "ipv6_mapped_address");
  EXPECT_EQ(text(DropReason::kBadIcrc), "bad_icrc");
  EXPECT_EQ(text(DropReason::kNotSubscribed), "not_subscribed");
}

TEST(Name, EveryReasonHasItsOwn) {
  std::set<std::string> seen;
  for (size_t i = 0; i < kDropReasons; ++i) {
    EXPECT_TRUE(seen.insert(name(static_cast<DropReason>(i))).second) << i;
  }
}

TEST(Name, OutsideTheEnumIsSaid) {
  EXPECT_EQ(text(DropReason::kCount), "invalid");
  EXPECT_EQ(text(static_cast<DropReason>(255)), "invalid");
}

TEST(Help, EveryReasonHasASentence) {
  for (size_t i = 0; i <= kDropReasons; ++i) {
    const std::string sentence = help(static_cast<DropReason>(i));
    ASSERT_FALSE(sentence.empty()) << i;
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(sentence.front()))) << sentence;
    EXPECT_EQ(sentence.back(), '.') << sentence;
  }
}

TEST(DropCounters, AddCountsOnlyTheGivenReason) {
  DropCounters drops;
  drops.add(DropReason::kBadIcrc);
  drops.add(DropReason::kBadIcrc, 4);
  for (size_t i = 0; i < kDropReasons; ++i) {
    const auto reason = static_cast<DropReason>(i);
    EXPECT_EQ(drops[reason], reason == DropReason::kBadIcrc ? 5u : 0u) << name(reason);
  }
}

TEST(DropCounters, TotalLeavesOutWhatPassed) {
  DropCounters drops;
  drops.add(DropReason::kNone, 100);
  drops.add(DropReason::kTooLong, 2);
  drops.add(DropReason::kNotSubscribed, 3);
  EXPECT_EQ(drops.total(), 5u);
}

TEST(DropCounters, StandsOnItsOwnCacheLines) {
  EXPECT_EQ(alignof(DropCounters) % base::kCacheLineBytes, 0u);
  EXPECT_EQ(sizeof(DropCounters) % base::kCacheLineBytes, 0u);
}

}  // namespace
}  // namespace lambdacast::counters
