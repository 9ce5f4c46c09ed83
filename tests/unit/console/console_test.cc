// SPDX-License-Identifier: BSD-3-Clause
#include "console/console.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace lambdacast::console {
namespace {

class ConsoleTest : public ::testing::Test {
 protected:
  ConsoleTest() : path_(::testing::TempDir() + "console" + std::to_string(::getpid())) {}
  ~ConsoleTest() override { std::remove(path_.c_str()); }
  void write(const std::string& text) { std::ofstream(path_) << text; }

  std::string out_;
  const std::string path_;
  Dispatcher dispatcher_{
      {{{fixed("ping")}, 0, "Answers.", [](const Arguments&) { return "pong\n"; }}}};
  Console console_{dispatcher_, "> ", [this](std::string_view text) { out_ += text; },
                   [this](double seconds) { out_ += "waits " + std::to_string(seconds) + "\n"; }};
};

TEST_F(ConsoleTest, run_a_file__expect_each_line_and_its_answer_until_one_quits) {
  write("ping\n\nquit\nping\n");
  ASSERT_TRUE(console_.run_file(path_));
  EXPECT_EQ(out_, "> ping\npong\n> \n> quit\n");
  EXPECT_TRUE(console_.quits());
}

TEST_F(ConsoleTest, run_a_file_with_a_mistake__expect_the_lines_behind_it_to_run_as_well) {
  write("pong\nping");
  ASSERT_TRUE(console_.run_file(path_));
  EXPECT_EQ(out_, "> pong\nNo command is written like this.\nusage: ping\n> ping\npong\n");
  EXPECT_FALSE(console_.quits());
}

TEST_F(ConsoleTest, run_a_file_that_is_not_there__expect_its_name) {
  const auto ran = console_.run_file(path_);
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().message, path_ + " cannot be read");
}

TEST_F(ConsoleTest, load_a_file_that_loads_itself__expect_it_to_end) {
  write("load " + path_ + "\n");
  ASSERT_TRUE(console_.run_file(path_));
  EXPECT_NE(out_.find("files load files 8 deep at most"), std::string::npos);
}

TEST_F(ConsoleTest, feed_lines_in_pieces__expect_each_to_run_when_it_is_whole) {
  console_.open(false);
  console_.feed("pi");
  EXPECT_EQ(out_, "");
  console_.feed("ng\npin");
  EXPECT_EQ(out_, "> ping\npong\n");
  console_.feed("g");
  console_.feed("");  // the end of input
  EXPECT_EQ(out_, "> ping\npong\n> ping\npong\n");
  EXPECT_TRUE(console_.quits());
}

TEST_F(ConsoleTest, wait__expect_the_program_to_let_time_pass_before_the_next_line) {
  console_.feed("wait 2\nping\n");
  EXPECT_EQ(out_, "> wait 2\nwaits 2.000000\n> ping\npong\n");
}

TEST_F(ConsoleTest, drain__expect_it_to_quit) {
  console_.feed("drain\nping\n");
  EXPECT_EQ(out_, "> drain\n");
  EXPECT_TRUE(console_.quits());
}

TEST_F(ConsoleTest, ask_for_events__expect_a_sentence_that_says_who_has_them) {
  console_.feed("events\n");
  EXPECT_NE(out_.find("lambdacastctl has it as JSON"), std::string::npos);
}

TEST_F(ConsoleTest, read_a_file__expect_its_text_or_its_name) {
  EXPECT_TRUE(console_.read(path_).error().message.starts_with(path_ + " cannot be read"));
  write("two\nlines\n");
  EXPECT_EQ(*console_.read(path_), "two\nlines\n");
}

TEST_F(ConsoleTest, ask_for_help__expect_every_command) {
  console_.feed("help\n");
  for (const char* word : {"ping", "Answers.", "load FILE", "help [COMMAND]", "quit"}) {
    EXPECT_NE(out_.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace lambdacast::console
