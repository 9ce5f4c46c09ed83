#include "membership/round.h"

#include <gtest/gtest.h>

#include <vector>

#include "names.h"

namespace lambdacast::membership {
namespace {

using wire::BallotPhase;
using wire::kEntryNew;
using wire::kEntryOld;
using wire::VoteStage;

constexpr uint8_t kStays = kEntryOld | kEntryNew;

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
    round_.vote(named(by), {id_, stage, false, {}}, positions);
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
  round_.vote(named(2), {id_, VoteStage::kPromised, true, older},
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
    round_.vote(named(1), {id_, stage, false, {}}, std::vector<uint64_t>{1, 2});
    EXPECT_FALSE(round_.advance());
    round_.vote(named(2), {id_, stage, false, {}}, std::vector<uint64_t>{1, 2});
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
    round.vote(named(1), {id, stage, false, {}}, std::vector<uint64_t>{1, 2});
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
  round.vote(named(2), {third, VoteStage::kPromised, true, second}, positions);
  round.report(second, chosen);
  round.vote(named(3), {third, VoteStage::kPromised, true, first}, positions);
  round.vote(named(4), {third, VoteStage::kPromised, false, {}}, positions);
  ASSERT_TRUE(round.advance());
  EXPECT_TRUE(round.adopted());
  EXPECT_EQ(round.value().entries[0].name, named(1));
}

}  // namespace
}  // namespace lambdacast::membership
