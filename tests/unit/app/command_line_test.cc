// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.h"

#include <gtest/gtest.h>

namespace lambdacast::app {
namespace {

using Words = std::vector<std::string>;

CommandLine split_words(Words words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return split(static_cast<int>(argv.size()), argv.data());
}

TEST(CommandLineTest, give_options_on_both_sides__expect_eals_before_and_ours_behind) {
  const CommandLine line = split_words({"program", "-l", "0", "--", "--config", "x"});
  EXPECT_EQ(line.program, "program");
  EXPECT_EQ(line.eal, (Words{"-l", "0"}));
  EXPECT_EQ(line.own, (Words{"--config", "x"}));
}

TEST(CommandLineTest, give_no_dashes__expect_all_to_be_ours) {
  const CommandLine line = split_words({"program", "--config", "x"});
  EXPECT_TRUE(line.eal.empty());
  EXPECT_EQ(line.own, (Words{"--config", "x"}));
}

TEST(CommandLineTest, give_dashes_and_nothing_else__expect_nothing) {
  EXPECT_TRUE(split_words({"program", "--"}).own.empty());
  EXPECT_TRUE(split_words({"program"}).own.empty());
  EXPECT_TRUE(split_words({}).own.empty());
}

}  // namespace
}  // namespace lambdacast::app
