// SPDX-License-Identifier: BSD-3-Clause
#include "membership/failure_detector.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "names.h"

namespace lambdacast::membership {
namespace {

using State = wire::MemberState;

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kSuspectNs = 2 * kMs;

// Node 1 is rank 0 of five; node i is peer i - 2.
class FailureDetectorTest : public ::testing::Test {
 protected:
  static constexpr size_t kNodes = 5;

  void SetUp() override {
    view_.id = {3, 1, 1};
    for (uint8_t node = 1; node <= kNodes; ++node) view_.members.push_back(named(node));
    hear_all();
    detector_.watch(view_, 0);
  }
  static MembershipConfig config() {
    MembershipConfig config;
    config.self = named(1);
    config.max_peers = 8;
    config.heartbeat_ns = kMs / 10;
    config.suspect_after_ns = kSuspectNs;
    return config;
  }
  static size_t peer_of(uint8_t node) { return node - 2u; }
  void hear(uint8_t node, uint32_t incarnation = 1) {
    detector_.heard(peer_of(node), named(node, incarnation), now_ns_);
  }
  void hear_all() {
    for (uint8_t node = 2; node <= kNodes; ++node) hear(node);
  }
  // Time passes in steps that starve nobody, and only these nodes are heard.
  void pass(uint64_t ns, const std::vector<uint8_t>& heard = {}) {
    for (const uint64_t end_ns = now_ns_ + ns; now_ns_ < end_ns;) {
      detector_.pass(now_ns_ += kMs / 20);
      for (const uint8_t node : heard) hear(node);
    }
  }
  // The node says in a member frame whom it suspects, by rank.
  bool say(uint8_t node, const std::vector<size_t>& suspects, uint8_t flags = 0,
           State state = State::kOperational) {
    wire::ControlHeader header;
    header.timestamp_ns = ++clock_;
    header.flags = flags;
    wire::MemberFrame frame;
    frame.view = state == State::kJoining ? wire::ViewId{} : view_.id;
    frame.state = state;
    for (const size_t rank : suspects) frame.suspects.add(rank);
    return detector_.take(peer_of(node), header, frame);
  }
  static base::NodeSet ranks(const std::vector<size_t>& list) {
    base::NodeSet out;
    for (const size_t rank : list) out.add(rank);
    return out;
  }

