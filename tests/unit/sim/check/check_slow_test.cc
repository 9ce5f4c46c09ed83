// SPDX-License-Identifier: BSD-3-Clause
#include "true_run.h"

namespace lambdacast::sim {
namespace {

using What = reliability::ReceiverEvent::What;

// A run with a receiver that hears nothing for a while, under a sender that evicts.
class CheckSlowTest : public ::testing::Test {
 protected:
  static Scenario make() {
    Scenario scenario = busy_scenario(200);
    scenario.nodes[0].traffic.publish_every_ns = 20'000;
    scenario.nodes[0].repair.slow_receiver = reliability::SlowReceiver::kEvict;
    scenario.fabric.partitions.push_back({0, 2, 2'000'000, 5'000'000});
    scenario.epilogue_ns = 20'000'000;
    scenario.end_ns = 30'000'000;
    return scenario;
  }
  CheckSlowTest() : scenario_(make()), log_(Simulation(scenario_, 1).run().log) {}
  size_t violations() { return check_slow(scenario_, log_).size(); }

  Scenario scenario_;
  Log log_;
};

TEST_F(CheckSlowTest, cut_off_in_time__expect_no_violation) {
  EXPECT_EQ(std::count_if(log_.memberships.begin(), log_.memberships.end(),
                          [](const Membership& each) { return each.what == What::kEvictedLag; }),
            1);
  EXPECT_EQ(violations(), 0u);
}

TEST_F(CheckSlowTest, cut_off_too_late_or_never__expect_violation) {
  const auto evicted =
      std::find_if(log_.memberships.begin(), log_.memberships.end(),
                   [](const Membership& each) { return each.what == What::kEvictedLag; });
  evicted->at_ns += 1'000'000;
  EXPECT_EQ(violations(), 1u);
  log_.memberships.erase(evicted);
  EXPECT_EQ(violations(), 1u);
}

TEST_F(CheckSlowTest, waited_for_by_a_sender_that_paces_or_was_paused__expect_no_violation) {
  std::erase_if(log_.memberships,
                [](const Membership& each) { return each.what == What::kEvictedLag; });
  Scenario evicting = scenario_;
  scenario_.nodes[0].repair.slow_receiver = reliability::SlowReceiver::kPace;
  EXPECT_EQ(violations(), 0u);
  scenario_ = evicting;
  scenario_.actions.push_back({2'000'000, 0, Action::What::kPause});
  EXPECT_EQ(violations(), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
