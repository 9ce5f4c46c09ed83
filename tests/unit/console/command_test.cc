// SPDX-License-Identifier: BSD-3-Clause
#include "console/command.h"

#include <gtest/gtest.h>

namespace lambdacast::console {
namespace {

std::vector<Command> commands() {
  std::vector<Command> list(4);
  list[0].words = {fixed("show"), fixed("stages"), choice("ENDPOINT", {"node0", "node1"})};
  list[0].optional = 1;
  list[1].words = {fixed("show"), fixed("peers")};
  list[2].words = {fixed("set"), fixed("rate"), any("PPS"), choice("ENDPOINT", {"node0"})};
  list[2].optional = 1;
  list[3].words = {fixed("send"), any("GROUP"), rest("TEXT")};
  return list;
}

std::vector<std::string> usages_for(const std::string& line) {
  const auto list = commands();
  std::vector<std::string> text;
  for (const Command* command : resembling(line, list)) text.push_back(usage(*command));
  return text;
}

using Usages = std::vector<std::string>;

TEST(CommandTest, write_a_usage__expect_optional_words_in_brackets) {
  EXPECT_EQ(usage(commands()[0]), "show stages [ENDPOINT]");
  EXPECT_EQ(usage(commands()[3]), "send GROUP TEXT");
}

TEST(CommandTest, mistake_one_word__expect_the_command_it_resembles) {
  EXPECT_EQ(usages_for("show pers"), Usages{"show peers"});
  EXPECT_EQ(usages_for("shwo peers"), Usages{"show peers"});
  EXPECT_EQ(usages_for("show stages node7"), Usages{"show stages [ENDPOINT]"});
  EXPECT_EQ(usages_for("set rat 100"), Usages{"set rate PPS [ENDPOINT]"});
  EXPECT_EQ(usages_for("send"), Usages{"send GROUP TEXT"});
}

TEST(CommandTest, leave_words_out__expect_all_that_begin_so) {
  EXPECT_EQ(usages_for("show"), (Usages{"show stages [ENDPOINT]", "show peers"}));
  EXPECT_EQ(usages_for("s"), (Usages{"show stages [ENDPOINT]", "show peers",
                                     "set rate PPS [ENDPOINT]", "send GROUP TEXT"}));
}

TEST(CommandTest, type_what_resembles_nothing__expect_no_usage) {
  EXPECT_TRUE(usages_for("frobnicate the port").empty());
  EXPECT_TRUE(usages_for("").empty());
}

TEST(CommandTest, take_a_line_apart__expect_words_without_blanks_and_comment) {
  EXPECT_EQ(words_of("  show\tpeers  # all of them"), (Usages{"show", "peers"}));
  EXPECT_TRUE(words_of("# nothing").empty());
}

}  // namespace
}  // namespace lambdacast::console
