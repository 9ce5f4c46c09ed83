// SPDX-License-Identifier: BSD-3-Clause
#include "lock_script.h"
#include "sim/multicast/group_host.h"

namespace lambdacast::sim {
namespace {

using Lock = GroupTold::Lock;

// A group that needs two members: lives 0 and 1 are told of it.
class SuspendedScript : public LockScript {
 public:
  SuspendedScript() { scenario_.groups.suspended_locks = true; }
  void view(uint32_t life, bool suspended) {
    suspend(life, suspended);
    log_.group_told.back().name = kSuspendedName;
  }
  void lock(uint32_t life, Lock what, uint32_t holder, uint64_t epoch, uint64_t place) {
    tell(life, what, holder, epoch, place);
    log_.group_told.back().name = kSuspendedName;
  }
  void stands(uint32_t life, const Lives& members) {
    end(life, members);
    auto& groups = log_.group_standings.back().groups;
    groups.insert(groups.begin(), GroupStanding::Group{});
  }
  [[nodiscard]] size_t found() const { return violations(check_suspended); }
};

// Life 0 waits until life 1 has come, and then has it by place 6.
SuspendedScript withheld() {
  SuspendedScript script;
  script.view(0, true);
  script.lock(0, Lock::kQueued, kNobody, 0, 0);
  script.view(0, false);
  script.lock(0, Lock::kMoved, 0, 1, 6);
  script.view(1, false);
  script.lock(1, Lock::kGranted, 0, 1, 6);
  return script;
}

TEST(CheckSuspended, granted_once_the_group_goes_on__expect_no_violation) {
  SuspendedScript script = withheld();
  script.stands(0, {0, 1});
  script.stands(1, {0, 1});
  EXPECT_EQ(script.found(), 0u);
  script.scenario_.groups.suspended_locks = false;
  script.lock(0, Lock::kMoved, 1, 1, 5);
  EXPECT_EQ(script.found(), 0u) << "not looked at";
}

TEST(CheckSuspended, granted_in_a_suspension__expect_a_violation_but_at_a_first_view) {
  SuspendedScript script = withheld();
  script.view(0, true);
  EXPECT_EQ(script.found(), 0u);
  script.lock(0, Lock::kFreed, kNobody, 1, 6);
  EXPECT_EQ(script.found(), 0u) << "what is held may be given back";
  script.lock(0, Lock::kMoved, 1, 1, 9);
  EXPECT_EQ(script.found(), 1u);
  SuspendedScript newcomer;
  newcomer.view(1, true);
  newcomer.lock(1, Lock::kGranted, 0, 1, 6);
  EXPECT_EQ(newcomer.found(), 0u);
}

TEST(CheckSuspended, two_histories__expect_a_violation) {
  SuspendedScript other = withheld();
  other.lock(0, Lock::kMoved, 1, 1, 9);
  other.lock(1, Lock::kMoved, 2, 1, 8);
  EXPECT_EQ(other.found(), 1u);
  SuspendedScript two = withheld();
  two.lock(0, Lock::kMoved, 1, 1, 9);
  two.lock(1, Lock::kMoved, 0, 1, 9);
  EXPECT_EQ(two.found(), 2u) << "one token for two, and another change than others";
  SuspendedScript older = withheld();
  older.lock(1, Lock::kGranted, 1, 1, 5);
  EXPECT_EQ(older.found(), 1u);
}

TEST(CheckSuspended, waiting_in_the_end__expect_a_violation_if_nobody_has_it) {
  SuspendedScript script = withheld();
  script.lock(1, Lock::kQueued, 0, 1, 6);
  script.stands(1, {0, 1});
  EXPECT_EQ(script.found(), 0u) << "life 0 has it";
  script.lock(1, Lock::kFreed, kNobody, 1, 6);
  EXPECT_EQ(script.found(), 1u);
  SuspendedScript withdrawn = script;
  withdrawn.say(LockSaid::What::kWithdraw, 1, 11);
  EXPECT_EQ(withdrawn.found(), 0u);
  script.view(1, true);
  EXPECT_EQ(script.found(), 0u) << "suspended again";
  SuspendedScript gone = withheld();
  gone.stands(1, {1, 2});
  EXPECT_EQ(gone.found(), 1u) << "held by who is no member";
}

}  // namespace
}  // namespace lambdacast::sim
