// SPDX-License-Identifier: BSD-3-Clause
#include "settings.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace lambdacast::verbs {
namespace {

std::map<std::string, std::string> environment;
const char* get(const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? nullptr : found->second.c_str();
}

std::string error_with(const std::string& name, const std::string& value) {
  environment = {{name, value}};
  const auto settings = read_settings(get);
  return settings ? "" : settings.error().message;
}

TEST(Settings, AreTheDefaultsWithoutAnEnvironment) {
  environment.clear();
  const auto settings = read_settings(get);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->fabric, "");
  EXPECT_EQ(settings->rate_bps, kDefaultRateBps);
  EXPECT_EQ(settings->rate_pps, kDefaultRatePps);
  EXPECT_EQ(settings->pkeys, std::vector<uint16_t>{0xffff});
  EXPECT_FALSE(settings->slots);
}

TEST(Settings, AreWhatTheEnvironmentSays) {
  environment = {{"LAMBDACAST_FABRIC", "rack"},       {"LAMBDACAST_WAVELENGTH", "C34"},
                 {"LAMBDACAST_ADDRESS", "10.1.2.3"},  {"LAMBDACAST_RATE", "10G"},
                 {"LAMBDACAST_PKEYS", "0xffff,8001"}, {"LAMBDACAST_PACKET_RATE", "0"},
                 {"LAMBDACAST_SLOTS", "4096"},        {"LAMBDACAST_WAVELENGTHS", "2"}};
  const auto settings = read_settings(get);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->fabric, "rack");
  EXPECT_EQ(settings->wavelength, "C34");
  EXPECT_EQ(settings->address, wire::gid_from_ipv4(0x0a010203));
  EXPECT_EQ(settings->rate_bps, 10'000'000'000u);
  EXPECT_EQ(settings->rate_pps, 0u);
  EXPECT_EQ(settings->pkeys, (std::vector<uint16_t>{0xffff, 0x8001}));
  EXPECT_EQ(settings->slots, 4096u);
  EXPECT_EQ(settings->wavelengths, 2u);
}

TEST(Settings, NameTheVariableThatCannotBe) {
  EXPECT_EQ(error_with("LAMBDACAST_RATE", "fast"),
            "LAMBDACAST_RATE=fast is not a rate: 1M to 1600G, or 0 for none.");
  EXPECT_NE(error_with("LAMBDACAST_ADDRESS", "fe80::1"), "");
  EXPECT_NE(error_with("LAMBDACAST_ADDRESS", "239.1.1.1"), "");
  EXPECT_NE(error_with("LAMBDACAST_ADDRESS", "0.0.0.0"), "");
  EXPECT_NE(error_with("LAMBDACAST_SLOTS", "many"), "");
  EXPECT_NE(error_with("LAMBDACAST_PKEYS", "0xffff,x"), "");
  EXPECT_NE(error_with("LAMBDACAST_PKEYS", "1,2,3,4,5,6,7,8,9,a,b,c,d,e,f,10,11"), "");
}

TEST(Settings, NameAPortByItsFile) {
  environment = {{"LAMBDACAST_CONFIG", "a.toml"}, {"LAMBDACAST_ENDPOINT", "node1"}};
  const auto settings = read_settings(get);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->config_file, "a.toml");
  EXPECT_EQ(settings->endpoint, "node1");
  EXPECT_TRUE(settings->wants_device());
  EXPECT_FALSE(settings->own_rate || settings->own_pkeys);
  environment["LAMBDACAST_FABRIC"] = "rack";
  const auto both = read_settings(get);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().message,
            "LAMBDACAST_CONFIG=a.toml and LAMBDACAST_FABRIC=rack name two networks for one device; "
            "unset one of them.");
}

TEST(Settings, TellWhatWasSaidFromDefaults) {
  environment = {{"LAMBDACAST_PACKET_RATE", "5"}, {"LAMBDACAST_PKEYS", "0x8001"}};
  const auto settings = read_settings(get);
  ASSERT_TRUE(settings);
  EXPECT_TRUE(settings->own_rate && settings->own_pkeys);
  EXPECT_FALSE(settings->wants_device());
}

TEST(Settings, RatesHaveUnits) {
  EXPECT_EQ(parse_rate("0"), 0u);
  EXPECT_EQ(parse_rate("5000000"), 5'000'000u);
  EXPECT_EQ(parse_rate("500M"), 500'000'000u);
  EXPECT_EQ(parse_rate("1600G"), 1'600'000'000'000u);
  EXPECT_FALSE(parse_rate("1601G"));
  EXPECT_FALSE(parse_rate("999999"));
  EXPECT_FALSE(parse_rate("1T"));
  EXPECT_FALSE(parse_rate("99999999999999999999"));
}

}  // namespace
}  // namespace lambdacast::verbs
