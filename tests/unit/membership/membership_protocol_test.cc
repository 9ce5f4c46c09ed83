// SPDX-License-Identifier: BSD-3-Clause
#include "membership/membership_protocol.h"

#include <gtest/gtest.h>

#include "core_network.h"

namespace lambdacast::membership {
namespace {

TEST(MembershipProtocol, three_nodes_start__expect_one_first_view_by_name) {
  CoreNetwork network(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }, 5 * kMs));
  for (size_t slot = 0; slot < 3; ++slot) {
    TestNode& node = network.node(slot);
    EXPECT_EQ(node.view().id.epoch, 1u);
    EXPECT_EQ(node.core().own_rank(), slot);
    EXPECT_EQ(node.core().peer_of(slot), kSlots);
    ASSERT_EQ(node.installs.size(), 1u);
    EXPECT_EQ(node.installs[0].before.size(), 0u);
    EXPECT_GE(node.promises, 1);
  }
  network.run_for(20 * kMs);
  EXPECT_TRUE(network.agree_on({1, 2, 3}));
  EXPECT_EQ(network.node(0).core().counters().views, 1u);
}

TEST(MembershipProtocol, one_of_the_initial_nodes_is_missing__expect_no_view) {
  CoreNetwork network(3);
  network.kill(2);
  network.run_for(20 * kMs);
  EXPECT_EQ(network.node(0).state(), State::kJoining);
  EXPECT_EQ(network.node(1).state(), State::kJoining);
}

// --- who vouches for whom ------------------------------------------------------------------------

TEST(MembershipProtocol, in_a_view__expect_every_other_member_to_vouch) {
  CoreNetwork network(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  for (size_t slot = 0; slot < 3; ++slot) network.node(slot).vouchers.clear();
  network.run_for(kMs);
  EXPECT_EQ(network.node(0).vouchers, (std::set<size_t>{1, 2}));
  EXPECT_EQ(network.node(2).vouchers, (std::set<size_t>{0, 1}));
}

TEST(MembershipProtocol, a_member_suspects_another_or_votes__expect_it_not_to_vouch) {
  CoreNetwork network(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  network.loses = [](const Frame& frame, size_t) { return frame.from == 0; };
  const auto about_to_exclude = [&] {
    return network.node(1).core().suspects(0) || network.node(1).state() != State::kOperational;
  };
  ASSERT_TRUE(network.run_until(about_to_exclude));
  network.run_for(20'000);  // what it said before has arrived
  network.node(0).vouchers.clear();
  network.run_for(300'000);
  EXPECT_FALSE(network.node(0).vouchers.contains(1));
  EXPECT_FALSE(network.node(0).vouchers.contains(2));
}

// --- suspicion -----------------------------------------------------------------------------------

TEST(MembershipProtocol, a_member_falls_silent__expect_a_view_without_it_after_suspect_after) {
  CoreNetwork network(4);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4}); }));
  network.kill(1);
  network.run_for(1'700'000);  // 2 ms less the age of its last heartbeat, at most
  EXPECT_FALSE(network.node(0).core().suspects(1));
  EXPECT_EQ(network.node(0).view().id.epoch, 1u);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 3, 4}); }, 3 * kMs));
  EXPECT_EQ(network.node(2).core().own_rank(), 1u);
  EXPECT_EQ(network.node(0).view().id.epoch, 2u);
  EXPECT_EQ(network.node(0).installs.back().before.size(), 4u);
  EXPECT_GE(network.node(0).core().counters().suspicions, 1u);
}