  View view_;
  FailureDetector detector_{config()};
  uint64_t now_ns_ = kMs;
  uint64_t clock_ = 0;
};

TEST_F(FailureDetectorTest, a_member_is_silent__expect_it_suspected_after_suspect_after) {
  pass(kSuspectNs - kMs / 10, {2, 3, 4});
  EXPECT_FALSE(detector_.look());
  pass(kMs / 5, {2, 3, 4});
  EXPECT_TRUE(detector_.look());
  EXPECT_EQ(detector_.suspected(), ranks({4}));
  EXPECT_FALSE(detector_.look()) << "nobody new";
  EXPECT_EQ(detector_.suspicions(), 1u);
  EXPECT_GT(detector_.silent_ns(4), kSuspectNs);
  EXPECT_EQ(detector_.silent_ns(0), 0u);
  hear(5);
  EXPECT_FALSE(detector_.look());
  EXPECT_TRUE(detector_.suspected().empty());
}

TEST_F(FailureDetectorTest, this_node_was_not_run__expect_one_heartbeat_counted) {
  detector_.pass(now_ns_ += 100 * kMs);
  EXPECT_FALSE(detector_.look());
  EXPECT_TRUE(detector_.take_starved());
  EXPECT_FALSE(detector_.take_starved()) << "it was asked";
  EXPECT_EQ(detector_.starved(), 1u);
}

TEST_F(FailureDetectorTest, time_is_skipped__expect_silence_not_to_count) {
  for (int i = 0; i < 100; ++i) detector_.skip(now_ns_ += kMs / 20);
  EXPECT_FALSE(detector_.look());
}

TEST_F(FailureDetectorTest, a_newer_life_of_a_member__expect_the_older_one_suspected_at_once) {
  hear(3, 2);
  EXPECT_TRUE(detector_.look());
  EXPECT_EQ(detector_.suspected(), ranks({2}));
  hear(3, 1);  // late
  EXPECT_EQ(detector_.at(peer_of(3)).name.incarnation, 2u);
}

TEST_F(FailureDetectorTest, an_older_life_behind_a_silence__expect_it_to_be_the_peer) {
  hear(3, 9);
  pass(kSuspectNs / 2);
  hear(3, 4);
  EXPECT_EQ(detector_.at(peer_of(3)).name.incarnation, 9u) << "a late frame";
  pass(kSuspectNs);
  hear(3, 4);
  EXPECT_EQ(detector_.at(peer_of(3)).name.incarnation, 4u);
}

// This node takes the last frames of life 9 after another node took life 4 into the view.
TEST_F(FailureDetectorTest, a_view_names_an_older_number_heard_last__expect_it_to_be_the_peer) {
  hear(3, 9);
  hear(3, 4);
  view_.members[2] = named(3, 4);
  detector_.watch(view_, 0);
  EXPECT_EQ(detector_.at(peer_of(3)).name.incarnation, 4u);
  EXPECT_FALSE(detector_.look());
  EXPECT_TRUE(detector_.over().empty());
  hear(3, 9);
  EXPECT_TRUE(detector_.look()) << "a newer life proves that the member is dead";
}

TEST_F(FailureDetectorTest, a_view_names_an_older_number_heard_before__expect_it_to_be_over) {
  hear(3, 9);
  hear(3, 4);
  hear(3, 9);
  view_.members[2] = named(3, 4);
  detector_.watch(view_, 0);
  EXPECT_TRUE(detector_.look());
  EXPECT_EQ(detector_.over(), ranks({2}));
}

TEST_F(FailureDetectorTest, a_view_names_an_older_number_that_is_buried__expect_it_to_be_over) {
  hear(3, 9);
  hear(3, 4);
  EXPECT_FALSE(detector_.bury(named(3, 4)));
  view_.members[2] = named(3, 4);
  detector_.watch(view_, 0);
  EXPECT_TRUE(detector_.look());
  EXPECT_EQ(detector_.over(), ranks({2}));
}

// Whatever the number of its incarnation, it is another node.
TEST_F(FailureDetectorTest, another_node_has_the_place_of_one__expect_it_to_be_the_peer) {
  EXPECT_TRUE(say(5, {}));
  detector_.heard(peer_of(5), named(9, 0), now_ns_);
  EXPECT_EQ(detector_.at(peer_of(5)).name, named(9, 0));
  EXPECT_EQ(detector_.at(peer_of(5)).said_ns, 0u);
  EXPECT_EQ(detector_.peer_named(named(9, 3)), peer_of(5));
  EXPECT_EQ(detector_.peer_named(named(5)), kNoRank);
}

TEST_F(FailureDetectorTest, a_member_says_that_it_is_out__expect_it_suspected_at_once) {
  ASSERT_TRUE(say(3, {}, 0, State::kExcluded));
  EXPECT_TRUE(detector_.look());
  EXPECT_EQ(detector_.suspected(), ranks({2}));
}

TEST_F(FailureDetectorTest, a_member_frame_from_before__expect_it_refused) {
  clock_ = 7;
  ASSERT_TRUE(say(4, {}));
  clock_ -= 1;
  EXPECT_TRUE(say(4, {})) << "as old as the newest";
  ASSERT_TRUE(say(4, {}));
  clock_ = 5;
  EXPECT_FALSE(say(4, {1}));
  EXPECT_TRUE(detector_.at(peer_of(4)).said.suspects.empty());
}

TEST_F(FailureDetectorTest, one_member_is_accused_by_another__expect_the_accused) {
  ASSERT_TRUE(say(2, {3}));
  EXPECT_EQ(detector_.accused(), ranks({3}));
}

TEST_F(FailureDetectorTest, a_member_accuses_more_than_half__expect_it_accused_itself) {
  ASSERT_TRUE(say(2, {2, 3, 4}));
  EXPECT_EQ(detector_.accused(), ranks({1}));
}

TEST_F(FailureDetectorTest, a_member_accuses_this_node__expect_it_accused_itself_if_we_were_awake) {
  pass(2 * kSuspectNs, {2, 3, 4, 5});
  ASSERT_TRUE(say(2, {0}));
  EXPECT_EQ(detector_.accused(), ranks({1}));
  detector_.pass(now_ns_ += 100 * kMs);
  EXPECT_TRUE(detector_.accused().empty()) << "it has just not been run";
}

TEST_F(FailureDetectorTest, an_accusation_of_another_view__expect_it_ignored) {
  ASSERT_TRUE(say(2, {3}));
  view_.id.epoch = 4;
  detector_.watch(view_, 0);
  EXPECT_TRUE(detector_.accused().empty());
}

TEST_F(FailureDetectorTest, accuse__expect_a_complaint_for_half_of_suspect_after) {
  detector_.accuse(peer_of(4));
  EXPECT_EQ(detector_.complaints(), ranks({3}));
  EXPECT_EQ(detector_.accused(), ranks({3}));
  EXPECT_TRUE(detector_.suspected().empty());
  pass(kSuspectNs / 2 + kMs / 10, {2, 3, 4, 5});
  EXPECT_FALSE(detector_.look());
  EXPECT_TRUE(detector_.complaints().empty());
}

TEST_F(FailureDetectorTest, a_joiner_holds_on__expect_it_known_until_forgotten) {
  EXPECT_FALSE(detector_.somebody_holds_on());
  ASSERT_TRUE(say(5, {}, wire::kMemberHolds, State::kJoining));
  EXPECT_TRUE(detector_.somebody_holds_on());
  EXPECT_FALSE(detector_.another_view_is_there());
  detector_.forget_holders();
  EXPECT_FALSE(detector_.somebody_holds_on());
}

TEST_F(FailureDetectorTest, a_lower_rank_has_come_along__expect_it_to_speak_for_the_view) {
  detector_.watch(view_, 0);
  EXPECT_TRUE(detector_.speaks_for_view());
  View other = view_;
  std::swap(other.members[0], other.members[1]);
  detector_.watch(other, 1);
  EXPECT_TRUE(detector_.speaks_for_view()) << "the lower one has not come along";
  detector_.came_along(peer_of(2));
  EXPECT_FALSE(detector_.speaks_for_view());
}

// The ranks behind the first 64 are ranks like any other.
TEST(FailureDetector, eighty_members__expect_the_last_one_suspected_and_accused) {
  MembershipConfig config;
  config.self = named(1);
  config.max_peers = 79;
  config.heartbeat_ns = kMs / 10;
  config.suspect_after_ns = kSuspectNs;
  FailureDetector detector(config);
  View view;
  view.id = {1, 1, 1};
  uint64_t now_ns = kMs;
  for (uint8_t node = 1; node <= 80; ++node) {
    view.members.push_back(named(node));
    if (node != 1) detector.heard(node - 2u, named(node), now_ns);
  }
  detector.watch(view, 0);
  for (int step = 0; step < 30; ++step) {
    detector.pass(now_ns += kMs / 10);
    for (uint8_t node = 2; node < 80; ++node) detector.heard(node - 2u, named(node), now_ns);
  }
  EXPECT_TRUE(detector.look());
  EXPECT_EQ(detector.suspected(), base::NodeSet::of(79));
  wire::ControlHeader header;
  header.timestamp_ns = 1;
  wire::MemberFrame frame;
  frame.view = view.id;
  frame.suspects.add(78);
  ASSERT_TRUE(detector.take(5, header, frame));
  EXPECT_EQ(detector.accused(), base::NodeSet::of(78));
}

// --- what a fabric knows for certain -------------------------------------------------------------

TEST_F(FailureDetectorTest, a_life_is_buried__expect_it_suspected_and_over_whatever_is_heard) {
  EXPECT_TRUE(detector_.bury(named(3)));
  hear(3);  // it was on its way
  EXPECT_TRUE(detector_.look());
  EXPECT_EQ(detector_.suspected(), ranks({2}));
  EXPECT_EQ(detector_.over(), ranks({2}));
  EXPECT_FALSE(detector_.bury(named(3))) << "it is known";
}

TEST_F(FailureDetectorTest, a_life_is_buried_and_another_begins__expect_that_one_alive) {
  hear(3, 2);
  EXPECT_FALSE(detector_.bury(named(3, 1))) << "it is another one's place";
  EXPECT_TRUE(detector_.alive(detector_.at(peer_of(3))));
  EXPECT_TRUE(detector_.bury(named(3, 2)));
  hear(3, 3);
  EXPECT_TRUE(detector_.alive(detector_.at(peer_of(3))));
}

// The clock of its machine was set back: without the certainty the older number has to wait.
TEST_F(FailureDetectorTest, a_life_is_buried_and_an_older_number_begins__expect_it_heard_at_once) {
  hear(3, 9);
  EXPECT_TRUE(detector_.bury(named(3, 9)));
  hear(3, 4);
  EXPECT_EQ(detector_.at(peer_of(3)).name.incarnation, 4u);
  EXPECT_TRUE(detector_.alive(detector_.at(peer_of(3))));
}

TEST_F(FailureDetectorTest, a_life_that_was_never_heard_and_this_node__expect_neither_buried) {
  EXPECT_FALSE(detector_.bury(named(7)));
  EXPECT_FALSE(detector_.bury(named(1)));
  EXPECT_FALSE(detector_.look());
}

}  // namespace
}  // namespace lambdacast::membership
