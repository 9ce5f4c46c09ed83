// SPDX-License-Identifier: BSD-3-Clause
// Views that are gone for good. What a node that joins has promised when all die whose view it was
// to join: the promise binds it as long as that view may go on, and no longer
// (lib/membership/member.cc, may_begin_anew).
#include <gtest/gtest.h>

#include "core_network.h"

namespace lambdacast::membership {
namespace {

using wire::VoteStage;

class LostViewTest : public ::testing::Test {
 protected:
  // Node 1 is a view of its own; then others come, and it dies when all of them have said `stage`.
  void lose_the_view(const std::vector<size_t>& joiners, VoteStage stage) {
    ASSERT_TRUE(network_.run_until([&] { return network_.agree_on({1}); }));
    network_.set_initial(joiners.size() + 1);
    std::set<size_t> said;
    network_.on_frame = [&](const Frame& frame) {
      if (frame.from != 0 && frame.is(stage)) said.insert(frame.from);
    };
    network_.loses = [&](const Frame& frame, size_t) {
      return frame.is(wire::BallotPhase::kInstall);
    };
    for (const size_t slot : joiners) network_.start(slot);
    ASSERT_TRUE(network_.run_until([&] { return said.size() == joiners.size(); }));
    network_.kill(0);
    network_.on_frame = {};
    network_.loses = {};
  }

  CoreNetwork network_{1};
};

class LostAtStageTest : public LostViewTest, public ::testing::WithParamInterface<VoteStage> {};

TEST_P(LostAtStageTest, its_only_member_dies_and_comes_back__expect_a_first_view) {
  lose_the_view({1}, GetParam());
  network_.start(0);
  EXPECT_TRUE(network_.run_until([&] { return network_.agree_on({1, 2}); }));
  EXPECT_EQ(network_.node(1).view().id.epoch, 1u);
}

INSTANTIATE_TEST_SUITE_P(Stages, LostAtStageTest,
                         ::testing::Values(VoteStage::kPromised, VoteStage::kReady),
                         [](const auto& stage) {
                           return "stage" + std::to_string(static_cast<int>(stage.param));
                         });

TEST_F(LostViewTest, two_were_to_join_it__expect_a_first_view_of_all) {
  lose_the_view({1, 2}, VoteStage::kReady);
  network_.start(0);
  EXPECT_TRUE(network_.run_until([&] { return network_.agree_on({1, 2, 3}); }));
}

// Silence is no death.
TEST_F(LostViewTest, the_members_are_silent__expect_the_promise_kept_and_the_view_to_go_on) {
  ASSERT_TRUE(network_.run_until([&] { return network_.agree_on({1}); }));
  network_.set_initial(3);
  bool promised = false;
  network_.on_frame = [&](const Frame& frame) {
    promised = promised || (frame.from == 1 && frame.is(VoteStage::kReady));
  };
  network_.start(1);
  ASSERT_TRUE(network_.run_until([&] { return promised; }));
  network_.pause(0);
  network_.run_for(10 * kMs);
  network_.start(2);
  network_.run_for(20 * kMs);
  EXPECT_TRUE(network_.node(1).installs.empty());
  network_.resume(0);
  EXPECT_TRUE(network_.run_until([&] { return network_.agree_on({1, 2, 3}); }));
  EXPECT_GT(network_.node(1).view().id.epoch, 1u);
}

// Two lives of five are no quorum, and the three that are needed have ended.
TEST(LostView, most_members_come_back_as_other_lives__expect_a_first_view_once_all_have) {
  CoreNetwork network(5);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5}); }));
  for (const size_t slot : {1, 2, 4}) network.kill(slot);
  for (const size_t slot : {1, 2, 4}) network.start(slot);
  network.run_for(20 * kMs);
  for (const size_t slot : {0, 3}) EXPECT_EQ(network.node(slot).state(), State::kExcluded);
  for (const size_t slot : {1, 2, 4}) EXPECT_EQ(network.node(slot).state(), State::kJoining);
  for (const size_t slot : {0, 3}) network.kill(slot);
  for (const size_t slot : {0, 3}) network.start(slot);
  EXPECT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5}); }));
  EXPECT_EQ(network.node(0).view().id.epoch, 1u);
}

}  // namespace
}  // namespace lambdacast::membership
