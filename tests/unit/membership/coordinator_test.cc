// SPDX-License-Identifier: BSD-3-Clause
// Membership as a coordinator (lib/membership/coordinator.cc).
#include <gtest/gtest.h>

#include "core_network.h"

namespace lambdacast::membership {
namespace {

using wire::BallotPhase;
using wire::VoteStage;

TEST(Coordinator, the_coordinator_dies__expect_the_next_rank_to_follow_in_one_round) {
  CoreNetwork network(5);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5}); }));
  network.kill(0);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({2, 3, 4, 5}); }));
  EXPECT_EQ(network.node(1).core().counters().rounds, 1u);
  EXPECT_EQ(network.node(1).view().id.coordinator, named(2).incarnation);
  EXPECT_EQ(network.node(1).view().id.epoch, 2u);
}

TEST(Coordinator, answers_take_longer_than_it_looks__expect_one_round_nevertheless) {
  CoreNetwork network(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  network.delay_ns = 300'000;  // more than retry, and than half a heartbeat
  network.kill(0);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({2, 3}); }));
  EXPECT_EQ(network.node(1).core().counters().rounds, 1u);
}

TEST(Coordinator, all_but_one_of_two_die__expect_the_survivor_to_wait_for_a_quorum) {
  CoreNetwork network(2);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2}); }));
  network.kill(1);
  network.run_for(10 * kMs);
  EXPECT_EQ(network.node(0).view().id.epoch, 1u);
  EXPECT_TRUE(network.node(0).core().stranded());
}

TEST(Coordinator, one_node_is_enough_for_a_view__expect_it_alone_in_one) {
  CoreNetwork network(1);
  EXPECT_TRUE(network.run_until([&] { return network.agree_on({1}); }));
}

// --- joins ---------------------------------------------------------------------------------------

TEST(Coordinator, two_come_within_two_heartbeats__expect_one_view_with_both_behind_the_old) {
  CoreNetwork network(3);
  network.kill(0);
  network.kill(1);
  network.kill(2);
  network.set_initial(2);
  network.start(2);
  network.start(4);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({3, 5}); }));
  network.start(3);
  network.run_for(50'000);
  network.start(0);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({3, 5, 1, 4}); }, 5 * kMs));
  EXPECT_EQ(network.node(2).view().id.epoch, 2u);
  ASSERT_EQ(network.node(0).installs.size(), 1u);
  EXPECT_EQ(network.node(0).installs[0].before.size(), 0u);  // it was in none
  EXPECT_EQ(network.node(4).installs[1].before.size(), 2u);
}

TEST(Coordinator, a_joiner_that_does_not_hear_a_member__expect_it_kept_out) {
  CoreNetwork network(2);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2}); }));
  network.start(2);
  network.node(2).never_open(1);
  network.run_for(10 * kMs);
  EXPECT_EQ(network.node(0).view().id.epoch, 1u);
  EXPECT_EQ(network.node(2).state(), State::kJoining);
}

TEST(Coordinator, a_joiner_dies_while_it_is_let_in__expect_the_others_to_go_on_without_it) {
  CoreNetwork network(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  network.start(3);
  ASSERT_TRUE(network.run_until([&] { return network.node(1).state() == State::kRecovering; }));
  network.kill(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  EXPECT_EQ(network.node(0).view().id.epoch, 2u);
}

// --- leaving -------------------------------------------------------------------------------------

TEST(Coordinator, a_member_leaves__expect_a_view_without_it_soon_and_it_told_so) {
  CoreNetwork network(4);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4}); }));
  network.node(2).core().leave();
  ASSERT_TRUE(network.run_until([&] { return network.node(2).state() == State::kExcluded; }, kMs));
  EXPECT_EQ(network.node(2).exclusions, std::vector<bool>{true});
  EXPECT_TRUE(network.node(2).core().left());
  network.kill(2);
  EXPECT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 4}); }, kMs));
  EXPECT_EQ(network.node(0).core().counters().rounds, 2u);
}

