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
    Bytes payload(wire::kBallotBytes + members.size() * wire::kBallotEntryBytes);
    wire::ControlHeader header = header_of(1, wire::ControlKind::kBallot);
    header.entries = static_cast<uint16_t>(members.size());
    wire::store_control_header(header, payload.data());
    wire::BallotFrame frame;
    frame.ballot = {1, round, named(1)};
    frame.phase = phase;
    frame.total = header.entries;
    frame.made_round = made_round == 0 ? round : made_round;
    frame.made_by = named(1).incarnation;
    wire::store_ballot(frame, payload.data());
    for (size_t i = 0; i < members.size(); ++i)
      wire::store_ballot_entry({named(members[i]), 0, wire::kEntryNew, 0}, payload.data(), i);
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

  CoreNetwork network_{4};  // not run: only node 2 of it plays
  TestNode& node_ = network_.node(1);
  MembershipCore& core_ = node_.core();

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

}  // namespace
}  // namespace lambdacast::membership
