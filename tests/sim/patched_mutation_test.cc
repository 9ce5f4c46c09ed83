// SPDX-License-Identifier: BSD-3-Clause
// As mutation_test.cc, of a mutant made by a patch: each program that has this test has its own
// copy of one source, with tests/sim/patches/NAME.patch applied, in place of the library's. The
// environment says where the mutant's seeds begin, MUTANT_SEEDS, and in a regular expression what a
// checker says of it, MUTANT_IS_SAID (tests/sim/meson.build).

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <string>

#include "sim/multicast/random_rates.h"
#include "sim/multicast/random_scenario.h"
#include "sim/multicast/random_views.h"
#include "sim/multicast/run_seed.h"

namespace lambdacast::sim {
namespace {

std::string setting(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? text : "";
}

const std::map<std::string, uint64_t> kBegins = {
    {"seeds", 0},
    {"late seeds", 1000},
    {"kHandlerSeeds", kHandlerSeeds},
    {"kLongSeeds", kLongSeeds},
    {"kPartsSeeds", kPartsSeeds},
    {"kRateSeeds", kRateSeeds},
    {"kViewPartsSeeds", kViewPartsSeeds},
    {"kViewSeeds", kViewSeeds},
};

TEST(PatchedMutation, expect_it_found_within_a_thousand_seeds_by_its_checker) {
  const auto begin = kBegins.find(setting("MUTANT_SEEDS"));
  ASSERT_NE(begin, kBegins.end()) << "MUTANT_SEEDS names no seeds";
  const uint64_t before = begin->second;
  const std::string pattern = setting("MUTANT_IS_SAID");
  // An empty pattern would take any violation for the mutant's.
  ASSERT_FALSE(pattern.empty()) << "MUTANT_IS_SAID is empty";
  const std::regex said(pattern);
  const auto is_said = [&](const std::string& violation) {
    return std::regex_search(violation, said);
  };
  for (uint64_t seed = before + 1; seed <= before + 1000; ++seed) {
    const SeedResult result = run_seed(seed);
    if (result.violations.empty()) continue;
    EXPECT_TRUE(std::ranges::any_of(result.violations, is_said))
        << "seed " << seed << ": " << result.violations.front();
    std::printf("found by seed %lu: %s\n", static_cast<unsigned long>(seed - before),
                result.violations.front().c_str());
    return;
  }
  ADD_FAILURE() << "no violation in a thousand seeds";
}

}  // namespace
}  // namespace lambdacast::sim
