// SPDX-License-Identifier: BSD-3-Clause
// What keeps a node from a view, and when a view is over for good
// (doc/decisions/0022-a-view-that-is-over.md).
#include "membership/impasse.h"

#include <gtest/gtest.h>

#include "core_network.h"

namespace lambdacast::membership {
namespace {

using What = Standing::What;

class ImpasseTest : public ::testing::Test {
 protected:
  void make(size_t nodes, size_t initial, CoreNetwork::Change change = {}) {
    network_ = std::make_unique<CoreNetwork>(nodes, [=](MembershipConfig& config) {
      config.initial_nodes = initial;
      if (change) change(config);
    });
  }
  [[nodiscard]] const Standing& standing(size_t slot) const {
    return network_->node(slot).core().standing();
  }
  [[nodiscard]] bool is(size_t slot, What what) const { return standing(slot).what == what; }
  [[nodiscard]] bool in_first_view(const std::vector<int>& members) {
    return network_->run_until([&] { return network_->agree_on(members); }) &&
           network_->node(static_cast<size_t>(members[0] - 1)).view().id.epoch == 1;
  }
  void restart(size_t slot) {
    network_->kill(slot);
    network_->start(slot);
  }
  // As an appliance with --rejoin: whoever is excluded comes back as another life.
  void step_with_rejoin() {
    network_->step();
    for (size_t slot = 0; slot < kSlots; ++slot) {
      if (network_->lives(slot) && network_->node(slot).state() == State::kExcluded) restart(slot);
    }
  }
  [[nodiscard]] bool agree_with_rejoin(const std::vector<int>& members) {
    for (const uint64_t end_ns = network_->now_ns() + 50 * kMs; network_->now_ns() < end_ns;) {
      step_with_rejoin();
      if (network_->agree_on(members)) return true;
    }
    return false;
  }

