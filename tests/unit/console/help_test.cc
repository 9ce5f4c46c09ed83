// SPDX-License-Identifier: BSD-3-Clause
#include "console/help.h"

#include <gtest/gtest.h>

namespace lambdacast::console {
namespace help_test {

std::vector<Command> commands() {
  return {{{fixed("show"), fixed("peers")}, 0, "Peers.", {}},
          {{fixed("show"), choice("a|b", {"a", "b"}), fixed("all")}, 0, "Letters.", {}},
          {{fixed("send"), any("GROUP"), rest("TEXT")}, 0, "Sends.", {}}};
}

TEST(HelpTest, ask_for_everything__expect_a_line_a_command_in_columns) {
  EXPECT_EQ(*help_text(commands(), ""),
            "show peers       Peers.\n"
            "show a|b all     Letters.\n"
            "send GROUP TEXT  Sends.\n");
}

TEST(HelpTest, ask_for_a_beginning__expect_what_begins_so) {
  EXPECT_EQ(*help_text(commands(), "show b"), "show a|b all     Letters.\n");
  EXPECT_EQ(*help_text(commands(), "send 7"), "send GROUP TEXT  Sends.\n");
}

TEST(HelpTest, ask_for_what_is_not_there__expect_an_error_that_says_it) {
  const Answer answer = help_text(commands(), "show c");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "No command begins with \"show c\".");
}

}  // namespace help_test
}  // namespace lambdacast::console
