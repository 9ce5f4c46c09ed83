// SPDX-License-Identifier: BSD-3-Clause
// What membership says, and when (lib/membership/speech.cc).
#include <gtest/gtest.h>

#include "core_network.h"

namespace lambdacast::membership {
namespace {

using wire::BallotPhase;
using wire::ControlKind;

// The frames of one node in that time.
std::vector<Frame> said_by(CoreNetwork& network, size_t slot, uint64_t ns) {
  std::vector<Frame> frames;
  network.on_frame = [&](const Frame& frame) {
    if (frame.from == slot) frames.push_back(frame);
  };
  network.run_for(ns);
  network.on_frame = {};
  return frames;
}

wire::ControlHeader header_of(const Frame& frame) {
  wire::ControlHeader header;
  EXPECT_EQ(wire::load_control(frame.payload.data(), frame.payload.size(), header),
            counters::DropReason::kNone);
  return header;
}

class SpeechTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(network_.run_until([&] { return network_.agree_on({1, 2, 3}); }));
    network_.run_for(kMs);
  }
  // The time when that node has just been heard to live.
  uint64_t just_said(MembershipProtocol& core, Bytes& payload) {
    const uint64_t now_ns = network_.now_ns() + kMs;
    core.tick(now_ns);
    EXPECT_NE(core.next_control(payload.data(), payload.size(), now_ns), 0u);
    return now_ns;
  }
  CoreNetwork network_{3};
};

TEST_F(SpeechTest, nothing_happens__expect_one_member_frame_a_heartbeat) {
  const std::vector<Frame> frames = said_by(network_, 1, 10 * kMs);
  EXPECT_GE(frames.size(), 90u);  // a heartbeat is 100 us
  EXPECT_LE(frames.size(), 101u);
  for (const Frame& frame : frames) EXPECT_EQ(frame.kind(), ControlKind::kMember);
}

