// SPDX-License-Identifier: BSD-3-Clause
#include "membership/round.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "names.h"

namespace lambdacast::membership {
namespace round_test {

using wire::BallotPhase;
using wire::kEntryNew;
using wire::kEntryOld;
using wire::VoteStage;

constexpr uint8_t kStays = kEntryOld | kEntryNew;

wire::VoteFrame vote_of(const wire::BallotId& id, VoteStage stage, size_t entries) {
  return {id, stage, false, {}, 0, static_cast<uint16_t>(entries)};
}

class RoundTest : public ::testing::Test {
 protected:
  // Members 1, 2, 3 of the view before; 3 departs; 4 joins.
  void begin(uint8_t third = kEntryOld) {
    Value value;
    value.entries = {{named(1), 0, kStays, 0},
                     {named(2), 0, kStays, 0},
                     {named(3), 0, third, 0},
                     {named(4), 0, kEntryNew, 0}};
    round_.begin(id_, value);
  }
  void vote(uint8_t by, VoteStage stage, std::vector<uint64_t> positions = {10, 20, 30, 40}) {
    round_.vote(named(by), vote_of(id_, stage, positions.size()), positions);
  }
  void all_vote(VoteStage stage) {
    for (uint8_t by : {1, 2, 4}) vote(by, stage);
  }