  std::unique_ptr<CoreNetwork> network_;
};

TEST_F(ImpasseTest, all_are_in_a_view__expect_nothing_in_the_way) {
  make(3, 3);
  ASSERT_TRUE(in_first_view({1, 2, 3}));
  network_->run_for(10 * kMs);
  for (size_t slot = 0; slot < 3; ++slot) EXPECT_EQ(standing(slot), Standing{});
}

TEST_F(ImpasseTest, two_start_where_three_are_needed__expect_both_to_say_so_until_the_third) {
  make(2, 3);
  network_->run_for(kMs);
  EXPECT_TRUE(is(0, What::kClear)) << "others may be about to start";
  network_->run_for(5 * kMs);
  for (size_t slot = 0; slot < 2; ++slot) {
    EXPECT_TRUE(is(slot, What::kFirstView));
    EXPECT_EQ(standing(slot).here, 2u);
    EXPECT_EQ(standing(slot).needed, 3u);
    EXPECT_EQ(standing(slot).view.epoch, 0u);
  }
  network_->start(2);
  ASSERT_TRUE(in_first_view({1, 2, 3}));
  network_->run_for(kMs);
  EXPECT_EQ(standing(0), Standing{});
}

TEST_F(ImpasseTest, two_of_three_fall_silent__expect_the_third_to_name_them_and_to_stay) {
  make(3, 3);
  ASSERT_TRUE(in_first_view({1, 2, 3}));
  network_->pause(1);
  network_->pause(2);
  network_->run_for(3 * kMs);
  EXPECT_TRUE(is(0, What::kClear)) << "they have not been missing for suspect_after yet";
  network_->run_for(17 * kMs);
  ASSERT_TRUE(is(0, What::kNoQuorum));
  EXPECT_EQ(standing(0).here, 1u);
  EXPECT_EQ(standing(0).needed, 2u);
  EXPECT_EQ(standing(0).missing, base::NodeSet::first(3) - base::NodeSet::of(0));
  EXPECT_TRUE(standing(0).over.empty()) << "silence is no death";
  EXPECT_TRUE(network_->node(0).exclusions.empty());
  network_->resume(1);
  network_->resume(2);
  ASSERT_TRUE(network_->run_until([&] {
    return network_->agree_on({1, 2, 3}) && network_->node(0).view().id.epoch > 1;
  })) << "the same lives go on";
  network_->run_for(kMs);
  EXPECT_EQ(standing(0), Standing{});
}

// Lower in rank or higher; among joiners, and before a view (R12.18).
TEST_F(ImpasseTest, one_orders_otherwise__expect_no_view_with_it_and_both_sides_to_name_the_other) {
  for (const uint8_t other : {uint8_t{1}, uint8_t{4}}) {
    make(4, 3, [other](MembershipConfig& config) {
      if (config.self.gid == named(other).gid) config.order = 7;
    });
    const size_t slot = other - 1u;
    const size_t one = other == 1 ? 1 : 0;
    const auto expect_both_to_say_so = [&](uint64_t epoch) {
      network_->run_for(10 * kMs);
      EXPECT_EQ(network_->node(slot).view().id.epoch, 0u);
      EXPECT_EQ(network_->node(one).view().id.epoch, epoch);
      EXPECT_TRUE(is(slot, What::kOrder));
      EXPECT_TRUE(is(one, What::kOrder));
      EXPECT_EQ(standing(one).other.gid, named(other).gid);
      EXPECT_NE(standing(slot).other.gid, named(other).gid);
    };
    expect_both_to_say_so(0);
    network_->kill(slot);
    ASSERT_TRUE(in_first_view(other == 1 ? std::vector{2, 3, 4} : std::vector{1, 2, 3}));
    network_->run_for(10 * kMs);
    EXPECT_EQ(standing(one), Standing{});
    network_->start(slot);
    expect_both_to_say_so(1);
  }
}

TEST_F(ImpasseTest, one_of_two_missing_comes_back_as_another__expect_the_view_kept_for_the_other) {
  make(3, 3);
  ASSERT_TRUE(in_first_view({1, 2, 3}));
  network_->pause(2);
  restart(1);
  network_->run_for(20 * kMs);
  ASSERT_TRUE(is(0, What::kNoQuorum));
  EXPECT_EQ(standing(0).over, base::NodeSet::of(1));
  EXPECT_TRUE(network_->node(0).exclusions.empty());
  EXPECT_TRUE(is(1, What::kOthers)) << "the newcomer hears of a view that cannot take it in";
  EXPECT_EQ(standing(1).here, 1u);
  EXPECT_EQ(standing(1).needed, 2u);
  network_->resume(2);
  EXPECT_TRUE(network_->run_until([&] {
    return network_->agree_on({1, 3, 2});
  })) << "the view goes on, and takes the newcomer in";
}

TEST_F(ImpasseTest, both_missing_come_back_as_others__expect_the_last_life_out_and_a_first_view) {
  make(3, 3);
  ASSERT_TRUE(in_first_view({1, 2, 3}));
  restart(1);
  restart(2);
  ASSERT_TRUE(network_->run_until([&] { return !network_->node(0).exclusions.empty(); }));
  EXPECT_FALSE(network_->node(0).exclusions[0]) << "not as it wished";
  EXPECT_TRUE(is(0, What::kOver));
  EXPECT_EQ(standing(0).over.count(), 2u);
  restart(0);
  EXPECT_TRUE(in_first_view({1, 2, 3}));
}

// Whoever has gone of its own accord votes no more, though that life of it goes on.
TEST_F(ImpasseTest, both_others_leave_of_their_own_accord__expect_the_last_one_out) {
  make(3, 3);
  ASSERT_TRUE(in_first_view({1, 2, 3}));
  network_->node(1).core().abandon();
  network_->node(2).core().abandon();
  EXPECT_TRUE(network_->run_until([&] { return !network_->node(0).exclusions.empty(); }));
}

TEST_F(ImpasseTest, three_of_five_come_back_as_others__expect_both_that_are_left_to_follow) {
  make(5, 5);
  ASSERT_TRUE(in_first_view({1, 2, 3, 4, 5}));
  for (const size_t slot : {1, 2, 4}) restart(slot);
  EXPECT_TRUE(agree_with_rejoin({1, 2, 3, 4, 5}));
}

TEST_F(ImpasseTest, half_come_back_as_others__expect_the_half_with_the_tie_breaker_to_go_on) {
  make(4, 4, [](MembershipConfig& config) { config.tie_breaker = named(1).gid; });
  ASSERT_TRUE(in_first_view({1, 2, 3, 4}));
  restart(2);
  restart(3);
  EXPECT_TRUE(network_->run_until([&] { return network_->agree_on({1, 2, 3, 4}); }));
  EXPECT_GT(network_->node(0).view().id.epoch, 1u);
  EXPECT_TRUE(network_->node(0).exclusions.empty());
}

TEST_F(ImpasseTest, half_come_back_as_others_and_nothing_breaks_the_tie__expect_all_anew) {
  make(4, 4);
  ASSERT_TRUE(in_first_view({1, 2, 3, 4}));
  restart(2);
  restart(3);
  EXPECT_TRUE(agree_with_rejoin({1, 2, 3, 4}));
}

// It may be a member of the view that they were about to make, and keeps the streams of their
// lives.
class HoldingJoinerTest : public ImpasseTest {
 protected:
  // The fifth of five comes back as another life, and has accepted the view with it.
  void hold_on() {
    make(5, 5);
    ASSERT_TRUE(in_first_view({1, 2, 3, 4, 5}));
    network_->kill(4);
    ASSERT_TRUE(network_->run_until([&] { return network_->agree_on({1, 2, 3, 4}); }));
    epoch_ = network_->node(0).view().id.epoch;
    bool accepted = false;
    network_->on_frame = [&](const Frame& frame) {
      accepted |= frame.from == 4 && frame.is(wire::VoteStage::kAccepted);
    };
    network_->start(4);
    ASSERT_TRUE(network_->run_until([&] { return accepted; }));
    network_->on_frame = {};
    ASSERT_TRUE(network_->node(4).holds_on);
    ASSERT_EQ(network_->node(4).view().id.epoch, 0u);
  }
  uint64_t epoch_ = 0;
};

TEST_F(HoldingJoinerTest, all_others_come_back_as_other_lives__expect_it_out_and_all_anew) {
  hold_on();
  for (const size_t slot : {0, 1, 2, 3}) {
    network_->node(4).never_open(slot);  // not the streams of next lives
    restart(slot);
  }
  ASSERT_TRUE(network_->run_until([&] { return !network_->node(4).exclusions.empty(); }));
  EXPECT_FALSE(network_->node(4).exclusions[0]) << "not as it wished";
  EXPECT_TRUE(is(4, What::kOver));
  EXPECT_EQ(standing(4).view.epoch, epoch_ + 1);
  EXPECT_TRUE(agree_with_rejoin({1, 2, 3, 4, 5}));
}

TEST_F(HoldingJoinerTest, a_quorum_may_be_heard_again__expect_it_to_wait) {
  hold_on();
  for (const size_t slot : {0, 1, 3}) network_->pause(slot);
  network_->node(4).never_open(2);
  restart(2);
  network_->run_for(30 * kMs);
  EXPECT_TRUE(network_->node(4).exclusions.empty());
  EXPECT_TRUE(network_->node(4).holds_on);
}

// A minority that is cut off hears newer lives of members that had gone on without it.
TEST_F(ImpasseTest, others_have_gone_on_in_a_later_view__expect_to_be_let_out_by_that) {
  make(3, 3);
  ASSERT_TRUE(in_first_view({1, 2, 3}));
  network_->pause(0);
  const auto are = [&](const std::vector<int>& members) {
    return network_->run_until([&] { return network_->node(1).members() == members; });
  };
  ASSERT_TRUE(are({2, 3}));
  network_->start(3);
  ASSERT_TRUE(are({2, 3, 4}));
  network_->resume(0);
  ASSERT_TRUE(network_->run_until([&] { return !network_->node(0).exclusions.empty(); }));
  EXPECT_TRUE(is(0, What::kClear));
}

// Fewer than minimum_partition are no view, however many votes they have.
TEST_F(ImpasseTest, fewer_are_left_than_a_view_must_have__expect_them_to_say_so) {
  make(3, 3, [](MembershipConfig& config) { config.minimum_partition = 3; });
  ASSERT_TRUE(in_first_view({1, 2, 3}));
  network_->pause(2);
  network_->run_for(20 * kMs);
  ASSERT_TRUE(is(0, What::kNoQuorum));
  EXPECT_EQ(standing(0).here, 2u);
  EXPECT_EQ(standing(0).needed, 3u);
  EXPECT_EQ(standing(0).missing, base::NodeSet::of(2));
}

}  // namespace
}  // namespace lambdacast::membership
