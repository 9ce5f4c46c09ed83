// SPDX-License-Identifier: BSD-3-Clause
// As mutation_test.cc, of membership and total order: the campaign of views has to find each within
// two thousand seeds.

#include <gtest/gtest.h>

#include "mutants.h"
#include "sim/multicast/random_views.h"
#include "sim/multicast/run_seed.h"

namespace lambdacast::sim {
namespace {

class ViewMutation : public ::testing::TestWithParam<Mutant> {};

TEST_P(ViewMutation, campaign__expect_it_found_within_two_thousand_seeds) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    const SeedResult result = run_seed(kViewSeeds + seed, GetParam().factory);
    if (result.violations.empty()) continue;
    RecordProperty("found_at_seed", static_cast<int>(seed));
    RecordProperty("by", result.violations.front());
    return;
  }
  ADD_FAILURE() << GetParam().name << ": no violation in two thousand seeds";
}

INSTANTIATE_TEST_SUITE_P(Each, ViewMutation, ::testing::ValuesIn(view_mutants()),
                         [](const auto& each) { return std::string(each.param.name); });

class DeathMutation : public ::testing::TestWithParam<Mutant> {};

TEST_P(DeathMutation, campaign__expect_it_found_within_two_thousand_seeds) {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    const SeedResult result = run_seed(kDeathSeeds + seed, GetParam().factory);
    if (result.violations.empty()) continue;
    RecordProperty("found_at_seed", static_cast<int>(seed));
    RecordProperty("by", result.violations.front());
    return;
  }
  ADD_FAILURE() << GetParam().name << ": no violation in two thousand seeds";
}

INSTANTIATE_TEST_SUITE_P(Each, DeathMutation, ::testing::ValuesIn(death_mutants()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(ViewMutationOfNothing, campaign__expect_the_same_runs_as_without_a_man_in_the_middle) {
  for (uint64_t seed = kViewSeeds + 1; seed <= kViewSeeds + 20; ++seed) {
    const SeedResult result = run_seed(seed, harmless_middle());
    EXPECT_TRUE(result.violations.empty()) << seed << ": " << result.violations.front();
    EXPECT_EQ(result.trace_hash, run_seed(seed).trace_hash) << seed;
  }
}

}  // namespace
}  // namespace lambdacast::sim
