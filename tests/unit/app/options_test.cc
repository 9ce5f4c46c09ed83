// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/options.h"

#include <gtest/gtest.h>

#include "command_line.h"

namespace lambdacast::appliance {
namespace {

TEST(OptionsTest, parse_what_the_demo_gives__expect_its_values) {
  const auto parsed = parse_options({"--config", "x.toml", "--run-for", "10", "--stats-period=1"});
  const auto* options = std::get_if<Options>(&parsed);
  ASSERT_NE(options, nullptr);
  EXPECT_EQ(options->config_file, "x.toml");
  EXPECT_EQ(options->run_for_s, 10.0);
  EXPECT_EQ(options->stats_period_s, 1.0);
  EXPECT_FALSE(options->check_config);
}

TEST(OptionsTest, leave_the_time_out__expect_it_to_run_until_a_signal) {
  const auto parsed = parse_options({"--config", "x.toml", "--check-config"});
  EXPECT_FALSE(std::get<Options>(parsed).run_for_s);
  EXPECT_TRUE(std::get<Options>(parsed).check_config);
}

TEST(OptionsTest, ask_for_a_capture__expect_its_file_endpoint_and_length) {
  const auto parsed = parse_options({"--config", "x", "--capture", "a.pcapng", "--capture-endpoint",
                                     "node1", "--capture-snap", "128"});
  const auto* options = std::get_if<Options>(&parsed);
  ASSERT_NE(options, nullptr);
  EXPECT_EQ(options->capture_file, "a.pcapng");
  EXPECT_EQ(options->capture_endpoint, "node1");
  EXPECT_EQ(options->capture_snap_bytes, 128u);
}

TEST(OptionsTest, ask_for_a_control_socket__expect_its_path_owner_and_group) {
  const auto parsed = parse_options({"--config", "x", "--control-socket", "/tmp/x.sock",
                                     "--control-owner", "me", "--control-group", "us"});
  const auto* options = std::get_if<Options>(&parsed);
  ASSERT_NE(options, nullptr);
  EXPECT_EQ(options->control_socket, "/tmp/x.sock");
  EXPECT_EQ(options->control_owner, "me");
  EXPECT_EQ(options->control_group, "us");
  EXPECT_EQ(std::get<Options>(parse_options({"--config", "x"})).control_socket, "");
}

TEST(OptionsTest, ask_to_rejoin__expect_it_only_if_asked) {
  EXPECT_TRUE(std::get<Options>(parse_options({"--config", "x.toml", "--rejoin"})).rejoin);
  EXPECT_FALSE(std::get<Options>(parse_options({"--config", "x.toml"})).rejoin);
}

TEST(OptionsTest, give_wrong_options__expect_the_code_for_usage) {
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{},
        {"--run-for", "1"},
        {"--config", "x", "--run-for", "0"},
        {"--config", "x", "--run-for", "soon"},
        {"--config", "x", "--nonesuch"},
        {"--config", "x", "--capture-endpoint", "node1"},
        {"--config", "x", "--capture", "a", "--capture-snap", "13"},
        {"--config", "x", "--stats-period", "-1"},
        {"--config", "x", "--rejoin", "--capture", "a"},  // a file has one life
        {"--config", "x", "y"}}) {
    const auto parsed = parse_options(wrong);
    ASSERT_TRUE(std::holds_alternative<int>(parsed));
    EXPECT_EQ(std::get<int>(parsed), app::kExitUsage);
  }
}

TEST(OptionsTest, ask_for_help__expect_success) {
  const auto parsed = parse_options({"--help"});
  EXPECT_EQ(std::get<int>(parsed), app::kExitOk);
}

}  // namespace
}  // namespace lambdacast::appliance