TEST_F(SpeechTest, a_member_frame__expect_view_state_and_acknowledgements_by_rank) {
  network_.node(1).acks_said = 7;
  const std::vector<Frame> frames = said_by(network_, 1, 200'000);
  ASSERT_FALSE(frames.empty());
  const wire::ControlHeader header = header_of(frames[0]);
  EXPECT_EQ(header.incarnation, named(2).incarnation);
  EXPECT_EQ(header.data_qpn, named(2).qpn);
  EXPECT_EQ(header.flags, 0);
  ASSERT_EQ(header.entries, 3);
  const wire::MemberFrame member = wire::load_member(frames[0].payload.data());
  EXPECT_EQ(member.view, network_.node(0).view().id);
  EXPECT_EQ(member.state, State::kOperational);
  EXPECT_EQ(member.names, 0);
  EXPECT_EQ(member.members, 3);
  EXPECT_TRUE(member.suspects.empty());
  for (size_t rank = 0; rank < 3; ++rank)
    EXPECT_EQ(wire::load_member_ack(frames[0].payload.data(), rank), 100 * rank + 7);
  network_.run_for(20'000);
  EXPECT_EQ((network_.node(0).acks[{1, 2}]), 207u);
  EXPECT_EQ((network_.node(2).acks[{1, 0}]), 7u);
}

TEST_F(SpeechTest, hurry__expect_an_acknowledgement_at_once_and_no_two_within_ack_ns) {
  MembershipProtocol& core = network_.node(0).core();
  Bytes payload(1'000);
  uint64_t now_ns = just_said(core, payload);
  core.hurry();
  EXPECT_EQ(core.next_control(payload.data(), payload.size(), now_ns += 4'999), 0u);
  EXPECT_LE(core.next_deadline_ns(), now_ns + 1);
  EXPECT_NE(core.next_control(payload.data(), payload.size(), now_ns += 1), 0u);
  EXPECT_EQ(core.next_control(payload.data(), payload.size(), now_ns += 5'000), 0u);
}

// Half an ack_ns later, then: an acknowledgement that nobody waits for, and one that is awaited.
TEST_F(SpeechTest, hurry_from_some_time_on__expect_it_then_or_with_one_that_is_awaited) {
  MembershipProtocol& core = network_.node(0).core();
  Bytes payload(1'000);
  uint64_t now_ns = just_said(core, payload);
  now_ns += 10'000;
  core.hurry(now_ns + 5'000);
  core.hurry(now_ns + 7'000);  // what is due already covers it
  EXPECT_EQ(core.next_deadline_ns(), now_ns + 5'000);
  EXPECT_EQ(core.next_control(payload.data(), payload.size(), now_ns += 4'999), 0u);
  EXPECT_NE(core.next_control(payload.data(), payload.size(), now_ns += 1), 0u);
  now_ns += 10'000;
  core.hurry(now_ns + 5'000);
  core.hurry();
  EXPECT_NE(core.next_control(payload.data(), payload.size(), now_ns), 0u);
  EXPECT_EQ(core.next_control(payload.data(), payload.size(), now_ns + 10'000), 0u);
}

TEST_F(SpeechTest, a_member_is_silent__expect_its_bit_among_the_suspects) {
  network_.loses = [](const Frame& frame, size_t to) { return frame.from == 2 && to == 1; };
  base::NodeSet suspects;
  network_.on_frame = [&](const Frame& frame) {
    if (frame.from == 1 && frame.kind() == ControlKind::kMember)
      suspects |= wire::load_member(frame.payload.data()).suspects;
  };
  network_.run_for(3 * kMs);
  EXPECT_EQ(suspects, base::NodeSet::of(2));
}

TEST_F(SpeechTest, it_was_not_run__expect_the_flag_in_one_frame) {
  network_.pause(1);
  network_.run_for(500'000);
  network_.resume(1);
  size_t starved = 0;
  for (const Frame& frame : said_by(network_, 1, kMs))
    starved += (header_of(frame).flags & wire::kMemberStarved) != 0 ? 1 : 0;
  EXPECT_EQ(starved, 1u);
}

TEST_F(SpeechTest, leave__expect_the_flag_at_once) {
  network_.node(1).core().leave();
  const std::vector<Frame> frames = said_by(network_, 1, 20'000);
  ASSERT_FALSE(frames.empty());
  EXPECT_NE(header_of(frames[0]).flags & wire::kMemberLeaving, 0);
}

TEST_F(SpeechTest, excluded__expect_silence) {
  network_.loses = [](const Frame& frame, size_t to) { return (frame.from == 2) != (to == 2); };
  network_.run_for(10 * kMs);
  network_.loses = {};
  ASSERT_TRUE(network_.run_until([&] { return network_.node(2).state() == State::kExcluded; }));
  EXPECT_TRUE(said_by(network_, 2, 5 * kMs).empty());
}

TEST_F(SpeechTest, a_node_that_comes__expect_ready_once_it_hears_all) {
  network_.start(3);
  network_.node(3).never_open(2);
  for (const Frame& frame : said_by(network_, 3, 5 * kMs))
    EXPECT_EQ(header_of(frame).flags & wire::kMemberReady, 0);
  network_.kill(3);
  network_.start(3);
  size_t ready = 0;
  for (const Frame& frame : said_by(network_, 3, 5 * kMs)) {
    if (frame.kind() == ControlKind::kMember &&
        wire::load_member(frame.payload.data()).state == State::kJoining)
      ready += (header_of(frame).flags & wire::kMemberReady) != 0 ? 1 : 0;
  }
  EXPECT_GE(ready, 1u);
}

// --- values in parts -----------------------------------------------------------------------------

TEST(Speech, room_for_four_entries__expect_values_of_seven_in_two_frames_and_views_all_the_same) {
  CoreNetwork network(7);
  network.room = 256;
  std::map<BallotPhase, std::set<std::pair<uint16_t, uint16_t>>> parts;
  network.on_frame = [&](const Frame& frame) {
    ASSERT_LE(frame.payload.size(), 256u);
    if (frame.kind() != ControlKind::kBallot) return;
    const wire::BallotFrame ballot = wire::load_ballot(frame.payload.data());
    EXPECT_EQ(ballot.total, 7u);
    parts[ballot.phase].insert({ballot.first, header_of(frame).entries});
  };
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5, 6, 7}); }));
  ASSERT_EQ(parts.size(), 4u);
  for (const auto& [phase, of] : parts) {
    size_t entries = 0;
    for (const auto& [first, count] : of) entries += count;
    EXPECT_EQ(of.begin()->first, 0u);
    EXPECT_EQ(entries, 7u) << "phase " << static_cast<int>(phase);
    EXPECT_GT(of.size(), 1u);
  }
  network.kill(6);
  EXPECT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5, 6}); }));
}

// Parts are lost, now this one, now that one: what is resent makes the list whole.
TEST(Speech, a_third_of_all_frames_is_lost__expect_views_all_the_same) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CoreNetwork network(7);
    network.room = 256;
    base::SplitMix64 random(seed);
    network.loses = [&](const Frame&, size_t) { return random.below(3) == 0; };
    EXPECT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5, 6, 7}); }));
    network.run_for(5 * kMs);
    EXPECT_EQ(network.node(3).view().id.epoch, 1u);
  }
}

}  // namespace
}  // namespace lambdacast::membership