TEST(MembershipProtocol, a_node_that_was_not_run__expect_it_to_accuse_nobody) {
  CoreNetwork network(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  network.pause(2);
  network.run_for(1'500'000);
  // What came meanwhile is lost too: it wakes to silence.
  network.loses = [](const Frame&, size_t to) { return to == 2; };
  network.resume(2);
  network.run_for(400'000);
  EXPECT_FALSE(network.node(2).core().suspects(0));
  network.loses = {};
  network.run_for(10 * kMs);
  EXPECT_EQ(network.node(2).view().id.epoch, 1u);
  EXPECT_GE(network.node(2).core().counters().starved, 1u);
  EXPECT_EQ(network.node(2).core().counters().suspicions, 0u);
}

TEST(MembershipProtocol, all_stand_still_for_long__expect_no_other_view) {
  CoreNetwork network(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  for (size_t slot = 0; slot < 3; ++slot) network.pause(slot);
  network.run_for(30 * kMs);
  for (size_t slot = 0; slot < 3; ++slot) network.resume(slot);
  network.run_for(20 * kMs);
  EXPECT_TRUE(network.agree_on({1, 2, 3}));
  EXPECT_EQ(network.node(0).view().id.epoch, 1u);
}

TEST(MembershipProtocol, a_member_never_comes_along_to_the_view__expect_one_without_it) {
  CoreNetwork network(3);
  network.loses = [](const Frame& frame, size_t to) {
    return to == 2 && frame.is(wire::BallotPhase::kInstall);
  };
  ASSERT_TRUE(network.run_until([&] { return network.node(1).view().size() == 3; }));
  network.run_for(3 * kMs);
  EXPECT_EQ(network.node(0).view().size(), 3u);  // it has time
  ASSERT_TRUE(network.run_until([&] { return network.node(2).state() == State::kExcluded; }));
  EXPECT_EQ(network.node(0).members(), (std::vector{1, 2}));
}

// Frames are taken before the tick of the same turn: what came is not as old as the turn before.
TEST(MembershipProtocol, a_turn_takes_long__expect_silence_counted_from_the_frame_heard_in_it) {
  CoreNetwork network(2);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2}); }));
  MembershipProtocol& core = network.node(0).core();
  const uint64_t now_ns = network.now_ns() + 90'000;  // less than a heartbeat
  core.heard(1, core.view().members[1], now_ns);
  core.tick(now_ns);
  EXPECT_EQ(core.silent_ns(1), 0u);
}

TEST(MembershipProtocol, ticks_without_listening__expect_silence_not_to_count) {
  CoreNetwork network(2);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2}); }));
  MembershipProtocol& core = network.node(0).core();
  uint64_t now_ns = network.now_ns();
  for (int i = 0; i < 100; ++i) core.tick(now_ns += 50'000, false);
  core.tick(now_ns += 10'000);
  EXPECT_FALSE(core.suspects(1));
  for (int i = 0; i < 100; ++i) core.tick(now_ns += 50'000);
  EXPECT_TRUE(core.suspects(1));
}

TEST(MembershipProtocol, a_newer_life_of_a_member__expect_the_old_one_out_at_once) {
  CoreNetwork network(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  network.kill(2);
  network.start(2);
  const uint64_t since_ns = network.now_ns();
  ASSERT_TRUE(network.run_until([&] { return network.node(0).members() == std::vector{1, 2}; }));
  EXPECT_LT(network.now_ns() - since_ns, 1'500'000u);  // suspect_after is 2 ms
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  EXPECT_EQ(network.node(0).view().members[2], named(3, 2));
}

TEST(MembershipProtocol, a_member_is_buried__expect_a_view_without_it_in_a_few_round_trips) {
  CoreNetwork network(4);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4}); }));
  network.kill(0);
  network.node(1).core().bury(named(1));
  EXPECT_TRUE(network.run_until([&] { return network.agree_on({2, 3, 4}); }, kMs / 5));
}

TEST(MembershipProtocol, a_frame_of_an_older_life__expect_it_ignored) {
  CoreNetwork network(2);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2}); }));
  MembershipProtocol& core = network.node(0).core();
  core.heard(1, named(2, 0), network.now_ns());
  network.run_for(kMs);
  EXPECT_FALSE(core.suspects(1));
  EXPECT_TRUE(network.agree_on({1, 2}));
}

// --- accusation ----------------------------------------------------------------------------------

TEST(MembershipProtocol, one_member_alone_does_not_hear_another__expect_the_accused_out) {
  CoreNetwork network(5);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5}); }));
  network.loses = [](const Frame& frame, size_t to) { return frame.from == 3 && to == 1; };
  ASSERT_TRUE(network.run_until(
      [&] {
        return network.node(0).members() == std::vector{1, 2, 3, 5};
      },
      10 * kMs));
  network.run_for(kMs);
  EXPECT_EQ(network.node(1).members(), (std::vector{1, 2, 3, 5}));
}

