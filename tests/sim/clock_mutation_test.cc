// SPDX-License-Identifier: BSD-3-Clause
// Mutants of the tree of clocks (clock_mutants.h): within 2 000 small seeds a checker has to object
// to each, and to nothing in what ships.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <ostream>
#include <string>

#include "clock_mutants.h"
#include "sim/fabrics/clock_random.h"

namespace lambdacast::sim {
namespace {

struct Broken {
  const char* name;
  ClockMutant mutant;
};
void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

// Empty: no checker objects to that seed.
std::string objection(uint64_t seed) {
  fabrics::RandomClock drawn = fabrics::random_clock(seed, 12);
  drawn.scenario.limit_ns = 8'000'000;
  const fabrics::ClockRun run = run_clock(drawn.fabric, drawn.tree, drawn.scenario);
  return run.violations.empty() ? "" : run.violations.front();
}

class ClockMutation : public ::testing::TestWithParam<Broken> {
 protected:
  void TearDown() override { clock_mutant = ClockMutant::kNone; }
};

TEST_P(ClockMutation, small_seeds__expect_a_checker_to_object) {
  clock_mutant = GetParam().mutant;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    const std::string said = objection(seed);
    if (said.empty()) continue;
    std::printf("found by seed %lu: %s\n", static_cast<unsigned long>(seed), said.c_str());
    return;
  }
  ADD_FAILURE() << "no violation in 2 000 seeds";
}

constexpr Broken kBroken[] = {
    {"echoes_before_a_child", ClockMutant::kEchoesBeforeAChild},
    {"second_arm_of_the_same_child", ClockMutant::kSecondArmOfTheSameChild},
    {"result_not_passed_on", ClockMutant::kResultNotPassedOn},
    {"old_root_stays", ClockMutant::kOldRootStays},
    {"waits_for_the_dead", ClockMutant::kWaitsForTheDead},
    {"keeps_what_was_due", ClockMutant::kKeepsWhatWasDue},
    {"generations_of_no_account", ClockMutant::kGenerationsOfNoAccount},
    {"age_forgotten", ClockMutant::kAgeForgotten},
    {"generation_not_raised", ClockMutant::kGenerationNotRaised},
    {"patient_for_ever", ClockMutant::kPatientForEver},
    {"silence_of_no_account", ClockMutant::kSilenceOfNoAccount},
    {"hops_forgotten", ClockMutant::kHopsForgotten},
    {"unpaced", ClockMutant::kUnpaced},
};
INSTANTIATE_TEST_SUITE_P(Each, ClockMutation, ::testing::ValuesIn(kBroken),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ClockMutationOfNothing, small_seeds__expect_no_objection) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) EXPECT_EQ(objection(seed), "") << seed;
}

}  // namespace
}  // namespace lambdacast::sim
