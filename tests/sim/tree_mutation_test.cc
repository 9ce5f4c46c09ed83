// SPDX-License-Identifier: BSD-3-Clause
// Mutants of the repair of multicast trees (tree_mutants.h): within 2 000 small seeds a checker has
// to object to each, and to nothing in what ships.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <ostream>
#include <string>

#include "sim/fabrics/tree_random.h"
#include "tree_mutants.h"

namespace lambdacast::sim {
namespace {

struct Broken {
  const char* name;
  TreeMutant mutant;
};
void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

// Empty: no checker objects to that seed.
std::string objection(uint64_t seed) {
  fabrics::RandomTrees drawn = fabrics::random_trees(seed, 12);
  drawn.scenario.limit_ns /= 5;
  const fabrics::TreeRun run = run_trees(drawn.fabric, drawn.installed, drawn.scenario);
  return run.violations.empty() ? "" : run.violations.front();
}

class TreeMutation : public ::testing::TestWithParam<Broken> {
 protected:
  void TearDown() override { tree_mutant = TreeMutant::kNone; }
};

TEST_P(TreeMutation, small_seeds__expect_a_checker_to_object) {
  tree_mutant = GetParam().mutant;
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    const std::string said = objection(seed);
    if (said.empty()) continue;
    std::printf("found by seed %lu: %s\n", static_cast<unsigned long>(seed), said.c_str());
    return;
  }
  ADD_FAILURE() << "no violation in 2 000 seeds";
}

constexpr Broken kBroken[] = {
    {"own_left_out", TreeMutant::kOwnLeftOut},
    {"generation_not_raised", TreeMutant::kGenerationNotRaised},
    {"forgets_the_others", TreeMutant::kForgetsTheOthers},
    {"joins_without_its_news", TreeMutant::kJoinsWithoutItsNews},
    {"echo_before_a_child", TreeMutant::kEchoBeforeAChild},
    {"above_without_siblings", TreeMutant::kAboveWithoutSiblings},
    {"above_of_itself", TreeMutant::kAboveOfItself},
    {"not_sent_again", TreeMutant::kNotSentAgain},
    {"names_the_old_again", TreeMutant::kNamesTheOldAgain},
    {"hangs_on_the_dead", TreeMutant::kHangsOnTheDead},
    {"unpaced", TreeMutant::kUnpaced},
    {"next_round_taken_at_once", TreeMutant::kNextRoundTakenAtOnce},
    {"rounds_of_no_account", TreeMutant::kRoundsOfNoAccount},
    {"one_way_alone", TreeMutant::kOneWayAlone},
    {"nobody_counts", TreeMutant::kNobodyCounts},
    {"farthest_of_the_root", TreeMutant::kFarthestOfTheRoot},
};
INSTANTIATE_TEST_SUITE_P(Each, TreeMutation, ::testing::ValuesIn(kBroken),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(TreeMutationOfNothing, small_seeds__expect_no_objection) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) EXPECT_EQ(objection(seed), "") << seed;
}

}  // namespace
}  // namespace lambdacast::sim
