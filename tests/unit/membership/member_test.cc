// SPDX-License-Identifier: BSD-3-Clause
// Membership as a member (lib/membership/member.cc).
#include <gtest/gtest.h>

#include "core_network.h"

namespace lambdacast::membership {
namespace {

using wire::BallotPhase;
using wire::VoteStage;

class MemberTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(network_.run_until([&] { return network_.agree_on({1, 2, 3, 4}); }));
  }
  TestNode& node(size_t slot) { return network_.node(slot); }

  CoreNetwork network_{4};
};

TEST_F(MemberTest, a_ballot_begins__expect_the_host_stopped_before_and_the_view_after) {
  const int promises = node(1).promises;
  network_.kill(3);
  ASSERT_TRUE(network_.run_until([&] { return node(1).state() == State::kRecovering; }));
  EXPECT_EQ(node(1).promises, promises + 1);
  EXPECT_EQ(node(1).installs.size(), 1u);
  EXPECT_FALSE(node(1).core().departs(0));
  EXPECT_TRUE(node(1).core().departs(3));
  ASSERT_TRUE(network_.run_until([&] { return node(1).state() == State::kOperational; }));
  ASSERT_EQ(node(1).installs.size(), 2u);
  EXPECT_EQ(node(1).installs[1].before.members.size(), 4u);
  EXPECT_EQ(node(1).installs[1].now.members.size(), 3u);
  EXPECT_FALSE(node(1).core().is_member(3));
  EXPECT_TRUE(node(1).core().is_member(0));
}

// --- content up to the cuts ----------------------------------------------------------------------

TEST_F(MemberTest, the_departed_was_heard_further_by_one__expect_that_one_to_serve_the_others) {
  network_.send_to(3, 50);
  network_.kill(3);
  node(0).holds(3, 40);
  node(1).holds(3, 30);
  ASSERT_TRUE(network_.run_until([&] { return !node(2).served.empty(); }));
  EXPECT_EQ(node(2).served.back(), std::make_pair(size_t{3}, uint64_t{50}));
  network_.run_for(kMs / 2);
  // Nobody is ready without it, and no view begins.
  EXPECT_TRUE(node(0).served.empty());
  EXPECT_TRUE(node(1).served.empty());
  ASSERT_FALSE(node(0).fetched.empty());
  ASSERT_FALSE(node(1).fetched.empty());
  EXPECT_EQ(node(0).fetched.back(), std::make_pair(size_t{3}, uint64_t{50}));
  EXPECT_EQ(node(1).fetched.back(), std::make_pair(size_t{3}, uint64_t{50}));
  EXPECT_TRUE(node(2).fetched.empty());
  for (size_t slot = 0; slot < 3; ++slot) EXPECT_EQ(node(slot).installs.size(), 1u);
  node(0).holds(3, 50);
  network_.run_for(kMs / 4);
  for (size_t slot = 0; slot < 3; ++slot) EXPECT_EQ(node(slot).installs.size(), 1u);
  node(1).holds(3, 50);
  ASSERT_TRUE(network_.run_until([&] { return network_.agree_on({1, 2, 3}); }, kMs));
  for (size_t slot = 0; slot < 3; ++slot) {
    const wire::BallotEntry* const entry = node(slot).installs[1].value.find(named(4));
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->cut, 50u);
    EXPECT_EQ(entry->flags, wire::kEntryOld);
  }
}

TEST_F(MemberTest, its_holder_does_not_have_it_either__expect_it_given_up_with_the_view_only) {
  network_.send_to(3, 50);
  network_.kill(3);
  node(0).holds(3, 40);
  node(0).skipped[3] = 50;
  node(1).holds(3, 30);
  ASSERT_TRUE(network_.run_until([&] { return !node(2).served.empty(); }));
  network_.run_for(kMs / 2);
  EXPECT_TRUE(node(0).given_up.empty()) << "nothing is chosen";
  EXPECT_TRUE(node(0).fetched.empty()) << "there is nobody to ask";
  node(1).skipped[3] = 50;
  ASSERT_TRUE(network_.run_until([&] { return network_.agree_on({1, 2, 3}); }));
  for (const size_t slot : {0, 1}) {
    ASSERT_FALSE(node(slot).given_up.empty());
    EXPECT_EQ(node(slot).given_up.back(), std::make_pair(size_t{3}, uint64_t{50}));
  }
  EXPECT_TRUE(node(2).given_up.empty()) << "it has all";
}

