// SPDX-License-Identifier: BSD-3-Clause
#include "console/show_config.h"

#include <gtest/gtest.h>

#include "../dpdk/support.h"
#include "console/grammar.h"

namespace lambdacast::console {
namespace {

TEST(ShowConfigTest, show_a_configuration__expect_toml_that_loads) {
  const config::Config config = lambdacast::test::rack_config({});
  Grammar grammar(show_config_commands(config));
  const std::string text = grammar.run("show config");
  EXPECT_NE(text.find("[[endpoint]]\nname = \"node0\"\n"), std::string::npos);
  EXPECT_TRUE(config::parse(text, "shown"));
}

}  // namespace
}  // namespace lambdacast::console
