// SPDX-License-Identifier: BSD-3-Clause
// As mutation_test.cc, of the token ring (ring_mutants.h): each mutant begins at a seed that finds
// it.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ring_mutants.h"
#include "sim/multicast/random_ring.h"
#include "sim/multicast/run_seed.h"

namespace lambdacast::sim {
namespace {

struct Broken {
  const char* name;
  RingMutant mutant;
  uint64_t seed;        // behind kRingSeeds, that finds it
  const char* checker;  // whose violation is among them
};
void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

class RingMutation : public ::testing::TestWithParam<Broken> {
 protected:
  void TearDown() override { ring_mutant = RingMutant::kNone; }
};

TEST_P(RingMutation, one_run__expect_it_found_by_its_checker) {
  const Broken& broken = GetParam();
  ring_mutant = broken.mutant;
  const Violations found = run_seed(kRingSeeds + broken.seed).violations;
  EXPECT_TRUE(std::ranges::any_of(
      found, [&](const std::string& said) { return said.starts_with(broken.checker); }))
      << found.size() << " violations";
  ring_mutant = RingMutant::kNone;
  EXPECT_EQ(run_seed(kRingSeeds + broken.seed).violations, Violations{}) << "without the mutant";
}

constexpr Broken kBroken[] = {
    {"passes_what_it_heard", RingMutant::kPassesWhatItHeard, 4, "Token: "},
    {"counts_the_next_site", RingMutant::kCountsTheNextSite, 0, "Held: "},
    {"goes_on_after_promise", RingMutant::kGoesOnAfterPromise, 236, "K: "},
    {"numbers_run_on", RingMutant::kNumbersRunOn, 2, "Progress: "},
    {"site_by_suspicion", RingMutant::kSiteBySuspicion, 0, "Token: "},
    {"rests_while_awaited", RingMutant::kRestsWhileAwaited, 0, "Progress: "},
    {"rests_when_it_knows", RingMutant::kRestsWhenItKnows, 0, "Liveness: "},
    {"never_rests", RingMutant::kNeverRests, 0, "Token: "},
    {"forgets_max_n", RingMutant::kForgetsMaxN, 364, "MaxN: "},
};
INSTANTIATE_TEST_SUITE_P(Each, RingMutation, ::testing::ValuesIn(kBroken),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(RingMutationOfNothing, seeds_of_rings__expect_no_violation) {
  for (uint64_t seed = kRingSeeds + 1; seed <= kRingSeeds + 3; ++seed)
    EXPECT_EQ(run_seed(seed).violations, Violations{}) << seed;
}

}  // namespace
}  // namespace lambdacast::sim