TEST_F(MemberTest, who_was_to_depart_comes_back__expect_nothing_of_it_given_up) {
  network_.send_to(3, 50);
  network_.pause(3);
  node(0).holds(3, 40);
  node(0).skipped[3] = 50;
  node(1).holds(3, 30);  // and is not ready: the ballot gets no further
  ASSERT_TRUE(network_.run_until([&] { return !node(2).served.empty(); }));
  network_.resume(3);
  ASSERT_TRUE(network_.run_until([&] { return node(0).skipped[3] == 0; })) << "it stays";
  EXPECT_EQ(node(0).installs.size(), 1u) << "not ready: it has to ask again";
  node(0).holds(3, {});
  node(1).holds(3, {});
  ASSERT_TRUE(network_.run_until([&] { return network_.agree_on({1, 2, 3, 4}); }));
  for (size_t slot = 0; slot < 3; ++slot) EXPECT_TRUE(node(slot).given_up.empty());
}

TEST_F(MemberTest, a_survivors_stream_is_behind__expect_it_waited_for_and_asked_of_nobody_else) {
  network_.send_to(2, 9);
  node(0).holds(2, 5);
  network_.kill(3);
  network_.run_for(3 * kMs);
  EXPECT_EQ(node(1).installs.size(), 1u);
  EXPECT_TRUE(node(0).fetched.empty());  // its sender is there: the stream's own repair does it
  node(0).holds(2, 9);
  ASSERT_TRUE(network_.run_until([&] { return network_.agree_on({1, 2, 3}); }, 5 * kMs));
  EXPECT_EQ(node(0).installs.back().value.find(named(3))->cut, 9u);
}

// --- what is chosen ------------------------------------------------------------------------------

TEST_F(MemberTest, the_view_before_is_not_delivered_yet__expect_no_other_one_before_it_is) {
  node(1).has_settled = false;
  network_.kill(3);
  network_.run_for(20 * kMs);
  EXPECT_FALSE(network_.agree_on({1, 2, 3}));
  EXPECT_EQ(node(1).installs.size(), 1u);
  node(1).has_settled = true;
  EXPECT_TRUE(network_.run_until([&] { return network_.agree_on({1, 2, 3}); }));
}

TEST_F(MemberTest, the_first_installs_are_lost__expect_them_said_again) {
  network_.loses = [&](const Frame& frame, size_t to) {
    return to == 2 && frame.is(BallotPhase::kInstall);
  };
  network_.kill(3);
  ASSERT_TRUE(network_.run_until([&] { return node(0).view().id.epoch == 2; }));
  network_.run_for(kMs);
  EXPECT_EQ(node(2).view().id.epoch, 1u);
  EXPECT_EQ(node(2).state(), State::kRecovering);
  network_.loses = {};
  EXPECT_TRUE(network_.run_until([&] { return network_.agree_on({1, 2, 3}); }, kMs));
  EXPECT_EQ(node(2).view().id.epoch, 2u);
}

