// SPDX-License-Identifier: BSD-3-Clause
// A member and a coordinator without the facade that joins them: what each does by itself.
#include <gtest/gtest.h>

#include <vector>

#include "membership/coordinator.h"
#include "membership/member.h"
#include "names.h"

namespace lambdacast::membership {
namespace parts_alone_test {

using wire::BallotPhase;
using wire::VoteStage;
using State = wire::MemberState;
using Bytes = std::vector<uint8_t>;

constexpr uint64_t kMs = 1'000'000;
constexpr uint8_t kStays = wire::kEntryOld | wire::kEntryNew;

class FakeHost final : public MembershipHost {
 public:
  uint64_t held_through(size_t, const wire::StreamName&) override { return held; }
  void hold_on_to(const Value* value) override { holds_on = value != nullptr; }
  uint64_t here_through(size_t, const wire::StreamName&) override { return held; }
  void give_up(size_t, uint64_t) override {}
  void stays(size_t) override {}
  void fetch(size_t peer, uint64_t) override { fetched.push_back(peer); }
  void serve(size_t, uint64_t) override {}
  void promised() override { ++promises; }
  bool settled() override { return has_settled; }
  void installed(const View&, const View&, const Value&) override {}
  void excluded(bool) override {}
  uint64_t own_ack(size_t) override { return 0; }
  void vouched(size_t) override {}
  void acknowledged(size_t, std::span<const uint64_t>) override {}

