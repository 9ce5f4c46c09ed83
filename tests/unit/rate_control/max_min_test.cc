// SPDX-License-Identifier: BSD-3-Clause
#include "rate_control/max_min.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::rate_control {
namespace {

using base::NodeSet;
using Bps = std::vector<uint64_t>;

// Every node is a transmitter and a receiver that hears all others.
struct Filled {
  Bps bps;
  std::vector<uint16_t> limited_by;
};
Filled fill_view(const Bps& need, const Bps& room) {
  std::vector<NodeSet> hears;
  for (size_t j = 0; j < room.size(); ++j) {
    hears.push_back(NodeSet::first(need.size()));
    hears.back().remove(j);
  }
  std::vector<FilledShare> shares(need.size());
  fill({need, room, hears}, shares);
  Filled filled;
  for (const FilledShare& share : shares) {
    filled.bps.push_back(share.bps);
    filled.limited_by.push_back(share.limited_by);
  }
  return filled;
}

constexpr uint16_t kByCap = FilledShare::kByCap;

TEST(MaxMin, nobody_is_full__expect_everybody_at_the_own_cap) {
  const Filled filled = fill_view({5, 0, 7}, {100, 100, 100});
  EXPECT_EQ(filled.bps, (Bps{5, 0, 7}));
  EXPECT_EQ(filled.limited_by, (std::vector<uint16_t>{kByCap, kByCap, kByCap}));
}

TEST(MaxMin, no_receiver_has_a_limit__expect_caps_even_unlimited_ones) {
  EXPECT_EQ(fill_view({kUnlimitedBps, 3}, {kUnlimitedBps, kUnlimitedBps}).bps,
            (Bps{kUnlimitedBps, 3}));
  EXPECT_EQ(fill_view({9}, {1}).bps, (Bps{9}));  // nobody hears it
  EXPECT_TRUE(fill_view({}, {}).bps.empty());
}

TEST(MaxMin, equal_rooms_and_needs__expect_the_room_in_equal_parts) {
  const Filled filled = fill_view({50, 50, 50, 50}, {90, 90, 90, 90});
  EXPECT_EQ(filled.bps, (Bps{30, 30, 30, 30}));
}

TEST(MaxMin, one_needs_less__expect_the_others_to_share_what_it_leaves) {
  EXPECT_EQ(fill_view({10, 90, 90, 90}, {90, 90, 90, 90}).bps, (Bps{10, 30, 30, 30}));
  EXPECT_EQ(fill_view({90, 10, 10, 90}, {90, 90, 90, 90}).bps, (Bps{40, 10, 10, 40}));
}

// FastCast's rule, by which a greater need lowers all others, is refuted by these two: the need of
// the third raises the first.
TEST(MaxMin, unequal_rooms__expect_a_need_to_raise_another_share) {
  constexpr uint64_t kGreedy = 1'000;
  EXPECT_EQ(fill_view({kGreedy, kGreedy, 0}, {10, 100, 12}).bps, (Bps{6, 6, 0}));
  const Filled filled = fill_view({kGreedy, kGreedy, 100}, {10, 100, 12});
  EXPECT_EQ(filled.bps, (Bps{7, 5, 5}));
  EXPECT_EQ(filled.limited_by, (std::vector<uint16_t>{2, 0, 0}));
}

TEST(MaxMin, less_room_than_transmitters__expect_nothing_for_them) {
  EXPECT_EQ(fill_view({5, 5, 5}, {1, 100, 100}).bps, (Bps{5, 0, 0}));
}

TEST(MaxMin, receivers_that_hear_some__expect_only_those_to_count) {
  std::vector<NodeSet> hears(2);
  hears[0].add(0);
  hears[0].add(1);
  hears[1].add(2);
  const Bps cap{100, 100, 100, 100};
  const Bps room{10, 40};
  std::vector<FilledShare> shares(4);
  fill({cap, room, hears}, shares);
  EXPECT_EQ(shares[0], (FilledShare{5, 0}));
  EXPECT_EQ(shares[1], (FilledShare{5, 0}));
  EXPECT_EQ(shares[2], (FilledShare{40, 1}));
  EXPECT_EQ(shares[3], (FilledShare{100, kByCap}));
}

TEST(MaxMin, eighty_of_everything_at_the_fastest_rates__expect_no_overflow) {
  constexpr uint64_t kFastest = 1'600'000'000'000;
  const Filled filled = fill_view(Bps(80, kUnlimitedBps), Bps(80, kFastest));
  for (const uint64_t bps : filled.bps) EXPECT_EQ(bps, kFastest / 79);
}

}  // namespace
}  // namespace lambdacast::rate_control