TEST_F(MemberTest, every_frame_comes_twice_and_late__expect_each_view_once) {
  // What was said comes again, a while later.
  std::vector<Frame> kept;
  network_.on_frame = [&](const Frame& frame) { kept.push_back(frame); };
  network_.kill(3);
  ASSERT_TRUE(network_.run_until([&] { return network_.agree_on({1, 2, 3}); }));
  network_.on_frame = {};
  for (const Frame& frame : kept) {
    for (size_t slot = 0; slot < 3; ++slot) {
      if (slot == frame.from) continue;
      wire::ControlHeader header;
      ASSERT_EQ(wire::load_control(frame.payload.data(), frame.payload.size(), header),
                counters::DropReason::kNone);
      node(slot).core().accept(frame.from, frame.payload.data(), header, network_.now_ns());
    }
  }
  network_.run_for(10 * kMs);
  EXPECT_TRUE(network_.agree_on({1, 2, 3}));
  EXPECT_EQ(node(0).view().id.epoch, 2u);
  for (size_t slot = 0; slot < 3; ++slot) EXPECT_EQ(node(slot).installs.size(), 2u);
}

// A frame of a coordinator that the test plays: all of the value in one part.
Bytes ballot_frame(const wire::BallotId& id, const View& view, BallotPhase phase,
                   const std::vector<wire::BallotEntry>& entries) {
  Bytes payload(wire::kBallotBytes + entries.size() * wire::kBallotEntryBytes);
  wire::ControlHeader header;
  header.kind = wire::ControlKind::kBallot;
  header.incarnation = id.proposer.incarnation;
  header.data_qpn = id.proposer.qpn;
  header.entries = static_cast<uint16_t>(entries.size());
  wire::store_control_header(header, payload.data());
  wire::BallotFrame ballot;
  ballot.ballot = id;
  ballot.previous_round = view.id.round;
  ballot.previous_coordinator = view.id.coordinator;
  ballot.phase = phase;
  ballot.total = header.entries;
  wire::store_ballot(ballot, payload.data());
  for (size_t i = 0; i < entries.size(); ++i)
    wire::store_ballot_entry(entries[i], payload.data(), i);
  return payload;
}

class PlayedTest : public MemberTest {
 protected:
  static constexpr uint8_t kStays = wire::kEntryOld | wire::kEntryNew;

  void hear(uint8_t proposer, uint64_t round, BallotPhase phase,
            const std::vector<wire::BallotEntry>& entries) {
    const Bytes payload = ballot_frame({2, round, named(proposer)}, node(1).view(), phase, entries);
    wire::ControlHeader header;
    ASSERT_EQ(wire::load_control(payload.data(), payload.size(), header),
              counters::DropReason::kNone);
    core_.accept(proposer - 1u, payload.data(), header, network_.now_ns());
  }
  std::vector<wire::BallotEntry> all_stay() const {
    std::vector<wire::BallotEntry> entries;
    for (uint8_t i = 1; i <= 4; ++i) entries.push_back({named(i), 0, kStays, 0});
    return entries;
  }
  Bytes say(size_t room = 1'000) {
    Bytes payload(room);
    payload.resize(core_.next_control(payload.data(), room, network_.now_ns()));
    return payload;
  }
  wire::VoteFrame answer() {
    const Bytes payload = say();
    EXPECT_EQ(payload.at(1), static_cast<uint8_t>(wire::ControlKind::kVote));
    return wire::load_vote(payload.data());
  }

  MembershipProtocol& core_ = network_.node(1).core();
};

TEST_F(PlayedTest, a_lower_ballot_comes__expect_the_answer_to_name_the_higher) {
  hear(4, 7, BallotPhase::kPrepare, all_stay());
  EXPECT_EQ(answer().ballot, (wire::BallotId{2, 7, named(4)}));
  hear(3, 7, BallotPhase::kPrepare, all_stay());  // of two in one round the higher name
  EXPECT_EQ(answer().ballot, (wire::BallotId{2, 7, named(4)}));
  hear(1, 6, BallotPhase::kPrepare, all_stay());
  EXPECT_EQ(answer().ballot, (wire::BallotId{2, 7, named(4)}));
  hear(1, 8, BallotPhase::kPrepare, all_stay());
  const wire::VoteFrame last = answer();
  EXPECT_EQ(last.ballot, (wire::BallotId{2, 8, named(1)}));
  EXPECT_EQ(last.stage, VoteStage::kPromised);
}

