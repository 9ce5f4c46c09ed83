// SPDX-License-Identifier: BSD-3-Clause
// Views of more members than a packet, or a node of an older release, has room for.
#include <gtest/gtest.h>

#include "core_network.h"

namespace lambdacast::membership {
namespace {

using wire::ControlKind;

std::vector<int> numbers(int first, int last) {
  std::vector<int> out;
  for (int number = first; number <= last; ++number) out.push_back(number);
  return out;
}

bool is_wide(const Frame& frame) { return wire::is_wide(frame.payload.data()); }

// Has everybody the acknowledgements of all members, for the marks of all of them?
bool all_acknowledged(CoreNetwork& network, size_t nodes) {
  for (size_t slot = 0; slot < nodes; ++slot) {
    if (!network.lives(slot)) continue;
    for (size_t member = 0; member < nodes; ++member) {
      for (size_t rank = 0; member != slot && rank < nodes; ++rank) {
        const auto& acks = network.node(slot).acks;
        const auto found = acks.find({member, rank});
        if (found == acks.end() || found->second != 100 * rank + 7) return false;
      }
    }
  }
  return true;
}

// The parameter: the path MTU.
class PartsTest : public ::testing::TestWithParam<size_t> {
 protected:
  static void prepare(CoreNetwork& network) {
    network.room = GetParam();
    network.most_coming = 20'000;
    network.on_frame = [&](const Frame& frame) { EXPECT_LE(frame.payload.size(), GetParam()); };
  }
};

class WideViewTest : public PartsTest {};

TEST_P(WideViewTest, eighty_nodes__expect_one_view_and_the_next_without_the_last) {
  CoreNetwork network(80);
  prepare(network);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on(numbers(1, 80)); }));
  for (size_t slot = 0; slot < 80; ++slot) network.node(slot).acks_said = 7;
  ASSERT_TRUE(network.run_until([&] { return all_acknowledged(network, 80); }, kMs));
  network.run_for(3 * kMs);
  EXPECT_EQ(network.node(79).view().id.epoch, 1u) << "nobody suspects anybody";
  network.kill(79);
  network.kill(3);
  std::vector<int> rest = numbers(1, 79);
  rest.erase(rest.begin() + 3);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on(rest); }));
  network.start(79);
  rest.push_back(80);
  EXPECT_TRUE(network.run_until([&] { return network.agree_on(rest); }));
}

// What a view of 64 nodes says is as it was, as far as it fits a packet.
TEST_P(PartsTest, fifty_nodes__expect_version_1_from_the_first_rank_on) {
  CoreNetwork network(50);
  prepare(network);
  size_t parts = 0;
  network.on_frame = [&](const Frame& frame) {
    if (frame.kind() == ControlKind::kBallot) {
      EXPECT_FALSE(is_wide(frame));
    }
    if (frame.kind() == ControlKind::kMember) {
      EXPECT_EQ(is_wide(frame), wire::load_member(frame.payload.data()).first != 0);
      EXPECT_EQ(frame.payload[2] & wire::kMemberWide, 0);
    }
    parts += is_wide(frame) ? 1 : 0;
  };
  ASSERT_TRUE(network.run_until([&] { return network.agree_on(numbers(1, 50)); }));
  for (size_t slot = 0; slot < 50; ++slot) network.node(slot).acks_said = 7;
  EXPECT_TRUE(network.run_until([&] { return all_acknowledged(network, 50); }, kMs));
  EXPECT_EQ(parts == 0, GetParam() >= wire::kVoteBytes + 50 * 8);
}

INSTANTIATE_TEST_SUITE_P(PathMtu, WideViewTest, ::testing::Values(256, 512, 4096));
INSTANTIATE_TEST_SUITE_P(PathMtu, PartsTest, ::testing::Values(256, 512, 1024, 2048, 4096));

// Parts are lost and come twice and late, in views that need several parts of everything.
TEST(WideView, parts_are_lost_doubled_and_overtaken__expect_views_all_the_same) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CoreNetwork network(40);
    network.room = 256;
    network.most_coming = 20'000;
    base::SplitMix64 random(seed);
    network.loses = [&](const Frame&, size_t) { return random.below(5) == 0; };
    network.reorders = [&](size_t frames) { return random.below(frames); };
    network.doubles = [&] { return random.below(5) == 0; };
    ASSERT_TRUE(network.run_until([&] { return network.agree_on(numbers(1, 40)); }));
    for (size_t slot = 0; slot < 40; ++slot) network.node(slot).acks_said = 7;
    EXPECT_TRUE(network.run_until([&] { return all_acknowledged(network, 40); }, 20 * kMs));
    network.kill(39);
    EXPECT_TRUE(network.run_until([&] { return network.agree_on(numbers(1, 39)); }));
  }
}

// --- nodes of a release that knows version 1 alone -----------------------------------------------

// It hears no frame of version 2, and says nothing about wide views.
void make_old(CoreNetwork& network, size_t old) {
  network.most_coming = 20'000;
  network.alters = [old](Frame& frame) {
    if (frame.from == old && frame.kind() == ControlKind::kMember)
      frame.payload[2] &= static_cast<uint8_t>(~wire::kMemberWide);
  };
  network.loses = [old](const Frame& frame, size_t to) { return to == old && is_wide(frame); };
}

TEST(WideView, an_old_node_comes_to_a_wide_view__expect_it_to_wait_until_there_is_a_place) {
  CoreNetwork network(66);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on(numbers(1, 66)); }));
  make_old(network, 70);
  network.set_initial(1);
  network.start(70);
  network.run_for(20 * kMs);
  EXPECT_EQ(network.node(70).state(), State::kJoining) << "and not in a view of its own";
  EXPECT_EQ(network.node(0).view().id.epoch, 1u) << "nobody was stopped for it";
  EXPECT_EQ(network.node(0).core().counters().held_out, 1u);
  for (size_t slot = 50; slot < 66; ++slot) network.kill(slot);
  std::vector<int> rest = numbers(1, 50);
  rest.push_back(71);
  EXPECT_TRUE(network.run_until([&] { return network.agree_on(rest); }));
  EXPECT_EQ(network.node(0).core().counters().held_out, 0u);
}

TEST(WideView, an_old_node_is_a_member__expect_no_view_of_more_than_64) {
  CoreNetwork network(64);
  make_old(network, 9);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on(numbers(1, 64)); }));
  network.start(70);
  network.run_for(20 * kMs);
  EXPECT_EQ(network.node(0).view().size(), 64u);
  EXPECT_EQ(network.node(0).view().id.epoch, 1u);
  EXPECT_EQ(network.node(0).core().counters().held_out, 1u);
  EXPECT_EQ(network.node(70).state(), State::kJoining);
  network.kill(9);
  std::vector<int> rest = numbers(1, 64);
  rest.erase(rest.begin() + 9);
  rest.push_back(71);
  EXPECT_TRUE(network.run_until([&] { return network.agree_on(rest); }));
}

TEST(WideView, new_nodes_beyond_64__expect_them_let_in) {
  CoreNetwork network(60);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on(numbers(1, 60)); }));
  network.most_coming = 20'000;
  for (size_t slot = 60; slot < 84; ++slot) network.start(slot);
  ASSERT_TRUE(network.run_until([&] { return network.node(0).view().size() == 80; }));
  network.run_for(10 * kMs);
  EXPECT_EQ(network.node(0).view().size(), wire::kMaxMembers);
  EXPECT_EQ(network.node(0).core().counters().held_out, 4u);
}

}  // namespace
}  // namespace lambdacast::membership
