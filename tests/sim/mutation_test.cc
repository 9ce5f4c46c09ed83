// SPDX-License-Identifier: BSD-3-Clause
// Do the checkers find a broken core? Each mutant breaks one mechanism of the shipped core, from
// outside: by its configuration, or as a man in the middle between it and its host who swallows,
// repeats or alters what passes. The campaign must find each within a thousand seeds.

#include <gtest/gtest.h>

#include "mutants.h"
#include "sim/multicast/run_seed.h"

namespace lambdacast::sim {
namespace {

// Seeds until the campaign finds the mutant; 0: not within a thousand.
uint64_t seeds_to_find(const EndpointFactory& mutant) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    if (!run_seed(seed, mutant).violations.empty()) return seed;
  }
  return 0;
}

class Mutation : public ::testing::TestWithParam<Mutant> {};

TEST_P(Mutation, campaign__expect_it_found_within_a_thousand_seeds) {
  const uint64_t seed = seeds_to_find(GetParam().factory);
  EXPECT_NE(seed, 0u) << GetParam().name;
  if (seed != 0) RecordProperty("found_at_seed", static_cast<int>(seed));
}

INSTANTIATE_TEST_SUITE_P(Each, Mutation, ::testing::ValuesIn(all_mutants()),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(MutationOfNothing, campaign__expect_the_same_runs_as_without_a_man_in_the_middle) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const SeedResult result = run_seed(seed, harmless_middle());
    EXPECT_TRUE(result.violations.empty()) << seed;
    EXPECT_EQ(result.trace_hash, run_seed(seed).trace_hash) << seed;
  }
}

}  // namespace
}  // namespace lambdacast::sim
