// SPDX-License-Identifier: BSD-3-Clause
// A first view needs everybody, and may have been chosen unseen: what a member holds on to, and
// when it lets go (lib/membership/member.cc, coordinator.cc). The test plays all others.
#include <gtest/gtest.h>

#include "core_network.h"

namespace lambdacast::membership {
namespace {

using wire::BallotPhase;
using wire::VoteStage;

class FirstViewTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (uint8_t i = 1; i <= 4; ++i) {
      if (i == 2) continue;
      node_.open(i - 1u);
      core_.heard(i - 1u, named(i), network_.now_ns());
    }
  }

  void hear(uint8_t from, const Bytes& payload) {
    wire::ControlHeader header;
    ASSERT_EQ(wire::load_control(payload.data(), payload.size(), header),
              counters::DropReason::kNone);
    core_.accept(from - 1u, payload.data(), header, network_.now_ns());
  }
  // Of the coordinator named(1): `members` are to be in the view.
  void ballot(uint64_t round, BallotPhase phase, const std::vector<uint8_t>& members = {1, 2, 3, 4},
              uint64_t made_round = 0) {
    ballot_of(1, round, phase, members, made_round, 0);
  }
  void ballot_of(uint64_t epoch, uint64_t round, BallotPhase phase,
                 const std::vector<uint8_t>& members, uint64_t made_round, uint64_t cut) {
    Bytes payload(wire::kBallotBytes + members.size() * wire::kBallotEntryBytes);
    wire::ControlHeader header = header_of(1, wire::ControlKind::kBallot);
    header.entries = static_cast<uint16_t>(members.size());
    wire::store_control_header(header, payload.data());
    wire::BallotFrame frame;
    frame.ballot = {epoch, round, named(1)};
    frame.phase = phase;
    frame.total = header.entries;
    frame.made_round = made_round == 0 ? round : made_round;
    frame.made_by = named(1).incarnation;
    wire::store_ballot(frame, payload.data());
    for (size_t i = 0; i < members.size(); ++i)
      wire::store_ballot_entry({named(members[i]), cut, wire::kEntryNew, 0}, payload.data(), i);
    hear(1, payload);
  }
  void vote(uint8_t from, uint64_t round, uint64_t accepted_round = 0) {
    Bytes payload(wire::kVoteBytes);
    wire::store_control_header(header_of(from, wire::ControlKind::kVote), payload.data());
    wire::VoteFrame frame;
    frame.ballot = {1, round, named(1)};
    frame.has_accepted = accepted_round != 0;
    if (frame.has_accepted) frame.accepted = {1, accepted_round, named(1)};
    wire::store_vote(frame, payload.data());
    hear(from, payload);
  }