// It never heard of the view before, of which it is a member, and would miss that one's messages.
TEST_F(PlayedTest, a_view_in_which_a_joiner_is_said_to_be_old__expect_it_to_wait_for_its_first) {
  network_.start(4);
  MembershipProtocol& joiner = network_.node(4).core();
  for (uint8_t i = 1; i <= 3; ++i) {
    network_.node(4).open(i - 1u);
    joiner.heard(i - 1u, named(i), network_.now_ns());
  }
  const auto install = [&](uint64_t round, uint8_t flags) {
    auto entries = all_stay();
    entries.pop_back();
    entries.push_back({joiner.self(), 0, flags, 0});
    const Bytes payload =
        ballot_frame({2, round, named(1)}, node(1).view(), BallotPhase::kInstall, entries);
    wire::ControlHeader header;
    ASSERT_EQ(wire::load_control(payload.data(), payload.size(), header),
              counters::DropReason::kNone);
    joiner.accept(0, payload.data(), header, network_.now_ns());
  };
  install(7, kStays);
  EXPECT_EQ(joiner.state(), State::kJoining);
  install(8, wire::kEntryNew);
  EXPECT_EQ(joiner.state(), State::kOperational);
}

// Whatever another ballot offers: what is said of its departed in the meantime counts.
TEST_F(PlayedTest, the_chosen_view_waits_for_content__expect_its_departed_to_depart_until_then) {
  auto entries = all_stay();
  entries[3].flags = wire::kEntryOld;
  for (const BallotPhase phase : {BallotPhase::kPropose, BallotPhase::kAccept})
    hear(1, 7, phase, entries);
  node(1).has_settled = false;
  hear(1, 7, BallotPhase::kInstall, entries);
  hear(3, 8, BallotPhase::kPrepare, all_stay());
  EXPECT_TRUE(core_.departs(3));
  EXPECT_FALSE(core_.departs(0));
  EXPECT_EQ(node(1).installs.size(), 1u);
  node(1).has_settled = true;
  core_.tick(network_.now_ns() + kStepNs);
  EXPECT_EQ(node(1).installs.size(), 2u);
  EXPECT_EQ(node(1).members(), (std::vector<int>{1, 2, 3}));
}

TEST_F(PlayedTest, a_value_that_names_somebody_twice__expect_it_ignored) {
  for (const BallotPhase phase : {BallotPhase::kPrepare, BallotPhase::kPropose,
                                  BallotPhase::kAccept, BallotPhase::kInstall}) {
    auto entries = all_stay();
    entries.push_back({named(2), 0, kStays, 0});  // this node itself
    hear(1, 7, phase, entries);
    entries.back().name = named(3);
    hear(1, 8, phase, entries);
  }
  EXPECT_EQ(node(1).state(), State::kOperational);
  EXPECT_EQ(node(1).installs.size(), 1u);
}

TEST_F(PlayedTest, a_value_of_more_than_a_view_holds__expect_it_ignored) {
  std::vector<wire::BallotEntry> entries = all_stay();
  for (uint8_t i = 5; i <= wire::kMaxMembers + 1; ++i)
    entries.push_back({named(i), 0, wire::kEntryNew, 0});
  hear(1, 7, BallotPhase::kPrepare, entries);
  EXPECT_EQ(node(1).state(), State::kOperational);
  entries.pop_back();
  hear(1, 8, BallotPhase::kPrepare, entries);
  EXPECT_EQ(node(1).state(), State::kRecovering);
}

