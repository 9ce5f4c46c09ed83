// SPDX-License-Identifier: BSD-3-Clause
// fill() against a model that raises everybody by one bit a second until somebody stops, and, where
// that would take for ever, against what makes an allocation max-min fair.
#include "rate_control/max_min.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"

namespace lambdacast::rate_control {
namespace {

using base::NodeSet;

struct Case {
  std::vector<uint64_t> cap;
  std::vector<uint64_t> room;
  std::vector<NodeSet> hears;

  [[nodiscard]] std::vector<uint64_t> filled() const {
    std::vector<FilledShare> shares(cap.size());
    fill({cap, room, hears}, shares);
    std::vector<uint64_t> bps;
    for (const FilledShare& share : shares) bps.push_back(share.bps);
    return bps;
  }
};

Case random_case(base::SplitMix64& random, size_t most, uint64_t greatest) {
  Case drawn;
  const size_t transmitters = 1 + random.below(most);
  const size_t receivers = random.below(most + 1);
  const bool alike = random.below(3) == 0;
  for (size_t i = 0; i < transmitters; ++i)
    drawn.cap.push_back(random.below(6) == 0 ? kUnlimitedBps : random.below(greatest + 1));
  for (size_t j = 0; j < receivers; ++j) {
    const bool same = alike && j != 0;
    const uint64_t any = random.below(8) == 0 ? kUnlimitedBps : random.below(2 * greatest + 1);
    drawn.room.push_back(same ? drawn.room[0] : any);
    NodeSet heard;
    for (size_t i = 0; i < transmitters; ++i) {
      if (alike ? i != j : random.below(2) == 0) heard.add(i);
    }
    drawn.hears.push_back(heard);
  }
  return drawn;
}

[[nodiscard]] uint64_t sum_at(const Case& drawn, size_t j, const std::vector<uint64_t>& rate) {
  uint64_t sum = 0;
  drawn.hears[j].for_each([&](size_t i) { sum += rate[i]; });
  return sum;
}

// All that can rise by one at once do. A receiver stops those that it hears when it has less room
// than they are.
std::vector<uint64_t> naive(const Case& drawn, uint64_t unheard_stop) {
  std::vector<uint64_t> rate(drawn.cap.size(), 0);
  std::vector<bool> stopped(rate.size(), false);
  for (uint64_t level = 0; level < unheard_stop; ++level) {
    for (size_t i = 0; i < rate.size(); ++i) stopped[i] = stopped[i] || rate[i] == drawn.cap[i];
    const std::vector<bool> before = stopped;
    for (size_t j = 0; j < drawn.room.size(); ++j) {
      uint64_t rising = 0;
      drawn.hears[j].for_each([&](size_t i) { rising += before[i] ? 0 : 1; });
      if (drawn.room[j] == kUnlimitedBps || sum_at(drawn, j, rate) + rising <= drawn.room[j])
        continue;
      drawn.hears[j].for_each([&](size_t i) { stopped[i] = true; });
    }
    for (size_t i = 0; i < rate.size(); ++i) rate[i] += stopped[i] ? 0 : 1;
  }
  for (size_t i = 0; i < rate.size(); ++i) {
    if (!stopped[i]) rate[i] = drawn.cap[i];  // nothing stops it
  }
  return rate;
}

TEST(MaxMinProperty, small_cases__expect_what_the_naive_model_has) {
  base::SplitMix64 random(20260901);
  for (int round = 0; round < 20'000; ++round) {
    constexpr uint64_t kGreatest = 30;
    const Case drawn = random_case(random, 8, kGreatest);
    ASSERT_EQ(drawn.filled(), naive(drawn, 3 * kGreatest)) << "round " << round;
  }
}

// Feasible; and each share is at its cap, or there is a receiver without a bit a second for each of
// those that it limits, and nobody whom that one hears has more.
TEST(MaxMinProperty, eighty_by_eighty__expect_the_certificate_of_fairness) {
  base::SplitMix64 random(20260902);
  for (int round = 0; round < 2'000; ++round) {
    const Case drawn = random_case(random, 80, 1'600'000'000'000);
    const std::vector<uint64_t> rate = drawn.filled();
    std::vector<bool> full(drawn.room.size());
    std::vector<uint64_t> highest(drawn.room.size(), 0);
    for (size_t j = 0; j < drawn.room.size(); ++j) {
      drawn.hears[j].for_each([&](size_t i) { highest[j] = std::max(highest[j], rate[i]); });
      if (drawn.room[j] == kUnlimitedBps) continue;
      const uint64_t sum = sum_at(drawn, j, rate);
      ASSERT_LE(sum, drawn.room[j]) << "round " << round;
      full[j] = drawn.room[j] - sum < std::max<uint64_t>(drawn.hears[j].count(), 1);
    }
    for (size_t i = 0; i < rate.size(); ++i) {
      ASSERT_LE(rate[i], drawn.cap[i]);
      bool limited = rate[i] == drawn.cap[i];
      for (size_t j = 0; j < drawn.room.size(); ++j)
        limited = limited || (full[j] && drawn.hears[j].contains(i) && highest[j] == rate[i]);
      ASSERT_TRUE(limited) << "round " << round << ", transmitter " << i << " at " << rate[i];
    }
  }
}

// FastCast's rule for a view (2013, Figure 4, lines 34-47): each counts itself and the N - 2 that
// need most of the others, for whom one receiver is full.
std::vector<uint64_t> by_fastcast(const std::vector<uint64_t>& need,
                                  const std::vector<uint64_t>& room) {
  std::vector<uint64_t> share;
  for (size_t i = 0; i < need.size(); ++i) {
    std::vector<uint64_t> sharing;
    for (size_t k = 0; k < need.size(); ++k) {
      if (k != i) sharing.push_back(need[k]);
    }
    std::sort(sharing.begin(), sharing.end());
    sharing[0] = need[i];  // the one that needs least is the receiver
    std::sort(sharing.begin(), sharing.end());
    uint64_t left = room[i];
    uint64_t level = kUnlimitedBps;
    for (size_t at = 0; at < sharing.size() && level == kUnlimitedBps; ++at) {
      const uint64_t part = left / (sharing.size() - at);
      if (sharing[at] > part) level = part;
      left -= std::min(sharing[at], part);
    }
    share.push_back(std::min(need[i], level));
  }
  return share;
}

Case random_view(base::SplitMix64& random, bool alike) {
  Case drawn;
  const size_t nodes = 3 + random.below(10);
  for (size_t i = 0; i < nodes; ++i) {
    drawn.cap.push_back(random.below(1'000));
    drawn.room.push_back(alike && i != 0 ? drawn.room[0] : 500 + random.below(4'000));
    drawn.hears.push_back(NodeSet::first(nodes));
    drawn.hears.back().remove(i);
  }
  return drawn;
}

TEST(MaxMinProperty, equal_rooms__expect_what_fastcasts_rule_has) {
  base::SplitMix64 random(20260903);
  for (int round = 0; round < 5'000; ++round) {
    const Case drawn = random_view(random, true);
    ASSERT_EQ(drawn.filled(), by_fastcast(drawn.cap, drawn.room)) << "round " << round;
  }
}

TEST(MaxMinProperty, unequal_rooms__expect_fastcasts_rule_to_overrun_some) {
  base::SplitMix64 random(20260904);
  int overrun = 0;
  for (int round = 0; round < 1'000; ++round) {
    const Case drawn = random_view(random, false);
    const std::vector<uint64_t> rate = by_fastcast(drawn.cap, drawn.room);
    bool over = false;
    for (size_t j = 0; j < rate.size(); ++j) over |= sum_at(drawn, j, rate) > drawn.room[j];
    overrun += over ? 1 : 0;
  }
  EXPECT_GT(overrun, 300);
}

}  // namespace
}  // namespace lambdacast::rate_control
