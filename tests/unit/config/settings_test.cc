// SPDX-License-Identifier: BSD-3-Clause
#include "config/settings.h"

#include "config/effective.h"
#include "support.h"

namespace lambdacast::config {
namespace {

const Setting* find(const std::vector<Setting>& all, const std::string& name) {
  for (const Setting& each : all) {
    if (each.name() == name) return &each;
  }
  return nullptr;
}

TEST(SettingsTest, list_a_file__expect_what_it_sets_and_the_defaults_by_their_full_names) {
  const auto all = settings(loaded(kMinimal + "burst = 64\n[endpoint.faults]\nloss = 0.25\n"));
  const Setting* burst = find(all, "endpoint.a.burst");
  ASSERT_NE(burst, nullptr);
  EXPECT_EQ(burst->value, "64");
  EXPECT_EQ(burst->unit, "packets");
  EXPECT_FALSE(burst->at_default);
  ASSERT_NE(find(all, "endpoint.a.faults.loss"), nullptr);
  EXPECT_EQ(find(all, "endpoint.a.faults.loss")->value, "0.25");
  ASSERT_NE(find(all, "endpoint.a.path_mtu"), nullptr);
  EXPECT_TRUE(find(all, "endpoint.a.path_mtu")->at_default);
  EXPECT_EQ(find(all, "fabric.name")->value, "\"lab\"");
  EXPECT_NE(find(all, "lcore.0.idle"), nullptr);
  EXPECT_EQ(find(all, "endpoint.a.vlan"), nullptr);  // it has none
}

TEST(SettingsTest, list_an_endpoint_with_a_port__expect_no_section_that_it_may_not_have) {
  const auto all = settings(loaded(kSecond));
  EXPECT_EQ(find(all, "endpoint.b.faults.loss"), nullptr);
  EXPECT_NE(find(all, "endpoint.b.port"), nullptr);
}

TEST(SettingsTest, list_what_is_written_as_toml__expect_each_key_of_it) {
  const Config config = loaded(read_source_file("config/rack4.toml"));
  const std::string text = effective(config);
  for (const Setting& each : settings(config))
    EXPECT_NE(text.find(each.key + " = "), std::string::npos) << each.name();
}

}  // namespace
}  // namespace lambdacast::config