// The report of the first value is half said when the second one, which is shorter, is accepted.
TEST_F(PlayedTest, another_value_is_accepted_amid_a_report__expect_what_is_said_to_be_of_it) {
  auto longer = all_stay();
  for (uint8_t i = 5; i <= 9; ++i) {
    core_.heard(i - 1u, named(i), network_.now_ns());
    node(1).open(i - 1u);
    longer.push_back({named(i), 0, wire::kEntryOld, 0});
  }
  hear(1, 7, BallotPhase::kAccept, longer);
  EXPECT_EQ(answer().stage, VoteStage::kAccepted);
  hear(1, 8, BallotPhase::kPrepare, all_stay());
  EXPECT_EQ(answer().accepted, (wire::BallotId{2, 7, named(1)}));
  const Bytes part = say(344);  // six entries of nine
  ASSERT_EQ(part.at(1), static_cast<uint8_t>(wire::ControlKind::kBallot));
  EXPECT_EQ(wire::load_ballot(part.data()).phase, BallotPhase::kReport);
  EXPECT_EQ(wire::load_ballot(part.data()).total, 9u);
  hear(1, 8, BallotPhase::kAccept, all_stay());
  EXPECT_EQ(answer().accepted, (wire::BallotId{2, 8, named(1)}));
  for (Bytes next = say(344); !next.empty(); next = say(344)) {
    wire::ControlHeader header;
    ASSERT_EQ(wire::load_control(next.data(), next.size(), header), counters::DropReason::kNone);
    if (header.kind != wire::ControlKind::kBallot) continue;
    EXPECT_EQ(wire::load_ballot(next.data()).total, 4u);
  }
}

// --- safety and an end, at random ----------------------------------------------------------------

// Loss, pauses, partitions and deaths among five; then all is well. Whoever installs an epoch
// installs the same members and cuts; views go up; in the end those alive agree.
void disturb(CoreNetwork& network, base::SplitMix64& random) {
  const size_t slot = random.below(5);
  switch (random.below(4)) {
    case 0:
      network.pause(slot);
      break;
    case 1:
      network.resume(slot);
      break;
    case 2: {
      const uint64_t side = random.below(32);
      network.loses = [&random, side](const Frame& frame, size_t to) {
        return ((side >> frame.from) & 1) != ((side >> to) & 1) || random.below(8) == 0;
      };
      break;
    }
    default:
      network.loses = [&random](const Frame&, size_t) { return random.below(6) == 0; };
  }
}

void expect_one_view_an_epoch(CoreNetwork& network) {
  std::map<uint64_t, const TestNode::Install*> of_epoch;
  for (size_t slot = 0; slot < 5; ++slot) {
    uint64_t epoch = 0;
    for (const auto& install : network.node(slot).installs) {
      EXPECT_GT(install.now.id.epoch, epoch);
      epoch = install.now.id.epoch;
      const auto [at, first] = of_epoch.emplace(epoch, &install);
      EXPECT_EQ(at->second->now.members, install.now.members) << "epoch " << epoch;
      EXPECT_EQ(at->second->value.entries, install.value.entries) << "epoch " << epoch;
    }
  }
}

bool all_agree_or_are_out(CoreNetwork& network) {
  std::optional<wire::ViewId> id;
  for (size_t slot = 0; slot < 5; ++slot) {
    const TestNode& node = network.node(slot);
    if (node.state() == State::kExcluded) continue;
    if (node.state() != State::kOperational || id.value_or(node.view().id) != node.view().id)
      return false;
    id = node.view().id;
  }
  return id.has_value();
}

TEST(Member, disturbed_at_random__expect_one_view_an_epoch) {
  size_t views = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CoreNetwork network(5);
    ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5}); }));
    base::SplitMix64 random(seed);
    for (int event = 0; event < 12; ++event) {
      disturb(network, random);
      for (size_t slot = 0; slot < 5; ++slot) network.send_to(slot, network.now_ns() / 1'000);
      network.run_for(random.below(4 * kMs));
    }
    expect_one_view_an_epoch(network);
    for (size_t slot = 0; slot < 5; ++slot) network.resume(slot);
    network.loses = {};
    EXPECT_TRUE(network.run_until([&] { return all_agree_or_are_out(network); }));
    expect_one_view_an_epoch(network);
    for (size_t slot = 0; slot < 5; ++slot) views += network.node(slot).installs.size() - 1;
  }
  EXPECT_GT(views, 200u);  // else nothing was disturbed
}

}  // namespace
}  // namespace lambdacast::membership
