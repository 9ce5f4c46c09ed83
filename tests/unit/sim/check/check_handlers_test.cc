// SPDX-License-Identifier: BSD-3-Clause
#include "lock_script.h"

namespace lambdacast::sim {
namespace {

using Said = LockSaid::What;
using Lock = GroupTold::Lock;

// Life 0 has the lock by place 4, and life 1 by place 7; all are told of it.
class HandlerScript : public LockScript {
 public:
  explicit HandlerScript(bool to_all = true) {
    say(Said::kAcquire, 0, 3);
    say(Said::kAcquire, 1, 5);
    release(0, 6, {1, 4});
    for (uint32_t life = 0; life < 3; ++life) tell(life, Lock::kGranted, 0, 1, 4);
    for (uint32_t life = 0; life < (to_all ? 3u : 2u); ++life) tell(life, Lock::kMoved, 1, 1, 7);
  }
  [[nodiscard]] size_t found() const { return violations(check_handlers); }
};

TEST(CheckHandlers, all_is_well__expect_no_violation) {
  HandlerScript script;
  EXPECT_EQ(script.found(), 0u);
  script.end(2, {0, 1, 2});
  EXPECT_EQ(script.found(), 0u);
}

TEST(CheckHandlers, a_grant_that_nothing_gives__expect_a_violation) {
  using Grant = std::pair<uint32_t, uint64_t>;  // holder and place
  for (const auto& [holder, place] : {Grant{2, 7}, Grant{1, 8}}) {
    HandlerScript script(false);
    script.tell(2, Lock::kMoved, holder, 1, place);
    EXPECT_EQ(script.found(), 1u) << holder << " by " << place;
  }
  HandlerScript script;
  script.tell(2, Lock::kFreed, kNobody, 1, 7);
  EXPECT_EQ(script.found(), 1u) << "freed, and nobody has released it";
}

TEST(CheckHandlers, a_step_twice_or_out_of_order__expect_a_violation) {
  HandlerScript twice;
  twice.tell(2, Lock::kMoved, 1, 1, 7);
  EXPECT_EQ(twice.found(), 1u);
  HandlerScript back;
  back.tell(2, Lock::kGranted, 0, 1, 4);
  EXPECT_EQ(back.found(), 1u);
  HandlerScript again;
  again.tell(1, Lock::kGranted, 1, 1, 7);
  EXPECT_EQ(again.found(), 0u) << "its own, told again";
}

TEST(CheckHandlers, granted_for_moved__expect_a_violation_but_at_a_first_view) {
  HandlerScript script(false);
  script.tell(2, Lock::kGranted, 1, 1, 7);
  EXPECT_EQ(script.found(), 1u);
  HandlerScript newcomer(false);
  newcomer.log_.group_told.erase(newcomer.log_.group_told.begin() + 2);
  newcomer.tell(2, Lock::kGranted, 1, 1, 7);
  EXPECT_EQ(newcomer.found(), 0u);
}

TEST(CheckHandlers, the_end__expect_every_member_to_know_the_last_holder_who_is_a_member) {
  HandlerScript untold(false);
  untold.end(2, {0, 1, 2});
  EXPECT_EQ(untold.found(), 1u);
  HandlerScript gone;
  gone.end(2, {0, 2});
  EXPECT_EQ(gone.found(), 1u);
  HandlerScript none(false);
  none.log_.group_told.clear();
  none.end(2, {0, 1, 2});
  EXPECT_EQ(none.found(), 1u) << "told of nothing at all";
}

TEST(CheckFenced, an_older_token_behind_a_newer_one__expect_it_refused) {
  LockScript script;
  script.write(0, 1, 4, true);
  script.write(1, 1, 7, true);
  script.write(0, 1, 4, false);
  EXPECT_EQ(script.violations(check_fenced), 0u);
  script.write(0, 1, 4, true);
  EXPECT_EQ(script.violations(check_fenced), 1u);
}

TEST(CheckFenced, two_lives_by_one_token__expect_a_violation) {
  LockScript script;
  script.write(0, 2, 0, true);
  script.write(0, 2, 0, true);
  EXPECT_EQ(script.violations(check_fenced), 0u);
  script.write(1, 2, 0, true);
  EXPECT_EQ(script.violations(check_fenced), 1u);
}

}  // namespace
}  // namespace lambdacast::sim
