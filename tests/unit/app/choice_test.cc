// SPDX-License-Identifier: BSD-3-Clause
#include "choice.h"

#include <gtest/gtest.h>

#include "parse_words.h"

namespace lambdacast::app {
namespace {

enum class Pace : uint8_t { kSlow, kFast };

struct Options {
  Pace pace = Pace::kFast;
};

void add(CLI::App& command, Options& o) {
  const std::map<std::string, Pace> paces = {{"slow", Pace::kSlow}, {"fast", Pace::kFast}};
  add_choice(command, "--pace", o.pace, paces, "how it goes");
}

TEST(ChoiceTest, parse_a_name__expect_its_value_and_the_default_without) {
  EXPECT_EQ(parse_words(add, {"--pace", "slow"})->pace, Pace::kSlow);
  EXPECT_EQ(parse_words(add, {})->pace, Pace::kFast);
  EXPECT_FALSE(parse_words(add, {"--pace", "1"}));
  EXPECT_FALSE(parse_words(add, {"--pace", "Slow"}));
}

TEST(ChoiceTest, help_and_a_refusal__expect_the_names_and_nothing_unprintable) {
  Options options;
  CLI::App command;
  add(command, options);
  std::string text = command.help();
  EXPECT_NE(text.find("--pace NAME:{fast,slow}=fast"), std::string::npos) << text;
  try {
    command.parse(std::vector<std::string>{"walking", "--pace"});
    FAIL() << "taken";
  } catch (const CLI::ParseError& error) {
    EXPECT_STREQ(error.what(), "--pace: walking not in {fast,slow}");
    text += error.what();
  }
  for (const char c : text) EXPECT_TRUE(std::isprint(c) != 0 || c == '\n') << int{c};
}

}  // namespace
}  // namespace lambdacast::app
