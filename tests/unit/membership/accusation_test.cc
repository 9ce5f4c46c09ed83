// SPDX-License-Identifier: BSD-3-Clause
// Members that hold a window back for too long, and when the next view is without them
// (Coordinator::given_up).
#include <gtest/gtest.h>

#include "core_network.h"

namespace lambdacast::membership {
namespace {

TEST(Accusation, a_peer_that_is_too_slow__expect_a_view_without_it) {
  CoreNetwork network(4);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4}); }));
  network.node(1).core().accuse(3);
  ASSERT_TRUE(network.run_until(
      [&] {
        return network.node(0).members() == std::vector{1, 2, 3};
      },
      5 * kMs));
}

// Ballots have failed, nothing moves, and all find each other slow.
TEST(Accusation, accusations_that_leave_no_quorum__expect_only_the_dead_out) {
  CoreNetwork network(5);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5}); }));
  network.kill(0);
  network.kill(4);
  ASSERT_TRUE(network.run_until(
      [&] {
        for (const size_t slot : {1, 2, 3}) {
          for (const size_t other : {1, 2, 3}) {
            if (other != slot) network.node(slot).core().accuse(other);
          }
        }
        return network.agree_on({2, 3, 4});
      },
      20 * kMs));
}

// The coordinator has died, and the next one goes on finding slow whom nothing reaches any more.
TEST(Accusation, accusations_that_leave_too_few_for_a_view__expect_only_the_dead_out) {
  CoreNetwork network(6, [](MembershipConfig& config) { config.minimum_partition = 5; });
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5, 6}); }));
  network.kill(0);
  ASSERT_TRUE(network.run_until([&] {
    network.node(1).core().accuse(3);
    return network.agree_on({2, 3, 4, 5, 6});
  }));
}

TEST(Accusation, a_slow_one_is_needed_as_another_leaves__expect_it_in_the_view) {
  CoreNetwork network(6, [](MembershipConfig& config) { config.minimum_partition = 5; });
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4, 5, 6}); }));
  network.on_frame = [&](const Frame& frame) {
    if (frame.from == 5) network.node(0).core().accuse(3);
  };
  network.node(5).core().leave();
  ASSERT_TRUE(network.run_until([&] {
    return network.node(0).members() == std::vector{1, 2, 3, 4, 5};
  }));
}

// Who takes nothing any more is never ready either: to wait for it were to wait for ever.
TEST(Accusation, there_are_enough_with_one_that_joins__expect_the_slow_one_out) {
  CoreNetwork network(4, [](MembershipConfig& config) { config.minimum_partition = 4; });
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4}); }));
  network.node(3).has_settled = false;
  network.start(4);
  ASSERT_TRUE(network.run_until([&] {
    network.node(0).core().accuse(3);
    return network.node(0).members() == std::vector{1, 2, 3, 5};
  }));
}

// The coordinator has stood still, and who found it too slow meanwhile says so for a while.
TEST(Accusation, a_coordinator_just_woken_is_called_slow__expect_nobody_out) {
  CoreNetwork network(4);
  ASSERT_TRUE(network.run_until([&] { return network.agree_on({1, 2, 3, 4}); }));
  network.pause(0);
  network.run_for(kMs + kMs / 2);
  network.resume(0);
  for (int i = 0; i < 30; ++i) {
    network.node(1).core().accuse(0);
    network.step();
  }
  network.run_for(10 * kMs);
  EXPECT_TRUE(network.agree_on({1, 2, 3, 4}));
  EXPECT_EQ(network.node(0).view().id.epoch, 1u);
}

}  // namespace
}  // namespace lambdacast::membership