TEST(MembershipProtocol, a_member_hears_nobody__expect_it_out_and_not_those_whom_it_accuses) {
  CoreNetwork network(5);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5}); }));
  network.loses = [](const Frame&, size_t to) { return to == 2; };
  ASSERT_TRUE(network.run_until(
      [&] {
        return network.node(0).members() == std::vector{1, 2, 4, 5};
      },
      10 * kMs));
  network.run_for(10 * kMs);
  EXPECT_EQ(network.node(0).view().id.epoch, 2u);
}

TEST(MembershipProtocol, a_member_hears_the_coordinator_alone__expect_it_out_and_not_the_most) {
  CoreNetwork network(5);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5}); }));
  network.loses = [](const Frame& frame, size_t to) { return to == 2 && frame.from != 0; };
  ASSERT_TRUE(network.run_until(
      [&] {
        return network.node(0).members() == std::vector{1, 2, 4, 5};
      },
      10 * kMs));
}

// An older frame that says that the speaker leaves, behind a newer one that does not.
TEST(MembershipProtocol, member_frames_out_of_order__expect_the_newest_to_count) {
  CoreNetwork network(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  Bytes payload(wire::kMemberBytes);
  wire::ControlHeader header;
  header.kind = wire::ControlKind::kMember;
  header.incarnation = 1;
  header.data_qpn = 0x100;
  header.flags = wire::kMemberLeaving;
  const auto hear = [&](uint64_t timestamp_ns) {
    header.timestamp_ns = timestamp_ns;
    wire::store_control_header(header, payload.data());
    wire::store_member({network.node(0).view().id, State::kOperational, 0, 3, {}}, payload.data());
    network.node(0).core().accept(2, payload.data(), header, network.now_ns());
    network.loses = [](const Frame& frame, size_t) {
      return frame.from == 2 && frame.kind() == wire::ControlKind::kMember;
    };
    network.run_for(200'000);
    network.loses = {};
  };
  hear(kStepNs);
  network.run_for(5 * kMs);
  EXPECT_TRUE(network.agree_on({1, 2, 3}));
  EXPECT_EQ(network.node(0).view().id.epoch, 1u);
  hear(network.now_ns() + 1);
  network.run_for(5 * kMs);
  EXPECT_GT(network.node(0).view().id.epoch, 1u);
}

// Whom a member suspected in the view before says nothing of this one, where the ranks are others.
TEST(MembershipProtocol,
     a_member_is_heard_of_by_its_vote_alone__expect_its_old_suspicion_forgotten) {
  CoreNetwork network(5);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5}); }));
  network.loses = [](const Frame& frame, size_t to) {
    return frame.from == 3 && to == 0 && frame.kind() == wire::ControlKind::kMember &&
           wire::load_member(frame.payload.data()).view.epoch == 2;
  };
  network.kill(1);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 3, 4, 5}); }));
  network.node(4).core().leave();
  ASSERT_TRUE(network.run_until([&] { return network.node(0).view().id.epoch == 3; }));
  EXPECT_EQ(network.node(0).members(), (std::vector{1, 3, 4}));
}

TEST(MembershipProtocol, a_member_is_excluded__expect_that_life_of_it_known_and_not_the_next) {
  CoreNetwork network(3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  const uint64_t incarnation = network.node(2).core().self().incarnation;
  EXPECT_FALSE(network.node(0).core().has_expelled(2, incarnation));
  network.kill(2);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2}); }));
  EXPECT_TRUE(network.node(0).core().has_expelled(2, incarnation));
  EXPECT_FALSE(network.node(0).core().has_expelled(2, incarnation + 1));
}

// --- partitions ----------------------------------------------------------------------------------

// The nodes from `first_of_b` on hear nobody of those before, nor the other way round.
void split(CoreNetwork& network, size_t first_of_b) {
  network.loses = [=](const Frame& frame, size_t to) {
    return (frame.from < first_of_b) != (to < first_of_b);
  };
}

