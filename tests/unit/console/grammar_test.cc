// SPDX-License-Identifier: BSD-3-Clause
#include "console/grammar.h"

#include <gtest/gtest.h>

namespace lambdacast::console {
namespace {

class GrammarTest : public ::testing::Test {
 protected:
  Answer keep(const Arguments& arguments) {
    called_ = arguments;
    if (arguments[0] == "set" && arguments[2] == "bad") return base::fail("bad is no rate");
    return "done\n";
  }
  std::vector<Command> commands() {
    const auto run = [this](const Arguments& arguments) { return keep(arguments); };
    return {
        {{fixed("show"), fixed("stages"), choice("ENDPOINT", {"node0", "node1"})}, 1, "A.", run},
        {{fixed("show"), choice("what", {"peers", "ports"}), fixed("all")}, 0, "B.", run},
        {{fixed("set"), fixed("rate"), any("PPS")}, 0, "C.", run},
        {{fixed("send"), any("GROUP"), rest("TEXT")}, 0, "D.", run},
        {{fixed("tell"), number("GROUP")}, 0, "F.", run},
        {{fixed("tell"), fixed("all")}, 0, "G.", run},
        {{fixed("of"), choice("NOBODY", {})}, 1, "E.", run}};
  }
  // What completion would add to the line.
  std::string completed(const std::string& line) {
    int state = 0;
    char out[256] = {};
    const int outcome = grammar_.complete(line.c_str(), &state, out, sizeof out);
    return outcome == 2 ? out : "";
  }

  Arguments called_;
  Grammar grammar_{commands()};
};

TEST_F(GrammarTest, run_a_right_line__expect_its_words_and_its_answer) {
  EXPECT_EQ(grammar_.run("show  stages"), "done\n");
  EXPECT_EQ(called_, (Arguments{"show", "stages"}));
  EXPECT_EQ(grammar_.run(" show stages node1 # comment"), "done\n");
  EXPECT_EQ(called_, (Arguments{"show", "stages", "node1"}));
  EXPECT_EQ(grammar_.run("show ports all"), "done\n");
  EXPECT_EQ(called_, (Arguments{"show", "ports", "all"}));
}

TEST_F(GrammarTest, run_a_line_with_a_text__expect_the_text_whole) {
  EXPECT_EQ(grammar_.run("send 7 hello,  world"), "done\n");
  EXPECT_EQ(called_, (Arguments{"send", "7", "hello,  world"}));
  std::string longest(4000, 'x');
  EXPECT_EQ(grammar_.run("send 7 " + longest), "done\n");
  EXPECT_EQ(called_[2], longest);
}

TEST_F(GrammarTest, run_a_number_or_a_word__expect_the_command_that_it_fits) {
  EXPECT_EQ(grammar_.run("tell 4294967295"), "done\n");
  EXPECT_EQ(called_, (Arguments{"tell", "4294967295"}));
  EXPECT_EQ(grammar_.run("tell all"), "done\n");
  EXPECT_EQ(called_, (Arguments{"tell", "all"}));
  EXPECT_EQ(grammar_.run("tell 4294967296"),
            "No command is written like this.\nusage: tell GROUP\n");
}

TEST_F(GrammarTest, run_nothing__expect_nothing) {
  for (const char* line : {"", "   ", "# a comment", "  # another"}) {
    EXPECT_EQ(grammar_.run(line), "");
  }
  EXPECT_TRUE(called_.empty());
}

TEST_F(GrammarTest, run_a_wrong_line__expect_the_usage_of_what_it_resembles_and_no_call) {
  EXPECT_EQ(grammar_.run("show stages node2"),
            "No command is written like this.\nusage: show stages [ENDPOINT]\n");
  EXPECT_EQ(grammar_.run("show stages node1 more"),
            "No command is written like this.\nusage: show stages [ENDPOINT]\n");
  EXPECT_EQ(grammar_.run("send 7"), "No command is written like this.\nusage: send GROUP TEXT\n");
  EXPECT_EQ(grammar_.run("xyzzy"), "No command is written like this. help lists all commands.\n");
  EXPECT_TRUE(called_.empty());
}

TEST_F(GrammarTest, run_a_word_too_long__expect_no_command) {
  EXPECT_NE(grammar_.run("set rate " + std::string(500, '9')).find("usage: set rate PPS"),
            std::string::npos);
  EXPECT_NE(grammar_.run("send 7 " + std::string(5000, 'x')).find("usage: send GROUP TEXT"),
            std::string::npos);
  EXPECT_NE(grammar_.run(std::string(100'000, 'x')), "");
  EXPECT_TRUE(called_.empty());
}

TEST_F(GrammarTest, give_a_value_that_the_command_refuses__expect_its_sentence_and_the_usage) {
  EXPECT_EQ(grammar_.run("set rate bad"), "bad is no rate\nusage: set rate PPS\n");
}

TEST_F(GrammarTest, have_a_choice_of_nothing__expect_only_the_form_without_it) {
  EXPECT_EQ(grammar_.run("of"), "done\n");
  EXPECT_NE(grammar_.run("of course"), "done\n");
}

TEST_F(GrammarTest, complete_the_beginning_of_a_word__expect_the_rest_of_it) {
  EXPECT_EQ(completed("sh"), "ow ");
  EXPECT_EQ(completed("show st"), "ages ");
  EXPECT_EQ(completed("show stages n"), "ode");
  EXPECT_EQ(completed("show po"), "rts ");
  EXPECT_EQ(completed("zz"), "");
}

TEST_F(GrammarTest, run_lines__expect_to_be_told_whether_they_are_commands) {
  EXPECT_TRUE(grammar_.run("show stages", Format::kText).ok);
  EXPECT_FALSE(grammar_.run("show nothing", Format::kText).ok);
  EXPECT_FALSE(grammar_.run("set rate bad", Format::kText).ok);
  EXPECT_TRUE(grammar_.run("# nothing", Format::kJson).ok);
}

TEST_F(GrammarTest, ask_for_json__expect_it_of_a_command_that_has_it_and_text_of_the_others) {
  Grammar grammar({{{fixed("a")},
                    0,
                    "A.",
                    [](const Arguments&) { return "text"; },
                    [](const Arguments&) { return "{}"; }},
                   {{fixed("b")}, 0, "B.", [](const Arguments&) { return "text"; }}});
  EXPECT_EQ(grammar.run("a", Format::kJson).text, "{}");
  EXPECT_EQ(grammar.run("a", Format::kText).text, "text");
  EXPECT_EQ(grammar.run("b", Format::kJson).text, "{\"text\":\"text\"}");
}

}  // namespace
}  // namespace lambdacast::console