  const wire::BallotId id_{2, 5, named(1)};
  Round round_{std::nullopt};
};

TEST_F(RoundTest, all_promise__expect_the_value_proposed_with_the_highest_cuts_of_the_departed) {
  begin();
  vote(1, VoteStage::kPromised, {11, 20, 30, 40});
  vote(2, VoteStage::kPromised, {10, 22, 35, 40});
  EXPECT_FALSE(round_.advance());  // the joiner has not
  vote(4, VoteStage::kPromised, {10, 20, wire::kNotOpen, 44});
  ASSERT_TRUE(round_.advance());
  EXPECT_EQ(round_.phase(), BallotPhase::kPropose);
  const auto& entries = round_.value().entries;
  EXPECT_EQ(entries[0].cut, 11u);  // survivors' streams go as far as they say themselves
  EXPECT_EQ(entries[1].cut, 22u);
  EXPECT_EQ(entries[2].cut, 35u);
  EXPECT_EQ(entries[2].holder, 1u);
  EXPECT_EQ(entries[3].cut, 44u);
}

TEST_F(RoundTest, a_node_given_up_votes__expect_that_ignored) {
  begin();
  vote(1, VoteStage::kPromised);
  vote(4, VoteStage::kPromised);
  vote(3, VoteStage::kPromised, {10, 20, 50, 40});
  EXPECT_FALSE(round_.advance());  // one and three would be a quorum
  vote(2, VoteStage::kPromised);
  ASSERT_TRUE(round_.advance());
  EXPECT_EQ(round_.value().entries[2].cut, 30u);
}

TEST_F(RoundTest, a_node_that_leaves_votes__expect_its_own_word_on_its_stream_counted) {
  begin(kEntryOld | wire::kEntryLeaves);
  vote(3, VoteStage::kPromised, {10, 20, 50, 40});
  all_vote(VoteStage::kPromised);
  ASSERT_TRUE(round_.advance());
  EXPECT_EQ(round_.value().entries[2].cut, 50u);
  EXPECT_EQ(round_.value().entries[2].holder, 2u);
}

TEST_F(RoundTest, a_member_does_not_hear_the_joiner__expect_no_proposal) {
  begin();
  vote(1, VoteStage::kPromised);
  vote(2, VoteStage::kPromised, {10, 20, 30, wire::kNotOpen});
  vote(4, VoteStage::kPromised);
  EXPECT_FALSE(round_.advance());
  vote(2, VoteStage::kPromised);
  EXPECT_TRUE(round_.advance());
}

TEST_F(RoundTest, phases__expect_all_ready_before_accept_and_a_quorum_before_install) {
  begin();
  all_vote(VoteStage::kPromised);
  ASSERT_TRUE(round_.advance());
  vote(1, VoteStage::kReady);
  vote(2, VoteStage::kReady);
  EXPECT_FALSE(round_.advance());
  vote(4, VoteStage::kReady);
  ASSERT_TRUE(round_.advance());
  EXPECT_EQ(round_.phase(), BallotPhase::kAccept);
  vote(4, VoteStage::kAccepted);
  vote(1, VoteStage::kAccepted);
  EXPECT_FALSE(round_.advance());  // a joiner is not of the view that decides
  vote(2, VoteStage::kAccepted);
  ASSERT_TRUE(round_.advance());
  EXPECT_EQ(round_.phase(), BallotPhase::kInstall);
}

TEST_F(RoundTest, somebody_has_accepted_before__expect_that_value_and_no_other) {
  begin();
  const wire::BallotId older{2, 3, named(2)};
  const wire::BallotId oldest{2, 2, named(3)};
  Value accepted;
  accepted.entries = {{named(1), 7, kStays, 0}, {named(2), 8, kStays, 0}, {named(3), 9, kStays, 0}};
  vote(1, VoteStage::kPromised);
  vote(4, VoteStage::kPromised);
  round_.vote(named(2), {id_, VoteStage::kPromised, true, older, 0, 4},
              std::vector<uint64_t>{10, 20, 30, 40});
  EXPECT_FALSE(round_.advance());  // the value itself is not here yet
  round_.report(oldest, Value{});
  EXPECT_FALSE(round_.advance());
  round_.report(older, accepted);
  ASSERT_TRUE(round_.advance());
  EXPECT_TRUE(round_.adopted());
  EXPECT_EQ(round_.value().entries, accepted.entries);
  // It may lack node 3 now: a quorum of those who are ready is enough.
  vote(1, VoteStage::kReady, {7, 8, 9});
  vote(2, VoteStage::kReady, {7, 8, 9});
  EXPECT_TRUE(round_.advance());
}

TEST_F(RoundTest, vote_of_another_round_or_with_another_list__expect_it_ignored) {
  begin();
  all_vote(VoteStage::kPromised);
  round_.begin({2, 6, named(1)}, round_.value());
  all_vote(VoteStage::kPromised);  // of round 5
  EXPECT_FALSE(round_.advance());
}

TEST_F(RoundTest, first_view__expect_everybody_needed) {
  Value value;
  value.entries = {{named(1), 0, kEntryNew, 0}, {named(2), 0, kEntryNew, 0}};
  round_.begin(id_, value);
  for (const VoteStage stage : {VoteStage::kPromised, VoteStage::kReady, VoteStage::kAccepted}) {
    round_.vote(named(1), vote_of(id_, stage, 2), std::vector<uint64_t>{1, 2});
    EXPECT_FALSE(round_.advance());
    round_.vote(named(2), vote_of(id_, stage, 2), std::vector<uint64_t>{1, 2});
    EXPECT_TRUE(round_.advance());
  }
}

TEST(Round, two_members_and_a_tie_breaker__expect_its_side_to_go_on_alone) {
  Round round(named(1).gid);
  const wire::BallotId id{2, 1, named(1)};
  Value value;
  value.entries = {{named(1), 0, kStays, 0}, {named(2), 0, kEntryOld, 0}};
  round.begin(id, value);
  for (const VoteStage stage : {VoteStage::kPromised, VoteStage::kReady, VoteStage::kAccepted}) {
    round.vote(named(1), vote_of(id, stage, 2), std::vector<uint64_t>{1, 2});
    EXPECT_TRUE(round.advance());
  }
}

TEST(Round, first_view_accepted_by_all_and_again_by_one_in_a_later_round__expect_it_adopted) {
  const wire::BallotId first{1, 1, named(1)};
  const wire::BallotId second{1, 2, named(2)};
  const wire::BallotId third{1, 3, named(2)};
  Value chosen;
  chosen.entries = {
      {named(1), 0, kEntryNew, 0}, {named(2), 0, kEntryNew, 0}, {named(3), 0, kEntryNew, 0}};
  chosen.round = 1;
  chosen.coordinator = named(1).incarnation;
  Value proposed;  // 1 is dead; 4 is its next life
  proposed.entries = {
      {named(2), 0, kEntryNew, 0}, {named(3), 0, kEntryNew, 0}, {named(4), 0, kEntryNew, 0}};
  Round round{std::nullopt};
  round.begin(third, proposed);
  const std::vector<uint64_t> positions{0, 0, 0};
  round.vote(named(2), {third, VoteStage::kPromised, true, second, 0, 3}, positions);
  round.report(second, chosen);
  round.vote(named(3), {third, VoteStage::kPromised, true, first, 0, 3}, positions);
  round.vote(named(4), {third, VoteStage::kPromised, false, {}, 0, 3}, positions);
  ASSERT_TRUE(round.advance());
  EXPECT_TRUE(round.adopted());
  EXPECT_EQ(round.value().entries[0].name, named(1));
}

// --- votes in parts ------------------------------------------------------------------------------

TEST_F(RoundTest, parts_of_a_vote__expect_it_to_count_with_the_last_of_them) {
  begin();
  vote(1, VoteStage::kPromised);
  vote(2, VoteStage::kPromised);
  const auto part = [&](uint16_t first, std::vector<uint64_t> positions) {
    round_.vote(named(4), {id_, VoteStage::kPromised, false, {}, first, 4}, positions);
    return round_.advance();
  };
  EXPECT_FALSE(part(3, {44}));
  EXPECT_FALSE(part(3, {44}));  // doubled
  EXPECT_FALSE(part(0, {10}));
  EXPECT_TRUE(part(1, {20, 30}));
  EXPECT_EQ(round_.value().entries[3].cut, 44u);
}

TEST_F(RoundTest, a_part_of_an_earlier_stage_comes_late__expect_the_later_stage_to_stand) {
  begin();
  all_vote(VoteStage::kPromised);
  ASSERT_TRUE(round_.advance());
  all_vote(VoteStage::kReady);
  round_.vote(named(2), {id_, VoteStage::kPromised, false, {}, 1, 4}, std::vector<uint64_t>{7});
  EXPECT_TRUE(round_.advance());
  EXPECT_EQ(round_.phase(), BallotPhase::kAccept);
}

TEST_F(RoundTest, a_part_of_another_list__expect_it_ignored) {
  begin();
  vote(1, VoteStage::kPromised);
  vote(2, VoteStage::kPromised);
  const std::vector<uint64_t> all{10, 20, 30, 40};
  round_.vote(named(4), {id_, VoteStage::kPromised, false, {}, 0, 5}, all);
  round_.vote(named(4), {id_, VoteStage::kPromised, false, {}, 1, 4}, all);  // beyond its end
  EXPECT_FALSE(round_.advance());
}

// Against a naive assembly that keeps all positions which it has seen: parts of random lengths, one
// in three lost, some doubled, in random order.
TEST(Round, random_parts_of_votes__expect_what_a_naive_assembly_has) {
  constexpr size_t kNodes = wire::kMaxMembers;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    base::SplitMix64 random(seed);
    Value value;
    for (uint8_t node = 1; node <= kNodes; ++node)
      value.entries.push_back({named(node), 0, kStays, 0});
    value.entries.push_back({named(kNodes + 1), 0, kEntryOld, 0});  // departs
    value.entries.erase(value.entries.begin());                     // 80 of the view before
    const size_t entries = value.entries.size();
    Round round{std::nullopt};
    const wire::BallotId id{2, 1, named(2)};
    round.begin(id, value);
    struct Part {
      size_t voter, first, count;
    };
    std::vector<std::vector<bool>> seen(entries, std::vector<bool>(entries));
    std::vector<uint64_t> held(entries);  // of the departed, by voter
    for (uint64_t& position : held) position = random.below(1'000);
    const auto naive_complete = [&] {
      for (size_t voter = 0; voter + 1 < entries; ++voter) {
        for (size_t at = 0; at < entries; ++at) {
          if (!seen[voter][at]) return false;
        }
      }
      return true;
    };
    bool advanced = false;
    for (int again = 0; again < 60 && !advanced; ++again) {
      std::vector<Part> parts;
      for (size_t voter = 0; voter + 1 < entries; ++voter) {
        for (size_t first = 0; first < entries;) {
          const size_t count = std::min<size_t>(1 + random.below(40), entries - first);
          const uint64_t copies = random.below(3);  // none, one or two
          for (uint64_t copy = 0; copy < copies; ++copy) parts.push_back({voter, first, count});
          first += count;
        }
      }
      for (size_t i = parts.size(); i > 1; --i) std::swap(parts[i - 1], parts[random.below(i)]);
      for (const Part& part : parts) {
        std::vector<uint64_t> positions(part.count, 5);
        if (part.first + part.count == entries) positions.back() = held[part.voter];
        for (size_t at = 0; at < part.count; ++at) seen[part.voter][part.first + at] = true;
        round.vote(value.entries[part.voter].name,
                   {id,
                    VoteStage::kPromised,
                    false,
                    {},
                    static_cast<uint16_t>(part.first),
                    static_cast<uint16_t>(entries)},
                   positions);
        advanced = round.advance();
        ASSERT_EQ(advanced, naive_complete());
        if (advanced) break;
      }
    }
    ASSERT_TRUE(advanced);
    EXPECT_EQ(round.value().entries.back().cut, *std::max_element(held.begin(), held.end() - 1));
  }
}

}  // namespace round_test
}  // namespace lambdacast::membership