  uint64_t held = 10;
  bool has_settled = true;
  bool holds_on = false;
  int promises = 0;
  std::vector<size_t> fetched;
};

// Node 2 of a first view of nodes 1 to 3; node 1 is peer 0, node 3 peer 1.
class AloneTest : public ::testing::Test {
 protected:
  AloneTest() {
    detector_.heard(0, named(1), now_ns_);
    detector_.heard(1, named(3), now_ns_);
  }
  static MembershipConfig config() {
    MembershipConfig config;
    config.self = named(2);
    config.max_peers = 2;
    config.heartbeat_ns = kMs / 10;
    config.suspect_after_ns = 2 * kMs;
    return config;
  }
  static Value value_of(uint8_t flags, uint64_t cut = 10) {
    Value value;
    for (uint8_t node = 1; node <= 3; ++node) value.entries.push_back({named(node), cut, flags, 0});
    value.round = 1;
    value.coordinator = 1;
    return value;
  }
  Bytes frame_of(const wire::BallotId& id, BallotPhase phase, const Value& value) {
    Bytes payload(1'000);
    ValueParts parts;
    parts.begin();
    payload.resize(parts.write(payload.data(), payload.size(), id.proposer, id, member_.view().id,
                               phase, value));
    return payload;
  }
  void ballot(const wire::BallotId& id, BallotPhase phase, const Value& value) {
    const Bytes payload = frame_of(id, phase, value);
    const wire::BallotFrame frame = wire::load_ballot(payload.data());
    if (phase == BallotPhase::kInstall)
      member_.take_install(frame, payload.data(), value.entries.size());
    else
      member_.take_ballot(frame, payload.data(), value.entries.size());
  }
  void install_first_view() {
    ballot({1, 1, named(1)}, BallotPhase::kInstall, value_of(wire::kEntryNew));
    ASSERT_EQ(member_.try_install(false), Member::Outcome::kInstalled);
    detector_.watch(member_.view(), member_.own_rank());
  }
  VoteStage voted() {
    Bytes payload(1'000);
    EXPECT_TRUE(member_.vote_due());
    EXPECT_NE(member_.write_vote(payload.data(), payload.size()), 0u);
    return wire::load_vote(payload.data()).stage;
  }

  uint64_t now_ns_ = kMs;
  FakeHost host_;
  FailureDetector detector_{config()};
  Member member_{config(), detector_, host_};
  Coordinator coordinator_{config(), detector_, member_};
};

using MemberAloneTest = AloneTest;
using CoordinatorAloneTest = AloneTest;

TEST_F(MemberAloneTest, a_first_view_is_chosen__expect_it_installed) {
  install_first_view();
  EXPECT_EQ(member_.state(), State::kOperational);
  EXPECT_EQ(member_.own_rank(), 1u);
  EXPECT_EQ(member_.view().id, (wire::ViewId{1, 1, 1}));
  EXPECT_EQ(member_.before().size(), 0u);
  EXPECT_EQ(member_.decision().value.entries.size(), 3u);
}

TEST_F(MemberAloneTest, a_ballot_phase_by_phase__expect_a_vote_of_each_stage) {
  install_first_view();
  const wire::BallotId id{2, 1, named(1)};
  ballot(id, BallotPhase::kPrepare, value_of(kStays, 0));
  EXPECT_EQ(member_.state(), State::kRecovering);
  EXPECT_EQ(host_.promises, 1);
  EXPECT_EQ(voted(), VoteStage::kPromised);
  host_.held = 9;
  ballot(id, BallotPhase::kPropose, value_of(kStays));
  EXPECT_EQ(voted(), VoteStage::kPromised) << "content is missing";
  EXPECT_TRUE(member_.waits());
  host_.held = 10;
  member_.seek_readiness();
  EXPECT_EQ(voted(), VoteStage::kReady);
  EXPECT_TRUE(host_.holds_on);
  ballot(id, BallotPhase::kAccept, value_of(kStays));
  EXPECT_EQ(voted(), VoteStage::kAccepted);
  EXPECT_EQ(member_.accepted(), id);
}

TEST_F(MemberAloneTest, the_chosen_view_is_without_it__expect_it_to_say_so_and_decide_nothing) {
  install_first_view();
  Value value = value_of(kStays);
  value.entries[1].flags = wire::kEntryOld;
  ballot({2, 1, named(1)}, BallotPhase::kInstall, value);
  EXPECT_EQ(member_.try_install(false), Member::Outcome::kOut);
  EXPECT_EQ(member_.decision().id.epoch, 1u);
  member_.leave_view(false);
  EXPECT_EQ(member_.state(), State::kExcluded);
  EXPECT_FALSE(member_.left());
}

TEST_F(MemberAloneTest, the_view_before_is_not_delivered__expect_the_next_to_wait) {
  install_first_view();
  host_.has_settled = false;
  ballot({2, 1, named(1)}, BallotPhase::kInstall, value_of(kStays));
  EXPECT_EQ(member_.try_install(false), Member::Outcome::kNone);
  EXPECT_TRUE(member_.waits());
  host_.has_settled = true;
  EXPECT_EQ(member_.try_install(false), Member::Outcome::kInstalled);
  EXPECT_EQ(member_.view().id.epoch, 2u);
}

TEST_F(CoordinatorAloneTest, lower_ranks_are_alive__expect_it_to_begin_nothing) {
  install_first_view();
  member_.leave();
  EXPECT_EQ(coordinator_.coordinate(now_ns_), Coordinator::Next::kNothing);
  EXPECT_FALSE(coordinator_.active());
}

TEST_F(CoordinatorAloneTest, the_lower_rank_falls_silent__expect_its_ballot_and_a_view_by_quorum) {
  install_first_view();
  for (int step = 0; step < 40; ++step) {
    detector_.pass(now_ns_ += kMs / 10);
    detector_.heard(1, named(3), now_ns_);
  }
  EXPECT_TRUE(detector_.look());
  EXPECT_EQ(coordinator_.coordinate(now_ns_), Coordinator::Next::kNothing);
  ASSERT_TRUE(coordinator_.active());
  ASSERT_TRUE(coordinator_.ballot_due());
  Bytes payload(1'000);
  ASSERT_NE(coordinator_.write_ballot(payload.data(), payload.size()), 0u);
  const wire::BallotFrame said = wire::load_ballot(payload.data());
  EXPECT_EQ(said.phase, BallotPhase::kPrepare);
  EXPECT_EQ(wire::load_ballot_entry(payload.data(), 0).flags, wire::kEntryOld);
  auto next = Coordinator::Next::kNothing;
  for (const VoteStage stage : {VoteStage::kPromised, VoteStage::kReady, VoteStage::kAccepted}) {
    Bytes vote(wire::kVoteBytes + 24);
    wire::store_control_header(control_header(named(3), wire::ControlKind::kVote, 3), vote.data());
    wire::store_vote({said.ballot, stage, false, {}, 0, 3}, vote.data());
    for (size_t i = 0; i < 3; ++i) wire::store_vote_position(10, vote.data(), i);
    coordinator_.take_vote(1, wire::load_vote(vote.data()), vote.data(), 3);
    next = coordinator_.drive(now_ns_);
  }
  ASSERT_EQ(next, Coordinator::Next::kInstall);
  EXPECT_TRUE(coordinator_.drives(member_.chosen_by()));
  ASSERT_EQ(member_.try_install(true), Member::Outcome::kInstalled);
  EXPECT_EQ(member_.view().members, (std::vector{named(2), named(3)}));
}

TEST_F(CoordinatorAloneTest, another_ballot_is_promised__expect_its_round_abandoned) {
  install_first_view();
  for (int step = 0; step < 40; ++step) {
    detector_.pass(now_ns_ += kMs / 10);
    detector_.heard(1, named(3), now_ns_);
  }
  EXPECT_TRUE(detector_.look());
  EXPECT_EQ(coordinator_.coordinate(now_ns_), Coordinator::Next::kNothing);
  ASSERT_TRUE(coordinator_.active());
  coordinator_.yield_to(member_.promised());
  EXPECT_TRUE(coordinator_.active()) << "its own";
  ballot({2, 9, named(3)}, BallotPhase::kPrepare, value_of(kStays, 0));
  coordinator_.yield_to(member_.promised());
  EXPECT_FALSE(coordinator_.active());
}

}  // namespace parts_alone_test
}  // namespace lambdacast::membership
