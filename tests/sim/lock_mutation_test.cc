// SPDX-License-Identifier: BSD-3-Clause
// As rate_mutation_test.cc, of the locks of groups and of calls (lock_mutants.h): each mutant has
// to be found within 2 000 seeds from its first one on, and the checker that it is for has to say
// so.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "lock_mutants.h"
#include "sim/multicast/random_views.h"
#include "sim/multicast/run_seed.h"

namespace lambdacast::sim {
namespace {

struct Broken {
  const char* name;
  LockMutant mutant;
  uint64_t first;       // seed, behind kHandlerSeeds
  const char* checker;  // whose violation is among them
};
void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

bool finds(uint64_t seed, const char* checker) {
  const Violations found = run_seed(kHandlerSeeds + seed).violations;
  return std::ranges::any_of(found,
                             [&](const std::string& said) { return said.starts_with(checker); });
}

class LockMutation : public ::testing::TestWithParam<Broken> {
 protected:
  void TearDown() override { lock_mutant = LockMutant::kNone; }
};

TEST_P(LockMutation, seeds_of_locks__expect_it_found_by_its_checker) {
  const Broken& broken = GetParam();
  lock_mutant = broken.mutant;
  constexpr uint64_t kMost = 2000;
  uint64_t seed = broken.first;
  while (seed < broken.first + kMost && !finds(seed, broken.checker)) ++seed;
  EXPECT_LT(seed, broken.first + kMost) << "not found";
  lock_mutant = LockMutant::kNone;
  EXPECT_FALSE(finds(seed, broken.checker)) << "found without the mutant, too";
  std::printf("%s: seed %lu\n", broken.name, static_cast<unsigned long>(seed));
}

constexpr uint64_t kSuspended = kSuspendedSeeds - kHandlerSeeds;
constexpr Broken kBroken[] = {
    {"queue_by_rank", LockMutant::kQueueByRank, 5, "Handlers: "},
    {"kept_past_a_departure", LockMutant::kKeptPastADeparture, 2, "Handlers: "},
    {"released_without_token", LockMutant::kReleasedWithoutToken, 2, "Handlers: "},
    {"old_token_in_a_new_view", LockMutant::kOldTokenInANewView, 15, "Fenced: "},
    {"granted_without_state", LockMutant::kGrantedWithoutState, 4, "Handlers: "},
    {"held_ones_untold", LockMutant::kHeldOnesUntold, 2, "Handlers: "},
    {"queue_kept_at_a_leave", LockMutant::kQueueKeptAtALeave, 5, "Handlers: "},
    {"everybody_answers", LockMutant::kEverybodyAnswers, 0, "Outcome: "},
    {"silent_when_it_leaves", LockMutant::kSilentWhenItLeaves, 0, "Outcome: "},
    {"silent_without_ticket", LockMutant::kSilentWithoutTicket, 23, "Outcome: "},
    {"departed_untold", LockMutant::kDepartedUntold, 15, "Outcome: "},
    {"departed_answers_lost", LockMutant::kDepartedAnswersLost, 1074, "Outcome: "},
    {"ends_with_the_first", LockMutant::kEndsWithTheFirst, 0, "Outcome: "},
    {"repetition_executed", LockMutant::kRepetitionExecuted, 0, "Once: "},
    {"refusal_takes_no_number", LockMutant::kRefusalTakesNoNumber, 107, "Outcome: "},
    {"last_use_left_out", LockMutant::kLastUseLeftOut, 38, ""},
    {"sessions_left_out", LockMutant::kSessionsLeftOut, 0, ""},
    {"floor_past_a_call", LockMutant::kFloorPastACall, 0, "Outcome: "},
    {"keepers_answer", LockMutant::kKeepersAnswer, 0, "Outcome: "},
    {"one_refusal_for_all", LockMutant::kOneRefusalForAll, 45, "Outcome: "},
    {"told_before_locks_move", LockMutant::kToldBeforeLocksMove, 2, "Handlers: "},
    {"holder_as_of_the_answer", LockMutant::kHolderAsOfTheAnswer, 0, "Outcome: "},
    {"status_at_the_mark", LockMutant::kStatusAtTheMark, 0, "Outcome: "},
    {"granted_though_suspended", LockMutant::kGrantedThoughSuspended, kSuspended, "Suspended: "},
    {"withheld_for_ever", LockMutant::kWithheldForEver, kSuspended, "Suspended: "},
    {"no_for_expired", LockMutant::kNoForExpired, 38, "Outcome: "},
};
INSTANTIATE_TEST_SUITE_P(Each, LockMutation, ::testing::ValuesIn(kBroken),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(LockMutationOfNothing, seeds_of_locks__expect_no_violation) {
  for (uint64_t seed = kHandlerSeeds + 1; seed <= kHandlerSeeds + 3; ++seed)
    EXPECT_EQ(run_seed(seed).violations, Violations{}) << seed;
}

}  // namespace
}  // namespace lambdacast::sim
