// SPDX-License-Identifier: BSD-3-Clause
// As mutation_test.cc, of the rate protocol (rate_mutants.h). A seed of rates takes a second or so:
// each mutant begins just before a seed that finds it, and the checker that it is for has to say
// so.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "flooding.h"
#include "rate_mutants.h"
#include "sim/multicast/random_rates.h"
#include "sim/multicast/run_seed.h"

namespace lambdacast::sim {
namespace {

struct Broken {
  const char* name;
  RateMutant mutant;
  uint64_t seed;        // behind kRateSeeds, that finds it; 0: a scripted scenario does
  const char* checker;  // whose violation is among them
  Scenario (*script)() = nullptr;
};
void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.name; }

Violations run(const Scenario& scenario) {
  return check_all(scenario, Simulation(scenario, 1).run().log);
}

class RateMutation : public ::testing::TestWithParam<Broken> {
 protected:
  void TearDown() override { rate_mutant = RateMutant::kNone; }
};

TEST_P(RateMutation, one_run__expect_it_found_by_its_checker) {
  const Broken& broken = GetParam();
  rate_mutant = broken.mutant;
  const auto violations = [&] {
    return broken.script == nullptr ? run_seed(kRateSeeds + broken.seed).violations
                                    : run(broken.script());
  };
  const Violations found = violations();
  EXPECT_TRUE(std::ranges::any_of(
      found, [&](const std::string& said) { return said.starts_with(broken.checker); }))
      << found.size() << " violations";
  rate_mutant = RateMutant::kNone;
  EXPECT_EQ(violations(), Violations{}) << "without the mutant";
}

constexpr Broken kBroken[] = {
    {"falls_when_settled", RateMutant::kFallsWhenSettled, 4, "Shares: "},
    {"one_acknowledgement_short", RateMutant::kOneAcknowledgementShort, 14, "Shares: "},
    {"never_rises", RateMutant::kNeverRises, 2, "Fair: "},
    {"newcomer_counts_zeros", RateMutant::kNewcomerCountsZeros, 19, "Shares: "},
    {"nothing_kept_for_the_departed", RateMutant::kNothingKeptForTheDeparted, 0,
     "Shares: ", excluded_unheard},
    {"newest_share_for_the_departed", RateMutant::kNewestShareForTheDeparted, 0,
     "Shares: ", excluded_above_its_share},
    {"kept_for_no_time", RateMutant::kKeptForNoTime, 0, "Shares: ", excluded_unheard},
    {"kept_for_ever", RateMutant::kKeptForEver, 0, "Fair: ", excluded_unheard},
    {"lease_without_end", RateMutant::kLeaseWithoutEnd, 0, "Outside: ", woken_in_the_past},
    {"lived_time", RateMutant::kLivedTime, 0, "Outside: ", woken_in_the_past},
    {"hears_the_past", RateMutant::kHearsThePast, 0, "Outside: ", woken_in_the_past},
    {"hears_old_words", RateMutant::kHearsOldWords, 0, "Outside: ", behind_its_port},
    {"repairs_unpaid", RateMutant::kRepairsUnpaid, 4, "Paced: "},
    {"data_unpaid", RateMutant::kDataUnpaid, 0, "Paced: ", flood},
    {"control_unpaid", RateMutant::kControlUnpaid, 0, "Envelope: ", chatty},
};
INSTANTIATE_TEST_SUITE_P(Each, RateMutation, ::testing::ValuesIn(kBroken),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(RateMutationOfNothing, seeds_of_rates__expect_no_violation) {
  for (uint64_t seed = kRateSeeds + 1; seed <= kRateSeeds + 3; ++seed)
    EXPECT_EQ(run_seed(seed).violations, Violations{}) << seed;
}

TEST(RateMutationOfNothing, scripts__expect_no_violation) {
  for (const auto script : {chatty, excluded_unheard, excluded_above_its_share, woken_in_the_past,
                            behind_its_port, flood})
    EXPECT_EQ(run(script()), Violations{});
}

}  // namespace
}  // namespace lambdacast::sim
