// SPDX-License-Identifier: BSD-3-Clause
#include "rate_script.h"

namespace lambdacast::sim {
namespace {

// 80 Mbit/s, a frame each 100 us.
class CheckStarvedTest : public ::testing::Test {
 protected:
  CheckStarvedTest() { script_.allow(0, 80 * kScriptMega); }
  [[nodiscard]] size_t found() { return check_starved(script_.scenario_, script_.log_).size(); }
  RateScript script_;
};

TEST_F(CheckStarvedTest, it_sends_what_it_may__expect_no_violation) {
  script_.wait_to_send(0, 4'000'000);
  script_.send(0, 40, 100'000);
  EXPECT_EQ(found(), 0u);
}

TEST_F(CheckStarvedTest, it_sends_half_of_that__expect_a_violation_in_each_millisecond) {
  script_.wait_to_send(0, 4'000'000);
  script_.send(0, 20, 200'000);
  EXPECT_EQ(found(), 4u);
}

TEST_F(CheckStarvedTest, nothing_waits__expect_no_violation) {
  script_.wait_to_send(0, 900'000);
  script_.send(0, 20, 200'000);
  EXPECT_EQ(found(), 0u);
}

TEST_F(CheckStarvedTest, what_waits_may_wait_for_a_window__expect_no_violation) {
  script_.wait_to_send(0, 4'000'000);
  script_.log_.publications.back().qos = wire::Qos::kReliable;
  EXPECT_EQ(found(), 0u);
}

TEST_F(CheckStarvedTest, it_is_polled_seldom__expect_no_violation) {
  script_.scenario_.nodes[0].poll_every_ns = 50'000;
  script_.wait_to_send(0, 4'000'000);
  EXPECT_EQ(found(), 0u);
}

}  // namespace
}  // namespace lambdacast::sim
