// SPDX-License-Identifier: BSD-3-Clause
#include "console/rate.h"

#include <gtest/gtest.h>

#include "console/grammar.h"
#include "fake_appliance.h"

namespace lambdacast::console {
namespace {

class RateTest : public ::testing::Test {
 protected:
  explicit RateTest(const std::string& defaults =
                        "membership.enabled = true\n"
                        "membership.initial_nodes = 2\n")
      : config_(lambdacast::test::rack_config({.defaults = defaults})) {}

  // Returns what the line has done; its answer is in answer_.
  std::string done(const std::string& line) {
    answer_ = grammar_.run(line);
    return appliance_.done();
  }

  const config::Config config_;
  test::FakeAppliance appliance_;
  LiveConfig live_{appliance_, config_};
  Grammar grammar_{rate_commands(live_)};
  std::string answer_;
};

TEST_F(RateTest, need_limit_and_capacity__expect_all_endpoints_or_the_one_named) {
  EXPECT_EQ(done("set rate need 10M"),
            "rates 0 need 10000000 limit 0 capacity 0; rates 1 need 10000000 limit 0 capacity 0; ");
  EXPECT_EQ(done("set rate capacity 1G node1"),
            "rates 1 need 10000000 limit 0 capacity 1000000000; ");
  EXPECT_EQ(done("set rate limit 20M node1"),
            "rates 1 need 10000000 limit 20000000 capacity 1000000000; ");
  EXPECT_EQ(done("set rate need auto node1"),
            "rates 1 need 0 limit 20000000 capacity 1000000000; ");
  EXPECT_EQ(live_.config().endpoints[1].rate.limit_bps, 20'000'000u);
}

TEST_F(RateTest, values_that_the_configuration_refuses__expect_them_refused_and_nothing_set) {
  EXPECT_EQ(done("set rate capacity 5"), "");
  EXPECT_NE(answer_.find("rate.capacity: 5 is not allowed; allowed: 0 or 1000000.."),
            std::string::npos)
      << answer_;
  EXPECT_EQ(done("set rate limit 5M node0"), "rates 0 need 0 limit 5000000 capacity 0; ");
  EXPECT_EQ(done("set rate need 6M node0"), "");
  EXPECT_NE(answer_.find("a need of no more than the limit"), std::string::npos) << answer_;
  EXPECT_EQ(live_.config().endpoints[0].rate.need_bps, 0u);
  EXPECT_EQ(done("set rate need much"), "");
  EXPECT_EQ(done("set rate speed 1M"), "");
}

TEST_F(RateTest, a_group__expect_its_limit_set_and_kept_in_the_configuration) {
  EXPECT_EQ(done("set rate group 7 2M"), "group 0 7 2000000; group 1 7 2000000; ");
  EXPECT_EQ(done("set rate group 7 3M node1"), "group 1 7 3000000; ");
  ASSERT_EQ(live_.config().endpoints[1].group_rates.size(), 1u);
  EXPECT_EQ(live_.config().endpoints[1].group_rates[0].limit_bps, 3'000'000u);
  EXPECT_EQ(done("set rate group 7 0 node1"), "group 1 7 0; ");
  EXPECT_TRUE(live_.config().endpoints[1].group_rates.empty());
  EXPECT_EQ(done("set rate group 0 2M"), "");
  EXPECT_EQ(done("set rate group 7 12"), "");
  appliance_.refusal = "too many";
  EXPECT_EQ(done("set rate group 8 2M node0"), "group 0 8 2000000; ");
  EXPECT_EQ(live_.config().endpoints[0].group_rates.size(), 1u);
}

TEST_F(RateTest, another_receive_rate__expect_the_capacity_to_follow) {
  fabric::FaultRates faults;
  faults.rx_rate_bps = 1'000'000'000;
  ASSERT_TRUE(live_.set_faults(0, faults));
  EXPECT_EQ(appliance_.done(), "faults 0; rates 0 need 0 limit 0 capacity 0; ");
  faults.loss = 0.1;
  ASSERT_TRUE(live_.set_faults(0, faults));
  EXPECT_EQ(appliance_.done(), "faults 0; ");
}

class RateWithoutMembership : public RateTest {
 protected:
  RateWithoutMembership() : RateTest("rate.policy = \"window\"\n") {}
};

TEST_F(RateWithoutMembership, need__expect_the_policy_named_that_has_none) {
  EXPECT_EQ(done("set rate need 10M"), "");
  EXPECT_NE(answer_.find("node0: its policy is window, which has no need"), std::string::npos)
      << answer_;
  EXPECT_EQ(done("set rate limit 10M node0"), "rates 0 need 0 limit 10000000 capacity 0; ");
}

}  // namespace
}  // namespace lambdacast::console
