// SPDX-License-Identifier: BSD-3-Clause
#include "console/fault.h"

#include <gtest/gtest.h>

#include "console/grammar.h"
#include "fake_appliance.h"

namespace lambdacast::console {
namespace {

class FaultTest : public ::testing::Test {
 protected:
  const config::Config config_ = lambdacast::test::rack_config({});
  test::FakeAppliance appliance_;
  Grammar grammar_{fault_commands(appliance_, config_)};
};

TEST_F(FaultTest, set_probabilities_and_sizes__expect_each_in_its_place) {
  EXPECT_EQ(grammar_.run("set fault loss 1e-3 node1"), "");
  EXPECT_EQ(appliance_.done(), "faults 1; ");
  EXPECT_EQ(grammar_.run("set fault delay_ns 10k"), "");
  EXPECT_EQ(appliance_.done(), "faults 0; faults 1; ");
  EXPECT_EQ(grammar_.run("set fault rx_rate 40G node0"), "");
  EXPECT_EQ(appliance_.rates.loss, 1e-3);
  EXPECT_EQ(appliance_.rates.delay_ns, 10'000u);
  EXPECT_EQ(appliance_.rates.rx_rate_bps, 40'000'000'000u);
  EXPECT_EQ(appliance_.rates.corrupt, 0);
}

TEST_F(FaultTest, set_the_line_rate__expect_it_at_the_port) {
  EXPECT_EQ(grammar_.run("set fault line_rate 25G node1"), "");
  EXPECT_EQ(appliance_.done(), "line 1 25000000000; ");
}

TEST_F(FaultTest, set_what_is_wrong__expect_the_reason_and_the_usage) {
  const std::string usage = "\nusage: set fault KIND VALUE [ENDPOINT]\n";
  EXPECT_EQ(grammar_.run("set fault loss much"), "loss: much is not a number" + usage);
  EXPECT_EQ(grammar_.run("set fault seed 1.5"), "seed: 1.5 is not a whole number" + usage);
  EXPECT_EQ(grammar_.run("set fault los 1"), "No command is written like this." + usage);
  EXPECT_EQ(appliance_.done(), "");
  appliance_.refusal = "loss=2 is not allowed";
  EXPECT_EQ(grammar_.run("set fault loss 2"), "loss=2 is not allowed" + usage);
}

TEST_F(FaultTest, have_no_endpoint_on_a_fabric__expect_no_command) {
  config::Config config = config_;
  for (config::Endpoint& endpoint : config.endpoints) endpoint.wavelength.reset();
  EXPECT_TRUE(fault_commands(appliance_, config).empty());
}

}  // namespace
}  // namespace lambdacast::console
