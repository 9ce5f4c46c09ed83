// SPDX-License-Identifier: BSD-3-Clause
#include "console/log_level.h"

#include <gtest/gtest.h>
#include <rte_log.h>

#include "console/grammar.h"

namespace lambdacast::console {
namespace {

RTE_LOG_REGISTER_SUFFIX(type, console_test, NOTICE);

TEST(LogLevelTest, set_levels__expect_the_types_of_the_pattern_to_have_them) {
  Grammar grammar(log_commands());
  const uint32_t before = rte_log_get_global_level();
  EXPECT_EQ(grammar.run("set log *console_test error"), "");
  EXPECT_EQ(rte_log_get_level(static_cast<uint32_t>(type)), static_cast<int>(RTE_LOG_ERR));
  EXPECT_EQ(grammar.run("set log critical"), "");
  EXPECT_EQ(rte_log_get_global_level(), static_cast<uint32_t>(RTE_LOG_CRIT));
  EXPECT_EQ(rte_log_get_level(static_cast<uint32_t>(type)), static_cast<int>(RTE_LOG_CRIT));
  rte_log_set_global_level(before);
}

TEST(LogLevelTest, name_no_level__expect_the_usage) {
  Grammar grammar(log_commands());
  EXPECT_NE(grammar.run("set log loud").find("usage: set log"), std::string::npos);
  EXPECT_NE(grammar.run("set log lib.eal loud").find("usage: set log TYPE LEVEL"),
            std::string::npos);
}

}  // namespace
}  // namespace lambdacast::console
