// SPDX-License-Identifier: BSD-3-Clause
// As mutation_test.cc, of a mutant made by a patch: this program has its own copy of one source,
// with tests/sim/patches/NAME.patch applied, in place of the library's (tests/unit/sim/meson.build,
// which defines the macros).

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>

#include "sim/multicast/random_rates.h"
#include "sim/multicast/random_scenario.h"
#include "sim/multicast/random_views.h"
#include "sim/multicast/run_seed.h"

namespace lambdacast::sim {
namespace {

bool is_said(const std::string& violation) {
  static const std::regex said(MUTANT_IS_SAID);
  return std::regex_search(violation, said);
}

// An empty pattern would take any violation for the mutant's.
static_assert(sizeof(MUTANT_IS_SAID) > 1);

TEST(PatchedMutation, expect_it_found_within_a_thousand_seeds_by_its_checker) {
  constexpr uint64_t kBefore = MUTANT_SEEDS;
  for (uint64_t seed = kBefore + 1; seed <= kBefore + 1000; ++seed) {
    const SeedResult result = run_seed(seed);
    if (result.violations.empty()) continue;
    EXPECT_TRUE(std::ranges::any_of(result.violations, is_said))
        << "seed " << seed << ": " << result.violations.front();
    std::printf("found by seed %lu: %s\n", static_cast<unsigned long>(seed - kBefore),
                result.violations.front().c_str());
    return;
  }
  ADD_FAILURE() << "no violation in a thousand seeds";
}

}  // namespace
}  // namespace lambdacast::sim
