// SPDX-License-Identifier: BSD-3-Clause
#include "console/line_editor.h"

#include <gtest/gtest.h>

namespace lambdacast::console {
namespace {

class LineEditorTest : public ::testing::Test {
 protected:
  // False once the input has ended.
  bool type(std::string_view keys) {
    out_.clear();
    bool more = true;
    for (const char key : keys) more = editor_.feed(key);
    return more;
  }

  std::string out_;
  int calls_ = 0;
  Grammar grammar_{{{{fixed("ping")}, 0, "Answers.", [this](const Arguments&) {
                       ++calls_;
                       return "pong\n";
                     }}}};
  LineEditor editor_{grammar_, "> ", [this](std::string_view text) { out_ += text; },
                     [this](const std::string& line) { return grammar_.run(line); }};
};

TEST_F(LineEditorTest, type_a_line__expect_its_echo_its_answer_and_a_prompt) {
  editor_.prompt();
  EXPECT_EQ(out_, "> ");
  EXPECT_TRUE(type("ping\r"));
  EXPECT_EQ(calls_, 1);
  EXPECT_NE(out_.find("ping"), std::string::npos);
  EXPECT_NE(out_.find("pong\n> "), std::string::npos);
}

TEST_F(LineEditorTest, type_a_character_beyond_ascii__expect_to_be_told_once_a_line) {
  editor_.prompt();
  type("p\xc3\xa9\xc3\xa9ing");
  const size_t told = out_.find("Only ASCII can be typed here");
  ASSERT_NE(told, std::string::npos);
  EXPECT_EQ(out_.find("Only ASCII", told + 1), std::string::npos);
  type("\r");
  EXPECT_EQ(calls_, 1) << "the rest of the line is what it was";
  type("\xe9");
  EXPECT_NE(out_.find("Only ASCII"), std::string::npos);
}

TEST_F(LineEditorTest, press_tab__expect_the_word_to_be_completed) {
  editor_.prompt();
  type("p\t\r");
  EXPECT_EQ(calls_, 1);
}

TEST_F(LineEditorTest, press_up__expect_the_last_line_again) {
  editor_.prompt();
  type("ping\r");
  type("\x1b[A\r");
  EXPECT_EQ(calls_, 2);
}

TEST_F(LineEditorTest, mistype__expect_the_usage) {
  editor_.prompt();
  type("pong\r");
  EXPECT_NE(out_.find("usage: ping"), std::string::npos);
  EXPECT_EQ(calls_, 0);
}

TEST_F(LineEditorTest, press_ctrl_c_and_then_ctrl_d__expect_the_line_gone_and_the_end) {
  editor_.prompt();
  EXPECT_TRUE(type("pin\x03"));
  EXPECT_FALSE(type("\x04"));
  EXPECT_EQ(calls_, 0);
}

TEST_F(LineEditorTest, show_something_while_a_line_is_typed__expect_the_line_below_it) {
  editor_.prompt();
  type("pi");
  out_.clear();
  editor_.interject("news\n");
  const size_t news = out_.find("news\n");
  ASSERT_NE(news, std::string::npos);
  EXPECT_NE(out_.find("pi", news), std::string::npos);
  type("ng\r");
  EXPECT_EQ(calls_, 1);
}

}  // namespace
}  // namespace lambdacast::console
