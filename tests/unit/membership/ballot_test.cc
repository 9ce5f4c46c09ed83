// SPDX-License-Identifier: BSD-3-Clause
#include "membership/ballot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "names.h"

namespace lambdacast::membership {
namespace {

using wire::BallotPhase;
using Bytes = std::vector<uint8_t>;

// Members of two views, `old` and `joiners` many.
Value value_of(size_t old, size_t joiners) {
  Value value;
  value.round = 7;
  value.coordinator = 3;
  for (size_t i = 0; i < old + joiners; ++i) {
    const uint8_t flags = i < old ? wire::kEntryOld : wire::kEntryNew;
    value.entries.push_back(
        {named(static_cast<uint8_t>(i + 1)), 100 + i, flags, static_cast<uint16_t>(i)});
  }
  return value;
}

const wire::BallotId kId{5, 9, named(1)};
const wire::ViewId kPrevious{4, 2, 8};

std::vector<Bytes> parts_of(const Value& value, size_t room,
                            BallotPhase phase = BallotPhase::kPropose) {
  std::vector<Bytes> out;
  ValueParts parts;
  for (parts.begin(); parts.pending();) {
    Bytes payload(room);
    payload.resize(parts.write(payload.data(), room, named(1), kId, kPrevious, phase, value));
    out.push_back(std::move(payload));
  }
  return out;
}

void take(Assembly& assembly, const Bytes& payload) {
  wire::ControlHeader header;
  ASSERT_EQ(wire::load_control(payload.data(), payload.size(), header),
            counters::DropReason::kNone);
  assembly.take(wire::load_ballot(payload.data()), payload.data(), header.entries);
}

TEST(Ballot, a_value_of_two_full_views_at_every_path_mtu__expect_it_whole_behind_its_last_part) {
  const Value value = value_of(wire::kMaxMembers, wire::kMaxMembers);
  for (const size_t room : {256, 512, 1024, 2048, 4096}) {
    SCOPED_TRACE(room);
    const std::vector<Bytes> parts = parts_of(value, room);
    const size_t each = (room - wire::kBallotBytes) / wire::kBallotEntryBytes;
    EXPECT_EQ(parts.size(), (value.entries.size() + each - 1) / each);
    Assembly assembly;
    for (const Bytes& part : parts) {
      EXPECT_FALSE(assembly.complete());
      take(assembly, part);
    }
    ASSERT_TRUE(assembly.complete());
    EXPECT_EQ(assembly.value().entries, value.entries);
    EXPECT_EQ(assembly.value().round, 7u);
    EXPECT_EQ(assembly.previous(), kPrevious);
  }
}

TEST(Ballot, values_up_to_64_and_above__expect_version_2_of_wide_ones_alone) {
  for (const auto& [old, joiners, wide] : {std::tuple<size_t, size_t, bool>{64, 64, false},
                                           {65, 1, true},
                                           {1, 65, true},
                                           {80, 80, true}}) {
    const Value value = value_of(old, joiners);
    EXPECT_EQ(value.wide(), wide);
    for (const Bytes& part : parts_of(value, 256)) EXPECT_EQ(wire::is_wide(part.data()), wide);
  }
}

TEST(Ballot, more_members_than_a_view_may_have__expect_no_value) {
  const Value value = value_of(wire::kMaxMembers + 1, 0);
  EXPECT_FALSE(value.sound());
  Assembly assembly;
  for (const Bytes& part : parts_of(value, 4096)) take(assembly, part);
  EXPECT_FALSE(assembly.complete());
}

// Parts of two ballots' lists never mix.
TEST(Ballot, a_part_of_the_list_with_cuts_comes_between__expect_it_to_begin_anew) {
  const Value value = value_of(4, 4);
  const std::vector<Bytes> prepare = parts_of(value, 256, BallotPhase::kPrepare);
  const std::vector<Bytes> propose = parts_of(value, 256, BallotPhase::kPropose);
  Assembly assembly;
  for (size_t i = 0; i + 1 < prepare.size(); ++i) take(assembly, prepare[i]);
  take(assembly, propose[0]);
  take(assembly, prepare.back());
  EXPECT_FALSE(assembly.complete());
  for (const Bytes& part : propose) take(assembly, part);
  EXPECT_TRUE(assembly.complete());
  EXPECT_TRUE(assembly.with_cuts());
}

// Against a naive assembly that keeps the numbers of the entries that it has seen: parts of random
// rooms, one in three lost, one in three doubled, in random order.
TEST(Ballot, random_parts__expect_what_a_naive_assembly_has) {
  constexpr size_t kRooms[] = {256, 512, 1024, 4096};
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::SplitMix64 random(seed);
    const Value value = value_of(random.below(81), 1 + random.below(80));
    Assembly assembly;
    std::vector<bool> seen(value.entries.size());
    for (int again = 0; again < 30 && !assembly.complete(); ++again) {
      std::vector<Bytes> coming;
      for (const Bytes& part : parts_of(value, kRooms[random.below(4)])) {
        for (uint64_t copies = random.below(3); copies != 0; --copies) coming.push_back(part);
      }
      for (size_t i = coming.size(); i > 1; --i) std::swap(coming[i - 1], coming[random.below(i)]);
      for (const Bytes& part : coming) {
        const wire::BallotFrame frame = wire::load_ballot(part.data());
        const size_t entries = wire::load_control_header(part.data()).entries;
        std::fill_n(seen.begin() + frame.first, entries, true);
        take(assembly, part);
        ASSERT_EQ(assembly.complete(), std::find(seen.begin(), seen.end(), false) == seen.end());
      }
    }
    ASSERT_TRUE(assembly.complete());
    EXPECT_EQ(assembly.value().entries, value.entries);
  }
}

}  // namespace
}  // namespace lambdacast::membership
