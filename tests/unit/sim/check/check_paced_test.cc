// SPDX-License-Identifier: BSD-3-Clause
#include "rate_script.h"

namespace lambdacast::sim {
namespace {

class CheckPacedTest : public ::testing::Test {
 protected:
  [[nodiscard]] size_t found() { return check_paced(script_.scenario_, script_.log_).size(); }
  // A burst goes at a high rate, which falls behind it.
  void send_a_burst_and_fall() {
    script_.scenario_.nodes[0].rate.burst_ns = 1'000'000;
    script_.allow(0, 800 * kScriptMega);
    script_.send(0, 1, 10'000'000);
    script_.send(0, 20, 2'000);
    script_.allow(0, 8 * kScriptMega);
  }
  RateScript script_;
};

TEST_F(CheckPacedTest, data_at_the_allowance_behind_a_burst__expect_no_violation) {
  script_.allow(0, 8 * kScriptMega);
  script_.send(0, 50, 1'000'000);
  EXPECT_EQ(found(), 0u);
}

TEST_F(CheckPacedTest, data_a_tenth_faster__expect_a_violation) {
  script_.allow(0, 8 * kScriptMega);
  script_.send(0, 50, 909'000);
  EXPECT_GT(found(), 0u);
}

TEST_F(CheckPacedTest, control_beside_it__expect_it_not_to_count) {
  script_.allow(0, 8 * kScriptMega);
  script_.send(0, 50, 909'000);
  for (OnWire& frame : script_.log_.wire) frame.data = false;
  EXPECT_EQ(found(), 0u);
}

TEST_F(CheckPacedTest, credit_of_a_higher_rate_goes_behind_a_fall__expect_a_violation) {
  script_.scenario_.nodes[0].rate.burst_ns = 1'000'000;
  script_.allow(0, 800 * kScriptMega);
  script_.send(0, 1, 10'000'000);
  script_.allow(0, 8 * kScriptMega);
  script_.send(0, 20, 2'000);
  EXPECT_GT(found(), 0u);
}

TEST_F(CheckPacedTest, port_takes_a_burst_behind_the_fall_that_it_refused_before__expect_none) {
  send_a_burst_and_fall();
  const uint64_t fallen_ns = script_.log_.allowances.back().at_ns;
  for (OnWire& frame : script_.log_.wire)
    frame.at_ns = frame.at_ns < 10'000'000 ? frame.at_ns : fallen_ns + 20'000;
  EXPECT_EQ(found(), 0u);
}

// A node earns a frame in 100 us at 80 Mbit/s, and in ten times as long at 8. A calm node hears of
// the fall within 400 ns, and one that is run each 25 us within 100 us.
TEST_F(CheckPacedTest, node_earns_at_the_higher_rate_until_its_turn__expect_no_violation) {
  for (const bool seldom : {true, false}) {
    RateScript script;
    if (seldom) script.scenario_.nodes[0].poll_every_ns = 25'000;
    script.allow(0, 80 * kScriptMega);
    script.pass(1'000'000);
    script.send(0, 2, 10'000);
    script.allow(0, 8 * kScriptMega);
    script.pass(100'000);
    script.send(0, 1, 10'000);
    EXPECT_EQ(check_paced(script.scenario_, script.log_).empty(), seldom);
  }
}

// The rate falls to a hundredth and rises to a half before the node's turn: the burst of half the
// rate may go then, and one of the whole may not.
TEST_F(CheckPacedTest, rate_falls_and_rises_before_a_turn__expect_the_second_rates_burst) {
  for (const bool half : {true, false}) {
    RateScript script;
    script.scenario_.nodes[0].rate.burst_ns = 1'000'000;
    script.scenario_.nodes[0].poll_every_ns = 25'000;
    script.allow(0, 800 * kScriptMega);
    script.send(0, 1, 10'000'000);
    script.allow(0, 8 * kScriptMega);
    script.allow(0, 400 * kScriptMega);
    script.send(0, half ? 45 : 90, 1'000);
    EXPECT_EQ(check_paced(script.scenario_, script.log_).empty(), half);
  }
}

TEST_F(CheckPacedTest, the_same_before_the_fall__expect_no_violation) {
  send_a_burst_and_fall();
  EXPECT_EQ(found(), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
