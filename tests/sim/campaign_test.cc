// A few hundred random scenarios through every checker. A failing seed is replayed exactly with
//   --gtest_filter='Campaign.*' and LAMBDACAST_FIRST_SEED=<seed> LAMBDACAST_SEEDS=1.

#include <gtest/gtest.h>

#include <cstdlib>

#include "sim/checkers.h"
#include "sim/truth.h"

namespace lambdacast::sim {
namespace {

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 0);
}

// So that a campaign in which nothing happens fails.
struct Coverage {
  uint64_t delivered = 0;
  uint64_t not_subscribed = 0;
  uint64_t lost_at_transmitter = 0;
  uint64_t lost_at_receiver = 0;
  uint64_t lost_corrupted = 0;
  uint64_t lost_too_old = 0;
  uint64_t lost_peer_table_full = 0;
  uint64_t late = 0;
  uint64_t duplicates = 0;
  uint64_t psn_wraps = 0;

  void add(const Truth& truth) {
    for (const auto& of_sender : truth.pairs) {
      for (const PairTruth& pair : of_sender) {
        delivered += pair.to_deliver;
        not_subscribed += pair.not_subscribed;
        lost_at_transmitter += pair.lost_at_transmitter;
        lost_at_receiver += pair.lost_at_receiver;
        lost_corrupted += pair.lost_corrupted;
        lost_too_old += pair.lost_too_old;
        lost_peer_table_full += pair.lost_peer_table_full;
        late += pair.late;
        duplicates += pair.duplicates;
        psn_wraps += pair.psn_wraps;
      }
    }
  }
};

TEST(Campaign, random_scenarios__expect_no_violation_and_every_kind_of_loss) {
  const uint64_t first = from_environment("LAMBDACAST_FIRST_SEED", 1);
  const uint64_t seeds = from_environment("LAMBDACAST_SEEDS", 300);
  Coverage coverage;
  for (uint64_t seed = first; seed < first + seeds; ++seed) {
    const Scenario scenario = random_scenario(seed);
    const Report report = Simulation(scenario, seed).run();
    const Violations violations = check_all(scenario, report);
    ASSERT_TRUE(violations.empty()) << "seed " << seed << ": " << violations.size()
                                    << " violations, the first: " << violations.front();
    coverage.add(derive_truth(scenario, report));
  }
  if (seeds < 300) return;
  EXPECT_GT(coverage.delivered, 10'000u);
  EXPECT_GT(coverage.not_subscribed, 10'000u);
  EXPECT_GT(coverage.lost_at_transmitter, 100u);
  EXPECT_GT(coverage.lost_at_receiver, 1000u);
  EXPECT_GT(coverage.lost_corrupted, 100u);
  EXPECT_GT(coverage.lost_too_old, 10u);
  EXPECT_GT(coverage.lost_peer_table_full, 100u);
  EXPECT_GT(coverage.late, 1000u);
  EXPECT_GT(coverage.duplicates, 1000u);
  EXPECT_GT(coverage.psn_wraps, 100u);
}

TEST(Campaign, equal_seeds__expect_equal_traces_and_different_ones_otherwise) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Scenario scenario = random_scenario(seed);
    const uint64_t hash = Simulation(scenario, seed).run().trace_hash;
    EXPECT_EQ(Simulation(scenario, seed).run().trace_hash, hash) << "seed " << seed;
    EXPECT_NE(Simulation(scenario, seed + 1000).run().trace_hash, hash) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lambdacast::sim
