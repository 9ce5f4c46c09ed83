// As mutation_test.cc, of a mutant made by a patch: this program has its own sender_core.cc, with
// tests/sim/patches/no_hold_off.patch applied, in place of the library's.

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/run_seed.h"

namespace lambdacast::sim {
namespace {

TEST(PatchedMutation,
     repairs_not_held_off__expect_it_found_within_a_thousand_seeds_by_its_checker) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    const SeedResult result = run_seed(seed);
    if (result.violations.empty()) continue;
    EXPECT_TRUE(std::any_of(result.violations.begin(), result.violations.end(),
                            [](const std::string& violation) {
                              return violation.ends_with("repairs were of use to nobody");
                            }))
        << result.violations.front();
    return;
  }
  ADD_FAILURE() << "no violation in a thousand seeds";
}

}  // namespace
}  // namespace lambdacast::sim
