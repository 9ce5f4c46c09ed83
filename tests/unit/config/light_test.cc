// SPDX-License-Identifier: BSD-3-Clause
// The wavelength plan and the power budget of a file.
#include "config/light.h"

#include "support.h"

namespace lambdacast::config {
namespace light_test {

std::string fabric(const std::string& keys) { return "[fabric]\nname = \"lab\"\n" + keys + "\n"; }

std::string endpoint(const std::string& name, const std::string& wavelength,
                     const std::string& more = "") {
  static int last = 0;
  return "[[endpoint]]\nname = \"" + name + "\"\naddress = \"10.0.0." +
         std::to_string(++last % 250 + 1) + "\"\nwavelength = \"" + wavelength + "\"\n" + more +
         "\n";
}

TEST(CheckPlan, two_on_one_wavelength_expect_both_named) {
  EXPECT_EQ(problems_of(fabric("") + endpoint("a", "C34") + endpoint("b", "C34")),
            "t:12: endpoint.wavelength: \"C34\" of endpoint \"b\" is that of endpoint \"a\" (line "
            "7) already; allowed: another wavelength for each endpoint\n");
}

TEST(CheckPlan, half_channels_expect_them_on_the_fifty_gigahertz_grid_only) {
  EXPECT_EQ(problems_of(fabric("") + endpoint("a", "H34")),
            "t:7: endpoint.wavelength: \"H34\" is not on the fabric's grid, 100GHz; allowed: "
            "\"C21\" to \"C60\", or fabric.grid = \"50GHz\"\n");
  const Config config =
      loaded(fabric("grid = \"50GHz\"") + endpoint("a", "H34") + endpoint("b", "C34"));
  EXPECT_EQ(config.endpoints[0].wavelength_index, 27u);
  EXPECT_EQ(config.endpoints[1].wavelength_index, 26u);
}

TEST(CheckPlan, beyond_the_fabric_expect_the_last_one_named_on_its_grid) {
  EXPECT_EQ(problems_of(fabric("wavelengths = 4") + endpoint("a", "C25")),
            "t:7: endpoint.wavelength: \"C25\" is wavelength 5 of a fabric with 4; allowed: "
            "\"C21\" to \"C24\", or more fabric.wavelengths\n");
  EXPECT_EQ(problems_of(fabric("wavelengths = 4\ngrid = \"50GHz\"") + endpoint("a", "C23")),
            "t:8: endpoint.wavelength: \"C23\" is wavelength 5 of a fabric with 4; allowed: "
            "\"C21\" to \"H22\", or more fabric.wavelengths\n");
}

TEST(CheckPlan, grid_that_is_none_expect_only_that_told) {
  EXPECT_EQ(problems_of(fabric("grid = \"x\"") + endpoint("a", "H34")),
            "t:3: fabric.grid: \"x\" is not allowed; allowed: \"100GHz\" or \"50GHz\"\n");
}

TEST(CheckPower, light_too_weak_expect_a_warning_and_the_file_loaded) {
  const Config config =
      loaded(fabric("optical.coupler_ports = 80") +
             endpoint("a", "C21", "optical.launch_dbm = -5") + endpoint("b", "C22"));
  EXPECT_EQ(text(config.warnings),
            "t:12: endpoint.wavelength: \"C22\" is that of endpoint \"b\", which receives -26.59 "
            "dBm from endpoint \"a\", 3.59 dB below its sensitivity; allowed: powers between both; "
            "see [fabric.optical] and [endpoint.optical]\n");
}

TEST(CheckPower, amplifier_too_strong_expect_a_warning) {
  const Config config = loaded(fabric("wavelengths = 2\noptical.amplifier_db = 20") +
                               endpoint("a", "C21") + endpoint("b", "C22"));
  ASSERT_EQ(config.warnings.size(), 2u);
  EXPECT_NE(config.warnings[0].reason.find("above its overload"), std::string::npos);
}

TEST(CheckPower, file_that_does_not_speak_of_optics_expect_no_warning) {
  EXPECT_EQ(loaded(fabric("wavelengths = 2") + endpoint("a", "C21") + endpoint("b", "C22"))
                .warnings.size(),
            0u);
  EXPECT_EQ(loaded(fabric("wavelengths = 2") + endpoint("a", "C21", "optical.launch_dbm = 0") +
                   endpoint("b", "C22"))
                .warnings.size(),
            2u);
}

TEST(CheckPower, fewer_ports_than_endpoints_or_no_room_for_light_expect_a_problem) {
  EXPECT_EQ(problems_of(fabric("optical.coupler_ports = 1") + endpoint("a", "C21") +
                        endpoint("b", "C22")),
            "t:3: fabric.optical.coupler_ports: 1 is fewer than the 2 endpoints with a wavelength; "
            "allowed: a port of the coupler for each\n");
  EXPECT_EQ(problems_of(fabric("") + endpoint("a", "C21", "optical.overload_dbm = -23")),
            "t:8: endpoint.optical.overload_dbm: -23 leaves endpoint \"a\" no power between "
            "sensitivity and overload; allowed: overload_dbm above sensitivity_dbm\n");
}

TEST(PlanOf, file_expect_its_transmitters_by_frequency) {
  const Config config = loaded(fabric("") + endpoint("a", "C34") + endpoint("b", "C22"));
  const auto plan = plan_of(config);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->transmitters().size(), 2u);
  EXPECT_EQ(plan->transmitters()[0].owner, "b");
  EXPECT_EQ(plan->owner_of(13), "a");
  EXPECT_FALSE(plan_of(loaded(kSecond)));
}

TEST(PowerBudgets, file_expect_one_for_each_endpoint_with_a_wavelength) {
  const auto budgets = power_budgets(loaded(kMinimal + endpoint("c", "C22") + kSecond));
  ASSERT_EQ(budgets.size(), 2u);
  EXPECT_EQ(budgets[0].owner, "a");
  EXPECT_EQ(budgets[0].weakest_from, "c");
  EXPECT_NEAR(budgets[0].margin_db, 3.42, 0.01);
  EXPECT_TRUE(power_budgets(loaded(kSecond)).empty());
}

}  // namespace light_test
}  // namespace lambdacast::config
