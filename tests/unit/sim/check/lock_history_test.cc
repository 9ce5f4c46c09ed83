// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/lock_history.h"

#include "lock_script.h"

namespace lambdacast::sim {
namespace {

using Said = LockSaid::What;

TEST(LockHistory, requests_and_releases_in_their_order__expect_a_step_each) {
  LockScript script;
  script.say(Said::kAcquire, 0, 3);
  script.say(Said::kAcquire, 1, 4);
  script.say(Said::kAcquire, 2, 5);
  script.say(Said::kWithdraw, 1, 6);
  script.release(0, 7, {1, 4});
  script.release(0, 8, {1, 4});  // void
  script.say(Said::kLeave, 2, 9);
  EXPECT_EQ(script.history(), (Steps{{0, 1, 4}, {2, 1, 8}, {kNobody, 1, 8}}));
}

TEST(LockHistory, an_heir_that_waits__expect_it_in_front_of_who_waits_longer) {
  LockScript script;
  script.say(Said::kAcquire, 0, 3);
  script.say(Said::kAcquire, 1, 4);
  script.say(Said::kAcquire, 2, 5);
  script.release(0, 6, {1, 4}, 2);
  script.release(2, 7, {1, 7});
  EXPECT_EQ(script.history(), (Steps{{0, 1, 4}, {2, 1, 7}, {1, 1, 8}}));
}

// Nodes 3 and 4 are in a chain of views of their own, where the lock moves to 3 at the same place.
// In the first chain, node 2 gets it as an heir of whom nothing else says that it has state.
TEST(LockHistory, an_heir_at_a_place_of_two_chains__expect_each_chain_by_what_its_lives_are_told) {
  for (const uint32_t heir : {2u, kNobody}) {
    LockScript script;
    script.tell(3, GroupTold::Lock::kMoved, 3, 1, 5);
    if (heir != kNobody) script.tell(0, GroupTold::Lock::kMoved, heir, 1, 5);
    script.say(Said::kAcquire, 0, 3);
    script.release(0, 4, {1, 4}, 2);
    EXPECT_EQ(script.history(), (Steps{{0, 1, 4}, {heir, 1, heir == kNobody ? 4u : 5u}}));
  }
}

TEST(LockHistory, a_view_without_the_holder__expect_the_next_by_its_beginning) {
  LockScript script;
  script.say(Said::kAcquire, 2, 3);
  script.say(Said::kAcquire, 1, 4);
  script.install(2, {0, 1});
  EXPECT_EQ(script.history(), (Steps{{2, 1, 4}, {1, 2, 0}}));
}

TEST(LockHistory, a_request_behind_a_leave__expect_it_refused) {
  LockScript script;
  script.say(Said::kLeave, 1, 3);
  script.say(Said::kAcquire, 1, 4);
  EXPECT_EQ(script.history(), Steps{});
  script.say(Said::kAcquire, 1, 5).membership = 2;  // it has joined again
  EXPECT_EQ(script.history(), (Steps{{1, 1, 6}}));
}

}  // namespace
}  // namespace lambdacast::sim