  // What its vote, which has to be due, names as accepted.
  std::optional<wire::BallotId> said_accepted() {
    for (Bytes payload(1'000);;) {
      const size_t bytes = core_.next_control(payload.data(), payload.size(), network_.now_ns());
      if (bytes == 0) {
        ADD_FAILURE() << "no vote";
        return std::nullopt;
      }
      if (payload[1] != static_cast<uint8_t>(wire::ControlKind::kVote)) continue;
      const wire::VoteFrame vote = wire::load_vote(payload.data());
      return vote.has_accepted ? std::optional(vote.accepted) : std::nullopt;
    }
  }

  CoreNetwork network_{4};  // not run: only node 2 of it plays
  TestNode& node_ = network_.node(1);
  MembershipProtocol& core_ = node_.core();

 private:
  static wire::ControlHeader header_of(uint8_t from, wire::ControlKind kind) {
    wire::ControlHeader header;
    header.kind = kind;
    header.incarnation = named(from).incarnation;
    header.data_qpn = named(from).qpn;
    return header;
  }
};

TEST_F(FirstViewTest, be_ready_for_one__expect_its_streams_held_on_to_from_then) {
  ballot(1, BallotPhase::kPrepare);
  EXPECT_FALSE(node_.holds_on);
  ballot(1, BallotPhase::kPropose);
  EXPECT_TRUE(node_.holds_on);
}

// Without its own word the one before is not chosen, nor will it be.
TEST_F(FirstViewTest, promise_another_when_it_was_ready_only__expect_it_to_let_go) {
  ballot(1, BallotPhase::kPropose);
  ballot(2, BallotPhase::kPrepare);
  EXPECT_FALSE(node_.holds_on);
}

TEST_F(FirstViewTest, promise_another_when_it_had_accepted__expect_it_to_hold_on) {
  ballot(1, BallotPhase::kPropose);
  ballot(1, BallotPhase::kAccept);
  ballot(2, BallotPhase::kPrepare);
  EXPECT_TRUE(node_.holds_on);
}

TEST_F(FirstViewTest, a_member_did_not_accept_and_has_promised_more__expect_it_to_let_go) {
  ballot(1, BallotPhase::kPropose);
  ballot(1, BallotPhase::kAccept);
  vote(3, 1);
  EXPECT_TRUE(node_.holds_on) << "it may accept yet";
  vote(3, 2, 1);
  EXPECT_TRUE(node_.holds_on) << "it has";
  vote(4, 2);
  EXPECT_FALSE(node_.holds_on);
}

// Others would be asked to complete it when the one that refuted it is gone.
TEST_F(FirstViewTest, it_was_refuted__expect_no_word_of_it_in_later_votes) {
  ballot(1, BallotPhase::kPropose);
  ballot(1, BallotPhase::kAccept);
  ballot(2, BallotPhase::kPrepare);
  EXPECT_EQ(said_accepted(), (wire::BallotId{1, 1, named(1)}));
  vote(3, 2);
  ballot(3, BallotPhase::kPrepare);
  EXPECT_EQ(said_accepted(), std::nullopt);
}

TEST_F(FirstViewTest, who_votes_is_not_in_it__expect_it_to_hold_on) {
  ballot(1, BallotPhase::kPropose, {1, 2, 3});
  ballot(1, BallotPhase::kAccept, {1, 2, 3});
  vote(4, 2);
  EXPECT_TRUE(node_.holds_on);
}

// A later ballot completes it: who has not heard of it before votes for it now.
TEST_F(FirstViewTest, a_later_ballot_offers_it_again__expect_it_to_hold_on) {
  ballot(1, BallotPhase::kPropose);
  ballot(1, BallotPhase::kAccept);
  ballot(2, BallotPhase::kPropose, {1, 2, 3, 4}, 1);
  vote(3, 2);
  EXPECT_TRUE(node_.holds_on);
}

TEST_F(FirstViewTest, others_are_in_another_view__expect_it_to_let_go) {
  ballot(1, BallotPhase::kPropose);
  ballot(1, BallotPhase::kAccept);
  const auto said = [&](uint64_t round) {
    Bytes payload(wire::kMemberBytes);
    wire::ControlHeader header;
    header.kind = wire::ControlKind::kMember;
    header.incarnation = named(3).incarnation;
    header.data_qpn = named(3).qpn;
    header.timestamp_ns = network_.now_ns() + round;
    wire::store_control_header(header, payload.data());
    wire::MemberFrame frame;
    frame.view = {1, round, named(1).incarnation};
    frame.state = wire::MemberState::kOperational;
    frame.members = 3;
    wire::store_member(frame, payload.data());
    hear(3, payload);
    Bytes out(1'000);
    (void)core_.next_control(out.data(), out.size(), network_.now_ns() + kMs);
  };
  said(1);
  EXPECT_TRUE(node_.holds_on) << "it is that one";
  said(2);
  EXPECT_FALSE(node_.holds_on);
}

// It is no more: nobody says that he is in it, and another first view is made.
TEST_F(FirstViewTest, a_later_view_waits_for_content_meanwhile__expect_it_forgotten) {
  for (const size_t slot : {0, 2, 3}) network_.send_to(slot, slot == 0 ? 4 : 5);
  ballot_of(7, 1, BallotPhase::kInstall, {1, 2, 3, 4}, 1, 5);
  ballot(1, BallotPhase::kPropose);
  network_.send_to(0, 5);
  core_.tick(network_.now_ns() + kMs);
  EXPECT_TRUE(node_.installs.empty());
}

// It waits for the stream of a member that is dead. Those who live make another first view.
TEST_F(FirstViewTest, it_waits_for_one_and_accepts_another__expect_the_other) {
  for (const size_t slot : {0, 2, 3}) network_.send_to(slot, slot == 0 ? 4 : 5);
  ballot_of(1, 1, BallotPhase::kInstall, {1, 2, 3, 4}, 1, 5);
  core_.tick(network_.now_ns() + kMs);
  EXPECT_TRUE(node_.installs.empty());
  for (const BallotPhase phase : {BallotPhase::kPropose, BallotPhase::kAccept})
    ballot_of(1, 2, phase, {1, 2, 3, 4}, 2, 4);
  ballot_of(1, 2, BallotPhase::kInstall, {1, 2, 3, 4}, 2, 4);
  core_.tick(network_.now_ns() + 2 * kMs);
  ASSERT_EQ(node_.installs.size(), 1u);
  EXPECT_EQ(core_.view().id.round, 2u);
}

TEST_F(FirstViewTest, a_later_view_has_waited_for_content__expect_it_when_that_has_come) {
  for (const size_t slot : {0, 2, 3}) network_.send_to(slot, slot == 0 ? 4 : 5);
  ballot_of(7, 1, BallotPhase::kInstall, {1, 2, 3, 4}, 1, 5);
  network_.send_to(0, 5);
  core_.tick(network_.now_ns() + kMs);
  EXPECT_EQ(node_.installs.size(), 1u);
}

}  // namespace
}  // namespace lambdacast::membership