TEST(Coordinator, the_coordinator_leaves__expect_the_next_rank_to_let_it_out) {
  CoreNetwork network(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  network.node(0).core().leave();
  ASSERT_TRUE(
      network.run_until([&] { return network.node(0).state() == State::kExcluded; }, 3 * kMs));
  network.kill(0);
  EXPECT_TRUE(network.run_until([&] { return network.agree_on({2, 3}); }, kMs));
}

// Whoever leaves votes: without its vote the other one would be no quorum.
TEST(Coordinator, one_of_two_leaves__expect_the_other_alone_in_a_view) {
  CoreNetwork network(2);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2}); }));
  network.node(1).core().leave();
  ASSERT_TRUE(
      network.run_until([&] { return network.node(0).members() == std::vector{1}; }, 5 * kMs));
  network.run_for(kMs);
  EXPECT_EQ(network.node(1).exclusions, std::vector<bool>{true});
}

// A view of newcomers alone would know nothing of the one before.
TEST(Coordinator, the_last_member_leaves_while_another_joins__expect_a_view_of_both_first) {
  CoreNetwork network(1);
  ASSERT_TRUE(network.run_until([&] { return network.node(0).view().id.epoch == 1; }));
  network.start(1);
  network.run_for(20'000);
  network.node(0).core().leave();
  ASSERT_TRUE(network.run_until([&] { return network.node(0).state() == State::kExcluded; }));
  ASSERT_TRUE(network.run_until([&] { return network.node(1).members() == std::vector{2}; }));
  ASSERT_EQ(network.node(1).installs.size(), 2u);
  EXPECT_EQ(network.node(1).installs[0].now.size(), 2u);
  EXPECT_EQ(network.node(1).view().id.epoch, 3u);
}

TEST(Coordinator, all_leave_at_once__expect_one_after_the_other_out) {
  CoreNetwork network(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  for (size_t slot = 0; slot < 3; ++slot) network.node(slot).core().leave();
  ASSERT_TRUE(network.run_until([&] {
    for (size_t slot = 0; slot < 3; ++slot) {
      if (network.node(slot).state() != State::kExcluded) return false;
    }
    return true;
  }));
  for (size_t slot = 0; slot < 3; ++slot)
    EXPECT_EQ(network.node(slot).exclusions, std::vector<bool>{true});
  EXPECT_EQ(network.node(0).view().id.epoch, 2u);  // of itself alone
}

// --- values that were accepted -------------------------------------------------------------------

// The coordinator dies when one member has accepted, or all have, and none has heard INSTALL.
void die_after_acceptance(size_t acceptances) {
  CoreNetwork network(5);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5}); }));
  network.send_to(4, 77);
  network.kill(4);
  size_t accepted = 0;
  network.loses = [&](const Frame& frame, size_t) {
    return frame.from == 0 && frame.is(BallotPhase::kInstall);
  };
  network.on_frame = [&](const Frame& frame) {
    if (frame.is(VoteStage::kAccepted) && frame.from != 0) ++accepted;
  };
  ASSERT_TRUE(network.run_until([&] { return accepted >= acceptances; }));
  network.kill(0);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({2, 3, 4}); }));
  // What was accepted came first, with the dead coordinator in it.
  for (size_t slot = 1; slot < 4; ++slot) {
    ASSERT_EQ(network.node(slot).installs.size(), 3u) << slot;
    const auto& adopted = network.node(slot).installs[1];
    EXPECT_EQ(adopted.now.id.epoch, 2u);
    EXPECT_EQ(adopted.now.size(), 4u);
    EXPECT_EQ(adopted.now.members[0], named(1));
    EXPECT_EQ(adopted.value.find(named(5))->cut, 77u);
  }
}

TEST(Coordinator, it_dies_when_one_has_accepted__expect_that_value_adopted) {
  die_after_acceptance(1);
}

TEST(Coordinator, it_dies_when_all_have_accepted__expect_that_value_adopted) {
  die_after_acceptance(3);
}

// It has installed what the others learn of by the next coordinator: one view, one name.
TEST(Coordinator, the_value_was_installed_by_one__expect_the_same_view_of_all) {
  CoreNetwork network(5);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5}); }));
  network.kill(4);
  bool cut_off = false;
  network.loses = [&](const Frame& frame, size_t to) {
    return (frame.from == 0 && frame.is(BallotPhase::kInstall)) ||
           (cut_off && (frame.from == 0 || to == 0));
  };
  ASSERT_TRUE(network.run_until([&] { return network.node(0).view().id.epoch == 2; }));
  cut_off = true;
  ASSERT_TRUE(network.run_until([&] { return network.node(2).view().id.epoch == 2; }));
  EXPECT_EQ(network.node(2).view().id, network.node(0).view().id);
  EXPECT_EQ(network.node(2).members(), network.node(0).members());
}

