// SPDX-License-Identifier: BSD-3-Clause
#include "console/live_config.h"

#include <gtest/gtest.h>

#include "fake_appliance.h"

namespace lambdacast::console {
namespace {

class LiveConfigTest : public ::testing::Test {
 protected:
  test::FakeAppliance appliance_;
  const config::Config loaded_ = lambdacast::test::rack_config({});
  LiveConfig live_{appliance_, loaded_};
};

TEST_F(LiveConfigTest, set_what_a_file_could_set__expect_it_done_and_in_the_configuration) {
  live_.publish(1, true);
  live_.set_rate_pps(1, 7);
  ASSERT_TRUE(live_.set_faults(0, {.loss = 0.5}));
  EXPECT_EQ(appliance_.done(), "start 1; rate 1 7; faults 0; ");
  EXPECT_TRUE(live_.config().endpoints[1].traffic.enabled);
  EXPECT_EQ(live_.config().endpoints[1].traffic.rate_pps, 7u);
  EXPECT_EQ(live_.config().endpoints[0].faults.loss, 0.5);
  EXPECT_FALSE(live_.config().endpoints[0].traffic.enabled);
}

TEST_F(LiveConfigTest, be_refused__expect_the_configuration_as_it_was) {
  appliance_.refusal = "no";
  EXPECT_FALSE(live_.set_faults(0, {.loss = 0.5}));
  EXPECT_FALSE(live_.set_line_rate_bps(0, 1000));
  EXPECT_EQ(live_.config().endpoints[0].faults.loss, 0.0);
  EXPECT_EQ(live_.config().fabric->line_rate_bps, loaded_.fabric->line_rate_bps);
}

TEST_F(LiveConfigTest, set_the_line_rate__expect_it_in_the_configuration_once_all_have_it) {
  ASSERT_TRUE(live_.set_line_rate_bps(0, 1000));
  EXPECT_EQ(live_.config().fabric->line_rate_bps, loaded_.fabric->line_rate_bps);
  ASSERT_TRUE(live_.set_line_rate_bps(1, 1000));
  EXPECT_EQ(live_.config().fabric->line_rate_bps, 1000u);
}

TEST_F(LiveConfigTest, do_what_no_file_sets__expect_it_passed_on) {
  ASSERT_TRUE(live_.send(0, "7", "x"));
  ASSERT_TRUE(live_.listen(0, "7"));
  ASSERT_TRUE(live_.join(0, "g"));
  ASSERT_TRUE(live_.leave(0, "g"));
  live_.listen_off();
  EXPECT_EQ(appliance_.done(), "send 0 7 x; listen 0 7; join 0 g; leave 0 g; off; ");
}

}  // namespace
}  // namespace lambdacast::console