// Whatever else it says, which the others hear: it takes no part in the view any more.
TEST(MembershipProtocol,
     a_member_leaves_of_its_own_accord__expect_the_others_told_and_silence_then) {
  for (const size_t slot : {0, 2}) {
    CoreNetwork network(3);
    ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
    network.node(slot).core().abandon();
    EXPECT_EQ(network.node(slot).exclusions, std::vector<bool>{false});
    const auto heard = [&] {
      for (size_t other = 0; other < 3; ++other) {
        if (other != slot)
          network.node(other).core().heard(slot, network.node(slot).core().self(),
                                           network.now_ns());
      }
    };
    size_t lost = 0;
    network.loses = [&](const Frame& frame, size_t) { return frame.from == slot && ++lost < 9; };
    const auto gone_on = [&] {
      heard();
      return network.node(1).view().size() == 2 && network.node(2 - slot).view().size() == 2;
    };
    ASSERT_TRUE(network.run_until(gone_on, 2 * kMs)) << "not after the silence that there is not";
    network.run_for(kMs);
    size_t said = 0;
    network.on_frame = [&](const Frame& frame) { said += frame.from == slot ? 1 : 0; };
    network.run_for(5 * kMs);
    EXPECT_EQ(said, 0u);
    EXPECT_EQ(network.node(slot).exclusions.size(), 1u);
  }
}

TEST(MembershipProtocol, a_minority_is_cut_off__expect_it_stranded_and_told_when_it_is_back) {
  CoreNetwork network(5);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5}); }));
  split(network, 3);
  network.run_for(10 * kMs);
  for (size_t slot = 0; slot < 3; ++slot)
    EXPECT_EQ(network.node(slot).members(), (std::vector{1, 2, 3}));
  for (size_t slot = 3; slot < 5; ++slot) {
    EXPECT_EQ(network.node(slot).view().id.epoch, 1u);
    EXPECT_EQ(network.node(slot).state(), State::kRecovering);
    EXPECT_TRUE(network.node(slot).core().stranded());
  }
  EXPECT_FALSE(network.node(0).core().stranded());
  network.loses = {};
  network.run_for(10 * kMs);
  for (size_t slot = 3; slot < 5; ++slot) {
    EXPECT_EQ(network.node(slot).state(), State::kExcluded);
    EXPECT_EQ(network.node(slot).exclusions, std::vector<bool>{false});
    EXPECT_FALSE(network.node(slot).core().left());
    EXPECT_EQ(network.node(slot).core().next_deadline_ns(), ~uint64_t{0});
  }
}

TEST(MembershipProtocol,
     halves_without_a_tie_breaker__expect_no_view_of_either_and_one_when_healed) {
  CoreNetwork network(4);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4}); }));
  split(network, 2);
  network.run_for(10 * kMs);
  for (size_t slot = 0; slot < 4; ++slot) {
    EXPECT_EQ(network.node(slot).view().id.epoch, 1u);
    EXPECT_TRUE(network.node(slot).core().stranded());
  }
  network.loses = {};
  EXPECT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4}); }));
  EXPECT_GE(network.node(0).view().id.epoch, 2u);
}

TEST(MembershipProtocol, halves_with_a_tie_breaker__expect_the_view_of_its_half_alone) {
  CoreNetwork network(4, [](MembershipConfig& config) { config.tie_breaker = named(4).gid; });
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4}); }));
  split(network, 2);
  network.run_for(10 * kMs);
  EXPECT_EQ(network.node(2).members(), (std::vector{3, 4}));
  EXPECT_EQ(network.node(3).members(), (std::vector{3, 4}));
  EXPECT_EQ(network.node(0).view().id.epoch, 1u);
  EXPECT_TRUE(network.node(1).core().stranded());
}

TEST(MembershipProtocol, fewer_than_the_minimum_partition__expect_no_view_even_with_a_majority) {
  CoreNetwork network(3, [](MembershipConfig& config) { config.minimum_partition = 3; });
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3}); }));
  network.kill(2);
  network.run_for(10 * kMs);
  EXPECT_EQ(network.node(0).view().id.epoch, 1u);
  network.start(2);
  network.run_for(10 * kMs);
  EXPECT_EQ(network.node(0).view().id.epoch, 1u);  // no view without the old life first
}

}  // namespace
}  // namespace lambdacast::membership