// One that did not accept a first view says so to all but one that did: it would wait for that view
// for ever, and a dead member's next life for its stream.
TEST(Coordinator, the_word_that_a_first_view_is_none_is_lost__expect_it_asked_for_again) {
  CoreNetwork network(4);
  bool lost = false;
  network.loses = [&](const Frame& frame, size_t to) {
    if (frame.from == 0 && frame.is(BallotPhase::kAccept) && to == 2) return true;
    const bool word = frame.from == 2 && to == 1 && frame.is(VoteStage::kPromised) &&
                      wire::load_vote(frame.payload.data()).ballot.round > 1;
    if (!word || lost) return false;
    return lost = true;
  };
  size_t accepted = 0;
  network.on_frame = [&](const Frame& frame) {
    if (frame.is(VoteStage::kAccepted) && frame.from != 0) ++accepted;
  };
  ASSERT_TRUE(network.run_until([&] { return accepted == 2; }));
  network.kill(3);
  network.start(3);
  network.node(3).never_open(1);  // who holds on to its earlier life does not let it in
  ASSERT_TRUE(network.run_until([&] { return lost; }));
  EXPECT_TRUE(network.node(1).holds_on);
  EXPECT_TRUE(network.run_until([&] { return !network.node(1).holds_on; }, 10 * kMs));
  EXPECT_EQ(network.node(0).view().id.epoch, 0u);
}

// Of four, one has installed the first view and one died with it; the others lack that one's stream
// and cannot follow. Their votes are needed for the next view.
TEST(Coordinator, most_members_cannot_come_along__expect_a_view_that_they_vote_for_and_are_not_in) {
  CoreNetwork network(4);
  network.node(0).on_install = [&] {
    network.node(1).never_open(3);
    network.node(2).never_open(3);
    network.kill(3);
  };
  network.loses = [](const Frame& frame, size_t to) {
    return to == 3 && frame.is(BallotPhase::kInstall);
  };
  ASSERT_TRUE(network.run_until([&] {
    return network.node(1).state() == State::kExcluded &&
           network.node(2).state() == State::kExcluded;
  }));
  EXPECT_TRUE(network.node(1).installs.empty());
  EXPECT_EQ(network.node(0).view().id.epoch, 2u);
  EXPECT_EQ(network.node(0).members(), std::vector{1});
}

// It comes along while the ballot without it is on its way, and says so before it votes.
TEST(Coordinator, who_stayed_behind_comes_along_now__expect_it_to_stay) {
  CoreNetwork network(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  network.kill(2);
  bool without_it = false;
  network.on_frame = [&](const Frame& frame) {
    if (without_it) return;
    if (frame.from == 1 && frame.is(wire::VoteStage::kAccepted))
      network.node(1).has_settled = false;
    if (frame.from != 0 || !frame.is(BallotPhase::kPrepare)) return;
    if (wire::load_ballot(frame.payload.data()).ballot.epoch != 3) return;
    without_it = true;
    network.node(1).has_settled = true;
  };
  ASSERT_TRUE(network.run_until([&] { return without_it; }));
  EXPECT_TRUE(network.run_until([&] { return network.agree_on({1, 2}); }));
  EXPECT_TRUE(network.node(1).exclusions.empty());
}

// --- two coordinators ----------------------------------------------------------------------------

// 1 and 2 do not hear each other's heartbeats, and both think that they lead.
TEST(Coordinator, two_at_once__expect_one_view_an_epoch_and_an_end) {
  CoreNetwork network(5);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5}); }));
  network.loses = [](const Frame& frame, size_t to) {
    return (frame.from == 0 && to == 1) || (frame.from == 1 && to == 0);
  };
  network.run_for(40 * kMs);
  std::map<uint64_t, View> of_epoch;
  size_t newest = 0;
  for (size_t slot = 0; slot < 5; ++slot) {
    for (const auto& install : network.node(slot).installs) {
      const auto [at, first] = of_epoch.emplace(install.now.id.epoch, install.now);
      EXPECT_EQ(at->second.members, install.now.members) << "epoch " << install.now.id.epoch;
      EXPECT_EQ(at->second.id, install.now.id);
    }
    newest = std::max(newest, network.node(slot).installs.size());
  }
  EXPECT_EQ(newest, 2u);  // one of the two is out, and that was it
}

}  // namespace
}  // namespace lambdacast::membership
