// SPDX-License-Identifier: BSD-3-Clause
#include "config/effective.h"

#include "support.h"

namespace lambdacast::config {
namespace {

// What it says loads, and says the same again.
void expect_to_load(const Config& config) {
  const std::string once = effective(config);
  const Loaded again = parse(once, "effective");
  ASSERT_TRUE(again) << text(again.error()) << once;
  EXPECT_EQ(effective(*again), once);
  EXPECT_EQ(text(again->warnings), "") << once;
}

TEST(EffectiveTest, write_the_examples__expect_text_that_loads_to_the_same) {
  for (const char* path : {"config/rack4.toml", "config/embedded.toml"}) {
    expect_to_load(loaded(read_source_file(path)));
  }
}

TEST(EffectiveTest, write_what_a_file_sets__expect_it_and_defaults_behind_a_hash) {
  const Config config = loaded(kMinimal + "burst = 64\nvlan = 7\nmac = \"02:00:00:4d:00:0a\"\n" +
                               "groups = [3, 5]\n[endpoint.faults]\nloss = 0.25\n");
  expect_to_load(config);
  const std::string text = effective(config);
  for (const char* line : {"\nburst = 64  # packets\n", "\nvlan = 7\n", "\ngroups = [3, 5]\n",
                           "\nmac = \"02:00:00:4d:00:0a\"\n", "\nloss = 0.25\n",
                           "\n# path_mtu = 4096  # bytes\n", "\nwavelength = \"C21\"\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
}

// A default that its key does not admit, or that is no whole number of its key's units, would not
// come back.
TEST(EffectiveTest, set_each_key_of_an_endpoint_to_its_default__expect_the_same_configuration) {
  const Config config = loaded(kMinimal);
  const std::string written = effective(config);
  std::string set = written.substr(0, written.find("[[lcore]]"));
  for (size_t at = 0; (at = set.find("\n# ", at)) != std::string::npos;) set.erase(at + 1, 2);
  const Loaded again = parse(set, "set");
  ASSERT_TRUE(again) << text(again.error()) << set;
  EXPECT_EQ(effective(*again), written);
}

// Whose file says nothing of the light is not warned of it either once it is written.
TEST(EffectiveTest, write_endpoints_without_optics__expect_no_warning_of_what_is_written) {
  const Config config = loaded(
      kMinimal + "[[endpoint]]\nname = \"b\"\naddress = \"10.0.0.2\"\nwavelength = \"C22\"\n");
  EXPECT_EQ(text(config.warnings), "");
  expect_to_load(config);
  // Written out like any other setting where it is not that of the wavelengths.
  const std::string wide = kMinimal + "[fabric.optical]\ncoupler_ports = 7\n";
  EXPECT_NE(effective(loaded(wide)).find("\ncoupler_ports = 7  # ports\n"), std::string::npos);
}

TEST(EffectiveTest, write_an_endpoint_with_a_port__expect_no_section_that_it_may_not_have) {
  const Config config = loaded(kSecond);
  expect_to_load(config);
  EXPECT_EQ(effective(config).find("faults"), std::string::npos);
}

TEST(EffectiveTest, write_eal_arguments__expect_each_quoted) {
  const Config config = loaded(kMinimal + "[eal]\nargs = [\"--no-huge\", \"-m\", \"64\"]\n");
  expect_to_load(config);
  EXPECT_NE(effective(config).find("args = [\"--no-huge\", \"-m\", \"64\"]"), std::string::npos);
}

}  // namespace
}  // namespace lambdacast::config
